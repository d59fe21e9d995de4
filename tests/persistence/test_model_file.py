"""Models in files: what was saved comes back, and nothing else gets in."""

import hashlib
import io
import json
import subprocess
import sys
import time
import zipfile
from copy import copy
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.calibration import ScoreCalibration
from hilabel.classifiers import (
    HierarchicalNetwork,
    LocalClassifierPerNode,
    PredictiveClusteringForest,
    PriorClassifier,
)
from hilabel.datasets import TablePreparation, impute, load_go, make_artificial
from hilabel.exceptions import HilabelWarning, ModelFileError
from hilabel.forests import ForestClassifier
from hilabel.model_selection import LabeledKFold, mask_labels
from hilabel.persistence import load_model, read_manifest, save_model
from hilabel.persistence._checks import check_object
from hilabel.persistence._foreign import check_parts
from hilabel.semi_supervised import SSHMCBLI, LabelSpreading, Profile
from hilabel.tasks import list_methods
from hilabel.testing import make_problem

FEW_TREES = ForestClassifier(5)
SMALL = {
    "HierarchicalNetwork": {
        "shape": {"layers": (6, 5)},
        "n_members": 2,
        "max_steps": 2,
    },
    "CHMCNN": {"n_hidden": 6, "n_epochs": 1},
    "Blend": {
        "candidates": {
            "forest": PredictiveClusteringForest(n_estimators=5),
            "spreading": LabelSpreading(),
        }
    },
}
SEAL = b"hilabel-model sha256:"


@pytest.fixture(scope="module")
def problem():
    return make_artificial()


@pytest.fixture(scope="module")
def saved(problem, tmp_path_factory):
    """Return a fitted model and its file."""
    model = LocalClassifierPerNode(
        problem.hierarchy, estimator=FEW_TREES, random_state=0
    )
    model.fit(problem.X_labeled, problem.Y_labeled)
    path = tmp_path_factory.mktemp("model") / "model.hilabel"
    return model, save_model(model, path)


def fitted(model, problem):
    return model.set_params(hierarchy=problem.hierarchy).fit(
        problem.X_labeled, problem.Y_labeled, X_unlabeled=problem.X_unlabeled
    )


def rewrite(source, target, change):
    """Write a copy of a model whose members were changed, with a right checksum."""
    with zipfile.ZipFile(source) as file:
        members = {name: file.read(name) for name in file.namelist()}
    change(members)
    with zipfile.ZipFile(target, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
        file.comment = SEAL + b"0" * 64
    body = target.read_bytes()[: -len(SEAL) - 64]
    target.write_bytes(body + SEAL + hashlib.sha256(body).hexdigest().encode())
    return target


def edit_json(member, change):
    def edit(members):
        content = json.loads(members[member])
        change(content)
        members[member] = json.dumps(content).encode()

    return edit


# Round trips --------------------------------------------------------------------------


# Some methods have something to say on such problems.
@pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")
@pytest.mark.parametrize("name", list(list_methods()))
def test_every_method_comes_back_as_it_was(name, tmp_path):
    method = list_methods()[name]
    data = make_problem(*method.method_tags.problem_types[-1])
    model = method(data.hierarchy)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if "estimator" in model.get_params(deep=False):
        # A forest per combination of labels makes large models of some methods.
        model.set_params(estimator=FEW_TREES)
    model.set_params(**SMALL.get(name, {}))
    # Some methods take counts alone.
    X, X_unlabeled, X_test = map(np.abs, (data.X, data.X_unlabeled, data.X_test))
    model.fit(X, data.Y, X_unlabeled=X_unlabeled)
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    assert type(again) is method
    np.testing.assert_array_equal(
        again.predict_proba(X_test), model.predict_proba(X_test)
    )
    np.testing.assert_array_equal(again.predict(X_test), model.predict(X_test))
    assert repr(again.get_params()) == repr(model.get_params())
    assert again.hierarchy_.titles == model.hierarchy_.titles
    if method.method_tags.transductive:
        np.testing.assert_array_equal(again.transduction_, model.transduction_)


@pytest.mark.parametrize(
    "base",
    [
        LogisticRegression(),
        RandomForestClassifier(3, random_state=0),
        DecisionTreeClassifier(max_depth=3, random_state=0),
        GaussianNB(),
    ],
    ids=lambda base: type(base).__name__,
)
@pytest.mark.parametrize("method", [LocalClassifierPerNode, SSHMCBLI])
def test_local_classifiers_of_scikit_learn_come_back(method, base, problem, tmp_path):
    model = fitted(method(estimator=base, random_state=0), problem)
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    np.testing.assert_array_equal(
        again.predict_proba(problem.X_test), model.predict_proba(problem.X_test)
    )


def test_a_pipeline_comes_back(problem, tmp_path):
    model = make_pipeline(
        SimpleImputer(), LocalClassifierPerNode(problem.hierarchy, estimator=FEW_TREES)
    )
    model.fit(problem.X_labeled, problem.Y_labeled)
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    np.testing.assert_array_equal(
        again.predict_proba(problem.X_test), model.predict_proba(problem.X_test)
    )


def test_a_pipeline_whose_steps_do_not_work_is_refused(problem, tmp_path):
    model = make_pipeline(StandardScaler(), PriorClassifier(problem.hierarchy))
    model.fit(problem.X_labeled, problem.Y_labeled)
    path = save_model(model, tmp_path / "m.hilabel")

    def spoil(tree):
        [entry] = [e for e in tree["entries"] if e.get("type") == "StandardScaler"]
        del entry["state"]["scale_"]

    path = rewrite(path, tmp_path / "n.hilabel", edit_json("model.json", spoil))
    with pytest.raises(ModelFileError, match="no attribute 'scale_'"):
        load_model(path)
    del model[0].scale_
    with pytest.raises(ModelFileError, match="cannot be saved.*no attribute 'scale_'"):
        save_model(model, path)


def test_the_best_model_of_a_search_comes_back(problem, tmp_path):
    pipeline = make_pipeline(StandardScaler(), PriorClassifier(problem.hierarchy))
    search = GridSearchCV(
        pipeline, {"standardscaler__with_mean": [True, False]}, cv=LabeledKFold(2)
    )
    search.fit(problem.X_labeled, problem.Y_labeled)
    path = save_model(search, tmp_path / "m.hilabel")
    again = load_model(path)
    assert type(again) is type(pipeline)
    np.testing.assert_array_equal(
        again.predict_proba(problem.X_test), search.predict_proba(problem.X_test)
    )
    assert read_manifest(path).summary["search"] == {
        "best_params": {"standardscaler__with_mean": "True"},
        "best_score": search.best_score_,
    }
    search.set_params(refit=False).fit(problem.X_labeled, problem.Y_labeled)
    del search.best_estimator_
    with pytest.raises(ModelFileError, match="GridSearchCV with a best_est.*refit=Tru"):
        save_model(search, path)


def test_models_of_sparse_rows_come_back(problem, tmp_path):
    model = SSHMCBLI(problem.hierarchy, estimator=FEW_TREES, random_state=0)
    model.fit(
        sp.csr_array(problem.X_labeled),
        problem.Y_labeled,
        X_unlabeled=sp.csr_array(problem.X_unlabeled),
    )
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    assert sp.issparse(again.training_data_.X_labeled)
    np.testing.assert_array_equal(
        again.predict_proba(problem.X_test), model.predict_proba(problem.X_test)
    )


def test_evidence_and_frames_survive(problem, tmp_path):
    profile = Profile.authors(exclude_self=False)
    model = SSHMCBLI(estimator=FEW_TREES, profile=profile, random_state=0)
    fitted(model, problem).set_output(transform="pandas")
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    assert again.profile == profile
    assert repr(again.explain(100)) == repr(model.explain(100))
    assert again.history_ == model.history_
    assert again.settings_ == model.settings_
    frame = again.predict_proba(problem.X_test[:2])
    assert list(frame.columns) == list(problem.hierarchy.names)


def test_what_was_shared_is_shared_again(problem, tmp_path):
    model = fitted(SSHMCBLI(estimator=FEW_TREES, random_state=0), problem)
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    assert again.hierarchy_ is again.estimator_.hierarchy_
    assert again.passes_[1].before is again.passes_[0]


def test_a_new_process_predicts_the_same_bits(problem, tmp_path):
    bases = {"forest": FEW_TREES, "tree": DecisionTreeClassifier(random_state=0)}
    expected = {}
    np.save(tmp_path / "rows.npy", problem.X_test)
    for method in (LocalClassifierPerNode, SSHMCBLI):
        for title, base in bases.items():
            name = f"{method.__name__}_{title}"
            model = fitted(method(estimator=base, random_state=0), problem)
            save_model(model, tmp_path / f"{name}.hilabel")
            expected[name] = model.predict_proba(problem.X_test)
    code = """
import sys, numpy as np
from pathlib import Path
from hilabel.persistence import load_model
folder = Path(sys.argv[1])
for path in folder.glob("*.hilabel"):
    rows = np.load(folder / "rows.npy")
    np.save(path.with_suffix(".npy"), load_model(path).predict_proba(rows))
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True)
    for name, scores in expected.items():
        got = np.load(tmp_path / f"{name}.npy")
        assert got.dtype == scores.dtype
        assert got.tobytes() == scores.tobytes()


def test_the_same_model_gives_the_same_bytes(saved, tmp_path):
    model, path = saved
    assert save_model(model, tmp_path / "b.hilabel").read_bytes() == path.read_bytes()


def test_the_manifest_tells_kind_versions_and_parameters(saved):
    manifest = read_manifest(saved[1])
    assert manifest.kind == "LocalClassifierPerNode"
    assert {"hilabel", "python", "numpy", "scikit-learn"} <= set(manifest.versions)
    assert manifest.summary["parameters"]["policy"] == "'within_parents'"


def test_loading_a_model_of_our_forests_does_not_import_skops(saved):
    code = (
        "import sys; from hilabel.persistence import load_model; "
        f"load_model({str(saved[1])!r}); print('skops' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"


def test_a_model_of_half_of_cellcycle_loads_sooner_than_it_trains(data_home, tmp_path):
    go = impute(load_go("cellcycle", data_home=data_home))
    Y = mask_labels(go.train.Y, 0.5, random_state=0)
    model = SSHMCBLI(go.hierarchy, random_state=0, n_jobs=2)
    start = time.process_time()
    with pytest.warns(HilabelWarning, match="no positive or no negative rows"):
        model.fit(go.train.X, Y)
    trained = time.process_time()
    path = save_model(model, tmp_path / "m.hilabel")
    saved = time.process_time()
    again = load_model(path)
    assert time.process_time() - saved < trained - start
    rows = go.test.X[:20]
    np.testing.assert_array_equal(again.predict_proba(rows), model.predict_proba(rows))


# Saving -------------------------------------------------------------------------------


def test_only_fitted_models_are_saved(problem, tmp_path):
    with pytest.raises(NotFittedError, match="Only fitted models can be saved"):
        save_model(PriorClassifier(problem.hierarchy), tmp_path / "m.hilabel")
    with pytest.raises(ModelFileError, match="Expected a fitted estimator.*got dict"):
        save_model({"a": 1}, tmp_path / "m.hilabel")
    assert not list(tmp_path.iterdir())


def unhelpful_policy(Y, hierarchy, node):
    rows = np.flatnonzero(Y[:, node])
    return rows, np.flatnonzero(~Y[:, node])


def test_a_model_that_nobody_could_load_is_not_saved(problem, tmp_path):
    model = LocalClassifierPerNode(policy=unhelpful_policy, estimator=FEW_TREES)
    fitted(model, problem)
    with pytest.raises(ModelFileError, match="unhelpful_policy.*pass policies"):
        save_model(model, tmp_path / "m.hilabel")
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist_is_named(saved, tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere does not exist; create it"):
        save_model(saved[0], tmp_path / "nowhere" / "m.hilabel")


# Refusals -----------------------------------------------------------------------------


def test_a_file_cut_short_is_refused(saved, tmp_path):
    data = saved[1].read_bytes()
    path = tmp_path / "short.hilabel"
    for length in (0, 1, 10, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        with pytest.raises(ModelFileError, match=r"short\.hilabel: "):
            load_model(path)


def test_every_changed_byte_is_noticed(saved, tmp_path):
    data = saved[1].read_bytes()
    path = tmp_path / "changed.hilabel"
    for place in np.linspace(0, len(data) - 1, 200).astype(int):
        changed = bytearray(data)
        changed[place] ^= 0x55
        path.write_bytes(changed)
        with pytest.raises(ModelFileError, match=r"changed\.hilabel: "):
            load_model(path)


def test_a_change_is_told_from_something_else(saved, tmp_path):
    path = tmp_path / "changed.hilabel"
    path.write_bytes(saved[1].read_bytes().replace(b"manifest.json", b"manifest.jsoN"))
    for read in (load_model, read_manifest):
        with pytest.raises(ModelFileError, match=r"checksum.*modified or damaged"):
            read(path)


@pytest.mark.parametrize("content", [b"", b"id,x\n1,2\n", b"\x80\x04pickle"])
def test_something_else_is_refused(content, tmp_path):
    path = tmp_path / "other.hilabel"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match="this is not a hilabel model file"):
        load_model(path)


def test_another_zip_file_is_refused(tmp_path):
    path = tmp_path / "other.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "a")
    with pytest.raises(ModelFileError, match="not a model of hilabel"):
        load_model(path)


def test_a_file_of_a_newer_version_is_refused(saved, tmp_path):
    def raise_format(manifest):
        manifest["format"] = 99
        manifest["versions"]["hilabel"] = "7.0"
        manifest["something new"] = []

    path = tmp_path / "new.hilabel"
    rewrite(saved[1], path, edit_json("manifest.json", raise_format))
    with pytest.raises(
        ModelFileError, match=r"format 99, written by hilabel 7\.0.*Upgrade hilabel"
    ):
        load_model(path)


def test_a_type_that_hilabel_does_not_know_is_refused(saved, tmp_path):
    def rename(tree):
        for entry in tree["entries"]:
            if entry.get("type") == "FeatureBins":
                entry["type"] = "subprocess.Popen"

    path = rewrite(saved[1], tmp_path / "m.hilabel", edit_json("model.json", rename))
    with pytest.raises(
        ModelFileError, match=r"type 'subprocess\.Popen', which hilabel"
    ):
        load_model(path)


class Leaves(GaussianNB):
    """A classifier that would leave a trace if an object of it were made."""

    trace: ClassVar[list[str]] = []

    def __setstate__(self, state):
        self.trace.append("loaded")
        super().__setstate__(state)


def test_a_foreign_type_is_refused_and_none_of_its_code_runs(problem, tmp_path):
    model = fitted(LocalClassifierPerNode(estimator=Leaves()), problem)
    path = tmp_path / "m.hilabel"
    name = f"{Leaves.__module__}.Leaves"
    with pytest.raises(ModelFileError, match="cannot be saved.*Leaves"):
        save_model(model, path)
    save_model(model, path, trusted=[name])
    Leaves.trace.clear()  # of its author, who has just tried to load it
    with pytest.raises(ModelFileError, match=r"contains an object of type .*Leaves"):
        load_model(path)
    assert Leaves.trace == []


@pytest.mark.parametrize(
    ("name", "value"),
    [("left", 10**6), ("feature", 10**6), ("roots", -5)],
)
def test_trees_that_lead_out_of_their_arrays_are_refused(name, value, saved, tmp_path):
    def spoil(members):
        tree = json.loads(members["model.json"])
        entry = next(e for e in tree["entries"] if e.get("type") == "NodeForests")
        array = tree["entries"][entry["state"][name]["ref"]]["array"]
        member = f"arrays/{array}.npy"
        values = np.load(io.BytesIO(members[member]))
        values[np.flatnonzero(values > 0)[0]] = value
        buffer = io.BytesIO()
        np.save(buffer, values)
        members[member] = buffer.getvalue()

    path = rewrite(saved[1], tmp_path / "m.hilabel", spoil)
    with pytest.raises(ModelFileError, match="NodeForests are inconsistent"):
        load_model(path)


@pytest.mark.parametrize("wrap", [lambda tree: tree, lambda tree: make_pipeline(tree)])
def test_trees_of_scikit_learn_that_lead_out_of_their_arrays_are_refused(wrap):
    X = np.random.default_rng(0).normal(size=(30, 3))
    tree = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 0)
    check_parts(wrap(tree))
    state = tree.tree_.__getstate__()
    leaf = np.flatnonzero(state["nodes"]["left_child"] == -1)[0]
    state["nodes"]["left_child"][leaf] = -2  # no leaf, nor any node
    state["nodes"]["feature"][leaf] = 10**8
    tree.tree_.__setstate__(state)
    with pytest.raises(ModelFileError, match="DecisionTreeClassifier are inconsistent"):
        check_parts(wrap(tree))


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("scores_", np.array([0.0, 0.7, 0.3, 1.0])),
        ("log_odds_", np.zeros(1)),
        ("offset_", np.full(5, np.nan)),
        ("slope_", np.ones(4)),
    ],
)
def test_a_calibration_that_leads_elsewhere_is_refused(name, wrong):
    random = np.random.default_rng(0)
    scores = random.random((20, 5))
    calibration = ScoreCalibration(Hierarchy(list("abcde"))).fit(scores > 0.5, scores)
    check_object(calibration, vars(calibration))
    setattr(calibration, name, wrong)
    with pytest.raises(ModelFileError, match="ScoreCalibration are inconsistent"):
        check_object(calibration, vars(calibration))


@pytest.fixture(scope="module")
def words():
    """Return a preparation with a column of text."""
    titles = [f"big pan {i}" if i % 2 else f"small lid {i}" for i in range(50)]
    return TablePreparation().fit(pd.DataFrame({"title": titles, "x": range(50)}))


def test_words_come_back_without_trust(words, tmp_path):
    path = save_model(words, tmp_path / "m.hilabel")
    assert "foreign.skops" not in zipfile.ZipFile(path).namelist()
    again = load_model(path)
    new = pd.DataFrame({"title": ["a small pan", None], "x": [1.0, 2.0]})
    np.testing.assert_array_equal(
        again.transform(new).toarray(), words.transform(new).toarray()
    )
    # Transforming leaves traces of this process, which no file has.
    assert save_model(again, tmp_path / "n.hilabel").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("input", "filename"),
        ("vocabulary_", {"dict": [["pan", 10**6]]}),
        ("vocabulary_", {"dict": [["pan", 0], ["lid", 0]]}),
        ("vocabulary_", {"dict": [["pan", 0]]}),
    ],
)
def test_words_that_lead_elsewhere_are_refused(name, value, words, tmp_path):
    def spoil(tree):
        found = (e for e in tree["entries"] if e.get("type") == "TfidfVectorizer")
        # The first is as it was given, not fitted.
        [entry] = [e for e in found if "vocabulary_" in e["state"]]
        entry["state"][name] = value

    path = save_model(words, tmp_path / "m.hilabel")
    path = rewrite(path, tmp_path / "n.hilabel", edit_json("model.json", spoil))
    with pytest.raises(ModelFileError, match=r"TfidfVectorizer(, got| are incons)"):
        load_model(path)


def test_trees_of_other_features_than_the_classifier_s_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    tree = DecisionTreeClassifier(random_state=0).fit(X, X[:, 0] > 0)
    tree.n_features_in_ = 2
    with pytest.raises(ModelFileError, match="DecisionTreeClassifier are inconsistent"):
        check_parts(tree)


def test_a_model_that_expects_other_features_than_its_bins_is_refused(
    problem, tmp_path
):
    model = PredictiveClusteringForest(problem.hierarchy, n_estimators=2)
    model.fit(problem.X_labeled, problem.Y_labeled)
    model.n_features_in_ += 1
    path = save_model(model, tmp_path / "m.hilabel")
    with pytest.raises(
        ModelFileError, match="PredictiveClusteringForest are inconsistent"
    ):
        load_model(path)


@pytest.mark.parametrize(
    ("member", "content"),
    [
        ("model.json", b"[" * 100_000 + b"]" * 100_000),
        ("model.json", '{"entries": [], "root": 0}'.encode("utf-16")),
        ("model.json", b'{"entries": [], "root": {"ref": -1}}'),
        ("model.json", b'{"entries": [], "root": {"float": "1"}}'),
        ("model.json", b'{"entries": [{"type": []}], "root": {"ref": 0}}'),
        ("model.json", b'{"entries": [], "root": {"dict": [[{"list": []}, 1]]}}'),
        ("manifest.json", b"[" * 100_000 + b"]" * 100_000),
        ("manifest.json", b'{"versions": {}, "format": 1}'),
        ("manifest.json", b'{"versions": 1, "format": 1, "kind": 1, "summary": {}}'),
    ],
)
def test_json_of_another_form_is_refused(member, content, saved, tmp_path):
    path = tmp_path / "m.hilabel"
    rewrite(saved[1], path, lambda members: members.update({member: content}))
    with pytest.raises(ModelFileError, match=r"m\.hilabel: "):
        load_model(path)


def test_another_object_than_the_manifest_says_is_refused(saved, tmp_path):
    def point_elsewhere(tree):
        tree["root"] = {"ref": 0}

    path = tmp_path / "m.hilabel"
    rewrite(saved[1], path, edit_json("model.json", point_elsewhere))
    with pytest.raises(ModelFileError, match="expected a LocalClassifierPerNode"):
        load_model(path)


def test_a_file_does_not_say_how_many_threads_run(saved, tmp_path):
    spoil = change_state("LocalClassifierPerNode", "n_jobs", 10**9)
    path = rewrite(saved[1], tmp_path / "m.hilabel", spoil)
    assert load_model(path).n_jobs == -1


def test_a_model_of_zeros_can_be_loaded_though_it_is_small(problem, tmp_path):
    model = PriorClassifier(problem.hierarchy)
    model.fit(problem.X_labeled, problem.Y_labeled)
    model.prior_ = np.zeros(2_000_000)  # folds a thousand times
    path = save_model(model, tmp_path / "m.hilabel")
    with pytest.raises(ModelFileError, match="PriorClassifier are inconsistent"):
        load_model(path)  # which is after its size was found right


# Networks -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved_network(problem, tmp_path_factory):
    """Return fitted networks and their file."""
    model = HierarchicalNetwork(
        problem.hierarchy, **SMALL["HierarchicalNetwork"], random_state=0
    )
    model.fit(problem.X_labeled, problem.Y_labeled)
    path = tmp_path_factory.mktemp("network") / "network.hilabel"
    return model, save_model(model, path)


def change_array(kind, change):
    """Return what replaces the first array of a kind in the first part."""

    def spoil(members):
        tree = json.loads(members["model.json"])
        entries = tree["entries"]
        if kind in ("mean", "spread"):
            place = next(e for e in entries if e.get("type") == "InputScaling")
            number = place["state"][kind]["ref"]
        else:
            place = next(e for e in entries if e.get("type") == "ShapeWeights")
            lists = dict(place["state"]["weights"]["dict"])
            number = lists[kind]["list"][0]["ref"]
        member = f"arrays/{entries[number]['array']}.npy"
        buffer = io.BytesIO()
        np.save(buffer, change(np.load(io.BytesIO(members[member]))))
        members[member] = buffer.getvalue()

    return spoil


def change_state(kind, name, node):
    """Return what replaces a value in the state of the first object of a type."""

    def change(tree):
        entry = next(e for e in tree["entries"] if e.get("type") == kind)
        assert name in entry["state"]
        entry["state"][name] = node

    return edit_json("model.json", change)


@pytest.mark.parametrize(
    "spoil",
    [
        change_array("weights", lambda array: array[:, :1]),
        change_array("weights", lambda array: array[:1]),
        change_array("weights", lambda array: array.astype(np.float64)),
        change_array("weights", lambda array: array * np.nan),
        change_array("weights", lambda array: array[0]),
        change_array("biases", lambda array: array.astype("U3")),
        change_array("mean", lambda array: array[:1]),
        change_array("spread", lambda array: array * 0),
        change_state("InputScaling", "largest", {"float": "inf"}),
        change_state("NetworkShape", "layers", {"tuple": [6, 10**12]}),
        change_state("NetworkShape", "layers", {"list": [6, 5]}),
        change_state("FittedNetworks", "parts", {"tuple": []}),
        change_state("FittedNetworks", "input_shape", {"tuple": [1, 2]}),
        change_state("FittedNetworks", "loss", "squared"),
        change_state("HierarchicalNetwork", "n_features_in_", 7),
    ],
)
def test_networks_whose_arrays_do_not_fit_are_refused(spoil, saved_network, tmp_path):
    path = rewrite(saved_network[1], tmp_path / "m.hilabel", spoil)
    with pytest.raises(ModelFileError, match="are inconsistent"):
        load_model(path)


@pytest.mark.parametrize(
    ("kind", "name", "node"),
    [
        ("ShapeWeights", "weights", {"dict": []}),
        ("ShapeWeights", "weights", {"list": []}),
        ("ShapeWeights", "shape", "deep"),
        ("FittedNetworks", "scaling", None),
        ("FittedNetworks", "parts", {"tuple": ["deep"]}),
        ("FittedNetworks", "input_shape", 2),
        ("InputScaling", "largest", "much"),
    ],
)
def test_networks_of_which_a_part_is_something_else_are_refused(
    kind, name, node, saved_network, tmp_path
):
    spoil = change_state(kind, name, node)
    path = rewrite(saved_network[1], tmp_path / "m.hilabel", spoil)
    with pytest.raises(ModelFileError, match="are inconsistent|cannot be loaded"):
        load_model(path)


def test_networks_for_another_hierarchy_are_refused(saved_network, tmp_path):
    model = copy(saved_network[0])
    model.hierarchy_ = Hierarchy(["a", "b"])
    with pytest.raises(ModelFileError, match="HierarchicalNetwork are inconsistent"):
        load_model(save_model(model, tmp_path / "m.hilabel"))


def test_networks_keep_their_curve_and_no_out_of_fold_scores(saved_network):
    model, path = saved_network
    again = load_model(path)
    assert again.curve_ == model.curve_
    assert again.shapes_ == model.shapes_
    assert not [name for name in vars(again) if name.startswith("oof")]


def make_weights(key, rows):
    return {"scale": np.float32(2)}


def scale_rows(weights, rows):
    return rows * weights["scale"]


class Scale:
    """A backbone in one object, as of another library."""

    def init(self, key, rows):
        return make_weights(key, rows)

    def apply(self, weights, rows):
        return scale_rows(weights, rows)


@pytest.fixture(scope="module")
def with_backbone(problem):
    model = HierarchicalNetwork(
        problem.hierarchy,
        backbone=(make_weights, scale_rows),
        shape={"layers": (), "dropout": 0, "swap": 0},
        n_members=2,
        max_steps=2,
        random_state=0,
    )
    return model.fit(problem.X_labeled, problem.Y_labeled)


@pytest.mark.parametrize(
    ("backbone", "names"),
    [
        ((make_weights, scale_rows), ["make_weights", "scale_rows"]),
        (Scale(), ["Scale"]),
    ],
)
def test_a_backbone_is_saved_and_loaded_where_it_is_trusted(
    backbone, names, with_backbone, problem, tmp_path
):
    model = copy(with_backbone).set_params(backbone=backbone)
    path = tmp_path / "m.hilabel"
    with pytest.raises(
        ModelFileError, match=rf"cannot be saved.*{names[0]}.*`trusted`"
    ):
        save_model(model, path)
    assert not list(tmp_path.iterdir())
    trusted = [f"{__name__}.{name}" for name in names]
    save_model(model, path, trusted=trusted)
    with pytest.raises(ModelFileError, match=rf"{names[0]}.* does not trust"):
        load_model(path)
    again = load_model(path, trusted=trusted)
    np.testing.assert_array_equal(
        again.predict_proba(problem.X_test), model.predict_proba(problem.X_test)
    )


def test_a_backbone_without_a_name_cannot_be_saved(with_backbone, tmp_path):
    nameless = (make_weights, lambda weights, rows: rows * weights["scale"])
    model = copy(with_backbone).set_params(backbone=nameless)
    with pytest.raises(ModelFileError, match="cannot be saved"):
        save_model(model, tmp_path / "m.hilabel", trusted=[f"{__name__}.<lambda>"])
    assert not list(tmp_path.iterdir())


def test_an_entry_that_is_missing_is_refused(saved, tmp_path):
    def forget(members):
        del members["arrays/0.npy"]

    path = rewrite(saved[1], tmp_path / "m.hilabel", forget)
    with pytest.raises(ModelFileError, match="cannot be loaded"):
        load_model(path)


def test_an_array_of_pickled_objects_is_refused(saved, tmp_path):
    def pickle_it(members):
        buffer = io.BytesIO()
        np.save(buffer, np.array([object], dtype=object), allow_pickle=True)
        members["arrays/0.npy"] = buffer.getvalue()

    path = rewrite(saved[1], tmp_path / "m.hilabel", pickle_it)
    with pytest.raises(ModelFileError, match="allow_pickle=False"):
        load_model(path)


def test_another_version_of_scikit_learn_is_told(problem, tmp_path):
    model = fitted(LocalClassifierPerNode(estimator=GaussianNB()), problem)
    source = save_model(model, tmp_path / "a.hilabel")

    def age(manifest):
        manifest["versions"]["scikit-learn"] = "0.1"

    path = rewrite(source, tmp_path / "b.hilabel", edit_json("manifest.json", age))
    with pytest.warns(HilabelWarning, match=r"scikit-learn 0\.1; this is"):
        load_model(path)
