"""Parts of scikit-learn, of which compiled code follows the numbers anywhere."""

import io
import json
import zipfile
from copy import deepcopy

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from hilabel.exceptions import ModelFileError
from hilabel.persistence._bundle import check_bundle
from hilabel.persistence._foreign import check_parts, dump_foreign, load_foreign
from hilabel.persistence._trial import is_usable

X = np.random.default_rng(0).normal(size=(30, 3))
Y = X[:, 0] > 0


@pytest.fixture(scope="module")
def forest():
    return RandomForestClassifier(2, random_state=0).fit(X, Y)


@pytest.fixture(scope="module")
def bundle():
    tree = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, Y)
    return dump_foreign([tree], ())


def changed(bundle, change):
    """Return a bundle with another schema or other members."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as file:
        members = {name: file.read(name) for name in file.namelist()}
    schema = json.loads(members["schema.json"])
    [tree] = schema["content"]
    change(schema, tree["content"]["content"]["tree_"], members)
    members["schema.json"] = json.dumps(schema).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, content in members.items():
            file.writestr(name, content)
    return buffer.getvalue()


def more_nodes(schema, tree, members):
    tree["content"]["content"]["node_count"]["content"] = "1000000"


def more_outputs(schema, tree, members):
    tree["__reduce__"]["args"]["content"][2]["content"] = "1000000000000"


def another_of_that_number(schema, tree, members):
    node = deepcopy(tree["content"]["content"]["node_count"])
    node["content"] = "1000000"
    schema["content"].insert(0, node)


def fewer_values(schema, tree, members):
    name = tree["content"]["content"]["values"]["file"]
    buffer = io.BytesIO()
    np.save(buffer, np.load(io.BytesIO(members[name]))[:1])
    members[name] = buffer.getvalue()


def older_format(schema, tree, members):
    schema["protocol"] = 0


def call_something(schema, tree, members):
    schema["content"].append({"__loader__": "OperatorFuncNode"})


def test_a_tree_as_it_was_saved_is_loaded(bundle):
    check_bundle(bundle)
    [again] = load_foreign(bundle, ())
    assert again.score(X, Y) > 0.9


@pytest.mark.parametrize(
    "change",
    [
        more_nodes,
        more_outputs,
        another_of_that_number,
        fewer_values,
        older_format,
        call_something,
    ],
)
def test_a_changed_tree_is_refused_before_it_is_made(change, bundle):
    with pytest.raises(
        ModelFileError, match="tree|the same number|protocol|would create"
    ):
        check_bundle(changed(bundle, change))


def test_a_forest_whose_trees_ask_for_other_features_is_refused(forest):
    check_parts(forest)
    spoiled = deepcopy(forest)
    spoiled.n_features_in_ = 2
    with pytest.raises(ModelFileError, match="RandomForestClassifier are inconsistent"):
        check_parts(spoiled)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_classes_", 10**12),
        ("n_outputs_", 10**12),
        ("n_jobs", 0),
        ("extra_", np.array([1e300])),
        ("extra_", sp.coo_array(np.eye(2))),
    ],
)
def test_other_numbers_of_a_forest_are_refused(name, value, forest):
    spoiled = deepcopy(forest)
    setattr(spoiled, name, value)
    with pytest.raises(ModelFileError, match="are inconsistent|number of jobs"):
        check_parts(spoiled)


def test_more_jobs_than_cores_are_all_cores(forest):
    spoiled = deepcopy(forest).set_params(n_jobs=10**9)
    check_parts(spoiled)
    assert spoiled.n_jobs == -1


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_y", np.full(30, 7)),
        ("_y", np.full(30, -1)),
        ("n_samples_fit_", 10**9),
        ("n_neighbors", 31),
        ("_fit_X", X[:, :2]),
        ("_fit_method", "kd_tree"),
        ("effective_metric_", "precomputed"),
    ],
)
def test_neighbors_that_are_not_there_are_refused(name, value):
    model = KNeighborsClassifier(3, algorithm="brute").fit(X, Y)
    check_parts(model)
    setattr(model, name, value)
    with pytest.raises(ModelFileError, match="KNeighborsClassifier are inconsistent"):
        check_parts(model)


def test_classes_that_nobody_checks_need_trust():
    with pytest.raises(ModelFileError, match=r"sklearn\.svm.*SVC.*`trusted`"):
        dump_foreign([SVC().fit(X, Y)], ())
    bundle = dump_foreign([SVC().fit(X, Y)], ["sklearn.svm._classes.SVC"])
    with pytest.raises(ModelFileError, match="SVC, which hilabel does not trust"):
        load_foreign(bundle, ())


def test_what_gives_no_probabilities_is_not_usable():
    model = LogisticRegression().fit(X, Y)
    assert is_usable(model, 2)
    assert not is_usable(model, 3)
    model.coef_ = np.full_like(model.coef_, np.nan)
    assert not is_usable(model, 2)


def test_a_division_by_zero_shows_in_a_trial():
    model = GaussianNB().fit(X, Y)
    model.var_ = np.zeros_like(model.var_)
    with pytest.raises(FloatingPointError, match="divide by zero"):
        is_usable(model, 2)
