"""What is tried by default, as it ships, and why the rest is not."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import (
    LinearClassifier,
    NeighborsClassifier,
    PredictiveClusteringForest,
)
from hilabel.judgement import judge
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import (
    Blend,
    Candidate,
    _blend,
    _blend_candidates,
    members_sentence,
)
from hilabel.semi_supervised._blend_candidates import Proposal, default_candidates

TREE = Hierarchy.from_edges(
    [("all", "a"), ("all", "b"), ("a", "c"), ("a", "d"), ("b", "e"), ("b", "f")],
    nodes=["all", "a", "b", "c", "d", "e", "f", "g"],
)
N_CANDIDATES = 19  # for dense rows


def small(n_labeled=60, n_unlabeled=60, seed=0):
    """Rows whose leaves follow a column each; all have the root."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n_labeled + n_unlabeled, 10))
    labels = np.zeros((len(rows), 8), dtype=np.int8)
    for column, name in enumerate("cdefg"):
        noisy = rows[:, column] + 0.5 * rng.normal(size=len(rows))
        labels[:, TREE.node(name)] = noisy > 0.8
    labels[:, TREE.node("all")] = 1
    labels = TREE.close(labels)
    labels[n_labeled:] = -1
    return rows, labels


def data_of(rows, labels, hierarchy=TREE):
    table = labels if isinstance(labels, LabelMatrix) else LabelMatrix.of(labels)
    data = Blend(hierarchy).check_training_data(rows, table)
    return replace(data, fold=draw_folds(data.Y))


def why_not(data):
    return {name: one.why_not for name, one in default_candidates(data).items()}


# Reasons ------------------------------------------------------------------------------


def test_all_are_tried_where_nothing_speaks_against_it():
    reasons = why_not(data_of(*small()))
    assert len(reasons) == N_CANDIDATES
    assert set(reasons.values()) == {""}


def test_without_unlabelled_rows_what_needs_them_says_so():
    reasons = why_not(data_of(*small(n_unlabeled=0)))
    assert len(reasons) == N_CANDIDATES
    lacking = {name for name, told in reasons.items() if told}
    assert {reasons[name] for name in lacking} == {"there are no unlabelled rows"}
    assert {name for name in lacking if "views" not in name} == {
        "spreading",
        "spreading, far",
        "SSHMC-BLI, forest",
    }


def test_a_missing_value_leaves_out_the_method_that_needs_complete_rows():
    rows, labels = small()
    rows[100, 3] = np.nan
    reasons = why_not(data_of(rows, labels))
    assert {name for name, told in reasons.items() if told} == {"SSHMC-BLI, forest"}
    assert "missing (NaN)" in reasons["SSHMC-BLI, forest"]


def test_few_rows_many_rows_and_sparse_rows_leave_out_some():
    assert why_not(data_of(*small(4)))["SSHMC-BLI, forest"] == (
        "it needs 5 labelled rows"
    )
    rows, labels = small(1_001, 100)
    reasons = why_not(data_of(sp.csr_array(rows), labels))
    assert "more than 1,000 labelled rows" in reasons["network, consistency"]
    assert reasons["network, views"] == "there are fewer unlabelled than labelled rows"
    rows, labels = small(60, 60)
    reasons = why_not(data_of(sp.csr_array(rows), labels))
    assert reasons["network, views"] == "it needs dense columns"


def test_without_jax_networks_say_how_to_get_it(monkeypatch):
    monkeypatch.setattr(_blend_candidates, "find_spec", lambda name: None)
    reasons = why_not(data_of(*small()))
    told = {name for name, why in reasons.items() if "hilabel[networks]" in why}
    assert told == {
        "network, light",
        "network",
        "network, consistency",
        "network, views",
    }


# As it ships --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def shipped():
    """The default method with time for all, networks too, and out-of-fold scores."""
    blend = Blend(TREE, effort="best", n_jobs=1, random_state=0)
    return score_out_of_fold(blend, data_of(*small()))


def test_every_candidate_was_tried_and_several_are_kept(shipped):
    candidates = shipped.model.candidates_
    assert isinstance(candidates, tuple)
    assert len(candidates) == N_CANDIDATES + 1  # label frequencies
    assert {one.status for one in candidates} == {"kept", "tried"}
    assert all(np.isfinite(one.score) for one in candidates)
    kept = [one for one in candidates if one.status == "kept"]
    assert len(kept) > 1
    assert [one.name for one in kept] == list(shipped.model.members_)
    assert all((one.share > 0) == (one.status == "kept") for one in candidates)
    told = shipped.model.members_sentence
    assert told.startswith(
        f"mean of {len(kept)} of the {len(candidates)} models tried: "
    )


def test_its_numbers_are_those_of_the_judgement(shipped):
    judgement = judge(shipped, TREE, method="Blend").judgement
    gain, last = shipped.model.unlabeled_gain_, shipped.model.candidates_[-1]
    assert not judgement.informative[TREE.node("all")]
    own = gain.score_with if gain.helps else gain.score_without
    assert own == judgement.raw.micro
    assert last.name == "constant predictor"
    assert last.score == judgement.constant.micro
    assert judgement.raw.micro > judgement.constant.micro + 0.1


def test_its_folds_are_those_that_are_given(shipped):
    data = data_of(*small())
    forest = PredictiveClusteringForest(TREE, oob_score=False, n_jobs=1)
    seed = np.random.RandomState(0).randint(np.iinfo(np.int32).max)
    found = score_out_of_fold(
        forest.set_params(random_state=seed), data.without_unlabeled()
    )
    judgement = judge(found, TREE, method="forest").judgement
    first = shipped.model.candidates_[0]
    assert (first.name, first.score) == ("forest", judgement.raw.micro)


def test_the_model_keeps_no_scores_and_is_saved_with_all_members(shipped, tmp_path):
    model = shipped.model
    for one in (model, *model.members_.values()):
        assert not [name for name in vars(one) if name.startswith("oof")]
    save_model(model, tmp_path / "blend.hilabel")
    loaded = load_model(tmp_path / "blend.hilabel")
    rows = small(seed=1)[0]
    np.testing.assert_array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    assert loaded.candidates_ == model.candidates_
    assert loaded.members_sentence == model.members_sentence


# Very many cells ----------------------------------------------------------------------


def genome(n_rows, n_nodes, per_row=50, seed=0):
    """Sparse rows with labels that the columns tell; a flat hierarchy."""
    rng = np.random.default_rng(seed)
    columns = rng.integers(0, n_nodes, (n_rows, per_row))
    labels = sp.csr_array(
        (
            np.ones(columns.size, dtype=bool),
            (np.repeat(np.arange(n_rows), per_row), columns.ravel()),
        ),
        shape=(n_rows, n_nodes),
    )
    rows = labels[:, :300].astype(np.float64)
    table = LabelMatrix.of_rows(labels, np.ones(n_rows, dtype=bool))
    hierarchy = Hierarchy([f"n{node}" for node in range(n_nodes)])
    return data_of(rows, table, hierarchy)


@pytest.fixture(scope="module")
def many():
    """The default method with many cells, and little time for them."""
    data = genome(1_700, 3_000, per_row=10)
    blend = Blend(budget=0.5, n_jobs=1, random_state=0)
    return score_out_of_fold(blend, data)


def test_with_little_time_the_fastest_is_left_and_it_says_so(many):
    *candidates, constant = many.model.candidates_
    tried = [one for one in candidates if one.was_tried]
    assert len(tried) == 1
    skipped = [one for one in candidates if one.status == "skipped"]
    assert len(skipped) == len(candidates) - 1
    timed = [one for one in skipped if one.reason.startswith("it does not fit")]
    assert timed
    assert all(one.expected_seconds > 0.5 for one in timed)
    assert constant.status in ("kept", "tried")
    assert f"{len(skipped)} were not tried" in many.model.members_sentence


def test_scores_of_very_many_cells_are_of_all_rows(many):
    judgement = judge(many, many.model.hierarchy_, method="Blend").judgement
    assert many.model.candidates_[-1].score == judgement.constant.micro
    assert many.scores.shape == (1_700, 3_000)


def test_a_file_grows_with_labels_rather_than_with_cells(tmp_path):
    # A tenth of the rows and of the nodes of a genome, and as many labels per row. What
    # is stored grows with the rows and their labels, so ten times this is its file.
    data = genome(2_000, 1_100)
    candidates = {
        "forest": PredictiveClusteringForest(n_jobs=1),
        "neighbours": NeighborsClassifier(n_neighbors=10, scale=False),
    }
    model = Blend(candidates=candidates, random_state=0).fit_checked(data)
    for name, one in candidates.items():
        save_model(clone(one).fit_checked(data), tmp_path / name)
        assert (tmp_path / name).stat().st_size < 10e6
    save_model(model, tmp_path / "blend")
    assert (tmp_path / "blend").stat().st_size < 20e6


# Failures -----------------------------------------------------------------------------


@dataclass(eq=False, repr=False, kw_only=True)
class Failing(LinearClassifier):
    """A model whose library fails."""

    def _fit(self, data):
        raise RuntimeError("out of memory on the device")


def test_a_default_that_fails_is_left_out_with_a_warning(monkeypatch):
    monkeypatch.setattr(
        _blend,
        "default_candidates",
        lambda data: {
            "logistic": Proposal(LinearClassifier()),
            "failing": Proposal(Failing()),
        },
    )
    with pytest.warns(UserWarning, match="'failing' failed and is left out"):
        model = Blend(TREE, random_state=0).fit(*small())
    logistic, failing, _ = model.candidates_
    assert logistic.was_tried
    assert (failing.status, failing.reason) == (
        "failed",
        "RuntimeError: out of memory on the device",
    )
    assert np.isnan(failing.score)


def test_a_candidate_of_the_user_raises_its_error():
    model = Blend(TREE, candidates={"easy": LinearClassifier(), "mine": Failing()})
    with pytest.raises(RuntimeError, match="out of memory"):
        model.fit(*small())


# Sentences ----------------------------------------------------------------------------


def candidate(name, status, share=0.0, reason=""):
    return Candidate(name, False, status, share=share, reason=reason)


@pytest.mark.parametrize(
    ("candidates", "told"),
    [
        (
            [candidate("forest", "kept", 1.0), candidate("views", "tried")],
            "a single model, forest, the best of the 2 models tried",
        ),
        (
            [
                candidate("forest", "kept", 1.0),
                candidate("views", "skipped", reason="too many cells"),
                candidate("network", "skipped", reason="too many cells"),
                candidate("constant predictor", "tried"),
            ],
            "a single model, forest; 2 were not tried: too many cells",
        ),
        (
            [
                candidate("forest", "kept", 0.75),
                candidate("network", "kept", 0.25),
                candidate("views", "failed", reason="RuntimeError: no"),
            ],
            "mean of 2 of the 2 models tried: forest (75 %), network (25 %); 1 was not "
            "tried",
        ),
    ],
)
def test_a_sentence_says_what_is_averaged(candidates, told):
    assert members_sentence(candidates) == told
