"""Shared work gives what separate work gives."""

from itertools import product

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.forests import ForestClassifier
from hilabel.metrics import hierarchy_violations
from hilabel.semi_supervised import SSHCBLI, SSHMCBLI, STHC, STML, LabelSpreading
from hilabel.studies import CellSpec, DatasetSpec, Preprocessing
from hilabel.studies._user_code import find_function
from hilabel.studies._workbench import Workbench

DATA = DatasetSpec(
    "dag",
    "synthetic",
    (("n_nodes", 8), ("n_samples", 200), ("random_state", 1), ("structure", "dag")),
)
RAW = Preprocessing()
RANDOM = {"negatives_order": "random"}


@pytest.fixture
def bench():
    return Workbench(CellSpec(DATA, 0.3, 1, 0))


def variants(hierarchy):
    for variant, k, threshold in product(
        ("v1", "v2", "v3"), (3, 4, 5), (0.3, 0.5, 0.7)
    ):
        yield SSHMCBLI(
            hierarchy,
            estimator=ForestClassifier(5),
            variant=variant,
            n_neighbors=k,
            similarity_threshold=threshold,
            random_state=7,
        )


def test_the_grid_of_the_paper_equals_separate_fits_bit_for_bit(bench):
    splits = bench.splits
    trained = set()
    for model in variants(splits.hierarchy):
        trial = bench.trial(model, RAW)
        trained.add(trial.key)
        alone = type(model)(**model.get_params(deep=False))
        alone.fit(splits.train.X, bench.Y)
        for split in ("valid", "test"):
            expected = alone.predict_proba(getattr(splits, split).X)
            np.testing.assert_array_equal(bench.scores(trial, split), expected)
        assert trial.history.facts["n_passes"] == alone.n_iter_
    # Some of the 27 arrive at the same training set and are trained once.
    assert 1 < len(trained) < 27
    assert bench.seconds_saved > 0


def test_the_same_training_set_is_trained_on_once(bench):
    first, second = (
        bench.trial(SSHMCBLI(bench.splits.hierarchy, random_state=0), RAW)
        for _ in range(2)
    )
    assert first.key == second.key
    scores = bench.scores(first, "valid")
    assert bench.seconds_saved == 0
    assert bench.scores(second, "valid") is scores
    assert second.fitted is None
    saved = bench.seconds_saved
    assert saved > 0
    # Scores that nobody has asked for yet need the model after all.
    np.testing.assert_array_equal(
        bench.scores(second, "test"), bench.scores(first, "test")
    )
    assert second.fitted is not None


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ({"random_state": 0}, {"random_state": 1}),
        ({"random_state": 0}, {"random_state": 0, "profile": RANDOM}),
        (
            {"random_state": 0, "estimator": ForestClassifier(5)},
            {"random_state": 0, "estimator": ForestClassifier(6)},
        ),
    ],
)
def test_what_differs_is_not_shared(bench, left, right):
    hierarchy = bench.splits.hierarchy
    keys = {bench.trial(SSHMCBLI(hierarchy, **p), RAW).key for p in (left, right)}
    assert len(keys) == 2


def test_features_prepared_otherwise_are_not_shared(bench):
    keys = {
        bench.trial(PriorClassifier(bench.splits.hierarchy), preprocessing).key
        for preprocessing in (RAW, Preprocessing(scaling="standard"))
    }
    assert len(keys) == 2


def test_calibration_makes_another_method(bench):
    hierarchy = bench.splits.hierarchy
    plain, prior = (
        bench.trial(
            LocalClassifierPerNode(
                hierarchy,
                estimator=ForestClassifier(5),
                policy="balanced_bottom_up",
                calibration=calibration,
                random_state=0,
            ),
            RAW,
        )
        for calibration in (None, "prior")
    )
    assert (bench.scores(plain, "test") != bench.scores(prior, "test")).any()


def test_labels_are_hidden_as_the_cell_says(bench):
    n_labeled = (bench.Y >= 0).all(axis=1).sum()
    assert n_labeled == round(0.3 * len(bench.Y))
    np.testing.assert_array_equal(bench.Y, Workbench(bench.cell).Y)
    other = Workbench(CellSpec(DATA, 0.3, 2, 0))
    assert (bench.Y != other.Y).any()


def test_nested_cells_only_ever_add_rows():
    fractions = (0.2, 0.5)
    few, more = (
        (Workbench(CellSpec(DATA, f, 1, 0, nested_in=fractions)).Y >= 0).all(axis=1)
        for f in fractions
    )
    assert few.sum() == 20
    assert more.sum() == 50
    assert not (few & ~more).any()


def test_a_method_that_refuses_the_problem_refuses_it_here_too(bench):
    with pytest.raises(ValueError, match="SSHCBLI"):
        bench.trial(SSHCBLI(bench.splits.hierarchy, random_state=0), RAW)


def test_a_capped_method_takes_the_scores_of_its_twin(bench):
    hierarchy = bench.splits.hierarchy
    params = {"estimator": ForestClassifier(5), "random_state": 3}
    raw = bench.trial(STML(hierarchy, **params), RAW)
    capped = bench.trial(STHC(hierarchy, **params), RAW)
    assert raw.key == capped.key
    raw_scores, capped_scores = bench.scores(raw, "test"), bench.scores(capped, "test")
    assert capped.fitted is None
    assert capped.history is raw.history
    assert hierarchy_violations(raw_scores, hierarchy).n_cells > 0
    alone = STHC(hierarchy, **params).fit(bench.splits.train.X, bench.Y)
    np.testing.assert_array_equal(
        capped_scores, alone.predict_proba(bench.splits.test.X)
    )


def test_a_method_can_be_given_the_labelled_rows_alone(bench):
    hierarchy, train = bench.splits.hierarchy, bench.splits.train
    labeled = (bench.Y != -1).any(axis=1)
    alone = bench.trial(LabelSpreading(hierarchy), RAW, unlabeled=False)
    found = bench.scores(alone, "test")
    expected = LabelSpreading(hierarchy).fit(train.X[labeled], train.Y[labeled])
    test = bench.splits.test.X
    np.testing.assert_array_equal(found, expected.predict_proba(test))
    with_them = bench.trial(LabelSpreading(hierarchy), RAW)
    assert with_them.key != alone.key
    assert not np.array_equal(bench.scores(with_them, "test"), found)


def test_functions_of_a_file_tell_trials_apart(bench, tmp_path):
    keys = []
    for text in ("return X", "return -X", "return X"):
        (tmp_path / "mine.py").write_text(
            "from sklearn.preprocessing import FunctionTransformer\n"
            f"def step(X):\n    {text}\nplus = lambda X: X + 1\n"
        )
        for name in ("step", "plus"):
            transformer = FunctionTransformer(
                find_function(f"mine.py:{name}", tmp_path)
            )
            model = LocalClassifierPerNode(
                bench.splits.hierarchy,
                estimator=make_pipeline(transformer, GaussianNB()),
            )
            keys.append(bench.trial(model, RAW).key)
    steps, lambdas = keys[::2], keys[1::2]
    assert steps[0] == steps[2] != steps[1]
    # These cannot be pickled, so nothing can be said about them.
    assert len(set(lambdas)) == 3
