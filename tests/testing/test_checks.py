"""The checks can fail: each finds the estimator that is broken in its own way."""

import warnings
from unittest import SkipTest

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from hilabel import testing
from hilabel.classifiers import (
    HMCBR,
    LocalClassifierPerNode,
    MethodTags,
    PriorClassifier,
)
from hilabel.hierarchy import Hierarchy
from hilabel.semi_supervised import SSHMCBLI
from hilabel.testing import make_problem

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


# Predictions --------------------------------------------------------------------------


class ScoresChildrenAboveParents(PriorClassifier):
    def _predict_scores(self, X):
        return 1 - super()._predict_scores(X)


class ScoresAboveOne(PriorClassifier):
    def _predict_scores(self, X):
        return super()._predict_scores(X) + 1


class ScoresNothing(PriorClassifier):
    def _predict_scores(self, X):
        return super()._predict_scores(X) * np.nan


class ForgetsANode(PriorClassifier):
    def _predict_scores(self, X):
        return super()._predict_scores(X)[:, 1:]


class PredictsOrphans(PriorClassifier):
    def _predict_labels(self, X):
        labels = np.zeros((X.shape[0], self.hierarchy_.n_nodes), dtype=bool)
        labels[:, self.hierarchy_.leaves] = True
        return labels


class PredictsTwos(PriorClassifier):
    def predict(self, X):
        return 2 * super().predict(X)


class PredictsSeveralPathsButClaimsOne(PriorClassifier):
    method_tags = MethodTags(structure="T", paths="SPL")

    def _predict_labels(self, X):
        return np.ones((X.shape[0], self.hierarchy_.n_nodes), dtype=bool)


class ScalesByTheBatch(PriorClassifier):
    def _predict_scores(self, X):
        return super()._predict_scores(X) * (X[:, :1] / X[:, :1].max() > 0.5)


class FollowsTheRowNumber(PriorClassifier):
    def _predict_scores(self, X):
        # Alone or among others makes no difference to an even row number.
        return super()._predict_scores(X) / (1 + np.arange(X.shape[0]) % 2)[:, None]


class InventsAnEdge(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        super().fit(X, Y, X_unlabeled)
        if self.hierarchy is None:
            self.hierarchy_ = Hierarchy.from_edges([("0", "1")])
        return self


class LosesItsPriorInThePickle(PriorClassifier):
    def __getstate__(self):
        state = super().__getstate__()
        state["prior_"] = np.zeros_like(state["prior_"])
        return state


# Inputs -------------------------------------------------------------------------------


class ReadsSetsBackwards(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        if isinstance(Y, list) and isinstance(Y[0], set):
            Y = Y[::2] + Y[::2]
        return super().fit(X, Y, X_unlabeled)


class WantsDoubles(PriorClassifier):
    def _fit(self, data):
        super()._fit(data)
        self.prior_ = self.prior_ * self.halved_

    def fit(self, X, Y, X_unlabeled=None):
        self.halved_ = 1.0 if X.dtype == np.float64 else 0.5
        return super().fit(X, Y, X_unlabeled)


class ReadsTheMemory(PriorClassifier):
    def predict_proba(self, X):
        scores = super().predict_proba(X)
        return scores if np.asarray(X).flags.c_contiguous else scores / 2


class KeepsRowsAsTheyLie(LocalClassifierPerNode):
    def _check_rows(self, X, *, reset):
        super()._check_rows(X, reset=reset)
        return np.asarray(X)


class CountsOnlyDenseRows(PriorClassifier):
    def _fit(self, data):
        super()._fit(data)
        if sp.issparse(data.X_labeled):
            self.prior_ = self.prior_ / 2


class ForgetsFeatureNames(PriorClassifier):
    def _fit(self, data):
        super()._fit(data)
        vars(self).pop("feature_names_in_", None)


class IgnoresSetOutput(PriorClassifier):
    def set_output(self, *, transform=None):
        return self


class WritesToX(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        super().fit(X, Y, X_unlabeled)
        np.asarray(X)[0] += 1
        return self


class ClosesYInPlace(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        if self.hierarchy is not None and isinstance(Y, np.ndarray):
            Y[:] = self.hierarchy.close(Y)
        return super().fit(X, Y, X_unlabeled)


class WritesToXUnlabeled(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        super().fit(X, Y, X_unlabeled)
        if X_unlabeled is not None:
            X_unlabeled[0, 0] = 99
        return self


class WritesToNewRows(PriorClassifier):
    def predict(self, X):
        X[0] = 0
        return super().predict(X)


class DropsStoredZeros(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        if sp.issparse(X):
            X.eliminate_zeros()
        return super().fit(X, Y, X_unlabeled)


class FillsUnlabeledCells(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        partly = (Y == -1).any(axis=1) & ~(Y == -1).all(axis=1)
        Y = np.where(partly[:, None] & (Y == -1), 0, Y) if Y.ndim == 2 else Y
        return super().fit(X, Y, X_unlabeled)


class TakesTwos(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        return super().fit(X, np.minimum(Y, 1), X_unlabeled)


class TakesPartsUnasked(FillsUnlabeledCells):
    method_tags = MethodTags()


class ClaimsToKnowTreesAlone(PriorClassifier):
    method_tags = MethodTags(structure="T")


class CutsWideRows(PriorClassifier):
    def _check_new_rows(self, X):
        return X


class PredictsUnfitted(PriorClassifier):
    prior_ = 0.0

    def predict_proba(self, X):
        return np.zeros((len(X), 1))

    predict = predict_proba


# The estimator as an object -----------------------------------------------------------


class LosesItsHierarchy(PriorClassifier):
    def __sklearn_clone__(self):
        return type(self)() if hasattr(self, "prior_") else type(self)(self.hierarchy)


class WritesToItsParameters(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        super().fit(X, Y, X_unlabeled)
        self.hierarchy = Hierarchy(self.hierarchy_.names, self.hierarchy_.edges)
        return self


class RemembersTheLastFit(PriorClassifier):
    def _fit(self, data):
        before = getattr(self, "prior_", 0)
        super()._fit(data)
        self.prior_ = (self.prior_ + before) / 2


class DependsOnJobs(PriorClassifier):
    def __init__(self, hierarchy=None, n_jobs=None):
        super().__init__(hierarchy)
        self.n_jobs = n_jobs

    def _fit(self, data):
        super()._fit(data)
        self.prior_ = self.prior_ / (self.n_jobs or 1)


class ThrowsDice(PriorClassifier):
    def __init__(self, hierarchy=None, random_state=None):
        super().__init__(hierarchy)
        self.random_state = random_state

    def _fit(self, data):
        super()._fit(data)
        self.prior_ = self.prior_ * np.random.default_rng().random()


class UsesTheGlobalState(ThrowsDice):
    def _fit(self, data):
        PriorClassifier._fit(self, data)
        np.random.rand()  # noqa: NPY002 - the very mistake


# Unlabelled rows ----------------------------------------------------------------------


class ReadsUnlabeledAsNegative(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        Y = np.where(Y == -1, 0, Y)
        return super().fit(X, Y, X_unlabeled)


class ReadsNaNAsNegative(PriorClassifier):
    def fit(self, X, Y, X_unlabeled=None):
        return super().fit(X, np.nan_to_num(Y, nan=0), X_unlabeled)


class IgnoresXUnlabeled(SSHMCBLI):
    def fit(self, X, Y, X_unlabeled=None):
        return super().fit(X, Y)


class ChangesGivenLabels(SSHMCBLI):
    def _fit(self, data):
        super()._fit(data)
        self.transduction_[data.labeled_rows[0]] = 1


class CallsLeftOutRowsEmpty(SSHMCBLI):
    def _fit(self, data):
        super()._fit(data)
        self.transduction_[data.unlabeled_rows[:1]] = 0


class ProposesOrphans(SSHMCBLI):
    def _fit(self, data):
        super()._fit(data)
        leaf = data.hierarchy.node("a11")
        self.transduction_[data.unlabeled_rows[:1]] = 0
        self.transduction_[data.unlabeled_rows[:1], leaf] = 1


class LabelsInPart(SSHMCBLI):
    def _fit(self, data):
        super()._fit(data)
        self.transduction_[data.unlabeled_rows[:1], 0] = -1
        self.transduction_[data.unlabeled_rows[:1], 1] = 1


class LabelsTheFirstRowOnly(SSHMCBLI):
    def _fit(self, data):
        super()._fit(data)
        self.transduction_[data.unlabeled_rows[1:]] = -1
        self.transduction_[data.unlabeled_rows[:1]] = 1


class NeverWarns(SSHMCBLI):
    def fit(self, X, Y, X_unlabeled=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return super().fit(X, Y, X_unlabeled)


class ClaimsToLabelNothing(SSHMCBLI):
    method_tags = MethodTags(semi_supervised=True)


class ClaimsToLabelRows(PriorClassifier):
    method_tags = MethodTags(transductive=True)


class IsNotItsBase(SSHMCBLI):
    def _predict_scores(self, X):
        return super()._predict_scores(X) / 2


BROKEN = [
    (ScoresChildrenAboveParents(), "check_predictions", "above its parent"),
    (ScoresAboveOne(), "check_predictions", r"expected scores in \[0, 1\]"),
    (ScoresNothing(), "check_predictions", "not finite"),
    (ForgetsANode(), "check_predictions", "expected shape"),
    (PredictsOrphans(), "check_predictions", "has the node but not the parent"),
    (PredictsTwos(), "check_predictions", "other than 0 and 1"),
    (PredictsSeveralPathsButClaimsOne(), "check_predictions", "exclude"),
    (ScalesByTheBatch(), "check_batch_independence", "different values alone"),
    (FollowsTheRowNumber(), "check_row_order", "depends on the order of the rows"),
    (InventsAnEdge(), "check_hierarchy_none", "expected hierarchy_ with nodes"),
    (LosesItsPriorInThePickle(), "check_pickle", "pickling changes the model"),
    (ReadsSetsBackwards(), "check_label_forms", "Y given as list of sets"),
    (WantsDoubles(), "check_feature_dtypes", "X of float32 gives a different model"),
    (ReadsTheMemory(), "check_memory_layout", "equal rows in Fortran order"),
    (KeepsRowsAsTheyLie(estimator=GaussianNB()), "check_memory_layout", "differs"),
    (CountsOnlyDenseRows(), "check_sparse_features", "than dense X"),
    (ForgetsFeatureNames(), "check_data_frames", "feature_names_in_"),
    (IgnoresSetOutput(), "check_data_frames", "after set_output"),
    (WritesToX(), "check_inputs_unchanged", ": X was modified"),
    (ClosesYInPlace(), "check_inputs_unchanged", ": Y was modified"),
    (WritesToXUnlabeled(), "check_inputs_unchanged", "X_unlabeled was modified"),
    (WritesToNewRows(), "check_inputs_unchanged", "X_test was modified"),
    (DropsStoredZeros(), "check_sparse_inputs_unchanged", "sparse X was modified"),
    (FillsUnlabeledCells(), "check_partial_labels", "same effect as cells of 0"),
    (TakesTwos(), "check_invalid_labels", "accepts Y with a value of 2"),
    (TakesPartsUnasked(), "check_partial_labels", "partially unlabelled rows, which"),
    (ClaimsToKnowTreesAlone(), "check_unhandled_problems", "which method_tags exclude"),
    (CutsWideRows(), "check_n_features", "one feature too few"),
    (PredictsUnfitted(), "check_not_fitted", "works before fit"),
    (LosesItsHierarchy(), "check_clone", "a different hierarchy"),
    (WritesToItsParameters(), "check_parameters_unchanged", r"\['hierarchy'\]"),
    (RemembersTheLastFit(), "check_fit_twice", "depends on an earlier fit"),
    (DependsOnJobs(), "check_n_jobs", "n_jobs changes the model"),
    (ThrowsDice(), "check_random_state", "the same seed gives different models"),
    (UsesTheGlobalState(), "check_random_state", "global random state"),
    (ReadsUnlabeledAsNegative(), "check_unlabeled_rows_ignored", "change what"),
    (
        ReadsUnlabeledAsNegative(),
        "check_unlabeled_rows_are_not_negative",
        "same effect as",
    ),
    (ReadsNaNAsNegative(), "check_unlabeled_forms", "rows of NaN"),
    (IgnoresXUnlabeled(estimator=TREE), "check_unlabeled_forms", "X_unlabeled"),
    (
        ChangesGivenLabels(estimator=TREE),
        "check_given_labels_kept",
        "changes given labels",
    ),
    (CallsLeftOutRowsEmpty(estimator=TREE), "check_pseudo_labels", "without labels"),
    (ProposesOrphans(estimator=TREE), "check_pseudo_labels", "without its ancestors"),
    (LabelsInPart(estimator=TREE), "check_pseudo_labels", "partially labelled"),
    (LabelsTheFirstRowOnly(estimator=TREE), "check_unlabeled_order", "on their order"),
    (ClaimsToLabelNothing(estimator=TREE), "check_transductive_tag", "but fit sets"),
    (ClaimsToLabelRows(), "check_transductive_tag", "but fit does not set"),
    (NeverWarns(estimator=TREE), "check_nothing_accepted", "no HilabelWarning"),
    (
        IsNotItsBase(estimator=TREE),
        "check_nothing_accepted",
        "it differs from its base",
    ),
    (
        IsNotItsBase(estimator=TREE),
        "check_no_unlabeled_rows",
        "it differs from its base",
    ),
]


@pytest.mark.parametrize(
    ("estimator", "check", "message"),
    BROKEN,
    ids=[f"{type(estimator).__name__}-{check}" for estimator, check, _ in BROKEN],
)
def test_check_finds_the_broken_estimator(estimator, check, message):
    with pytest.raises(AssertionError, match=message):
        getattr(testing, check)(estimator)


def test_every_check_is_shown_to_fail():
    checks = {name for name in testing.__all__ if name.startswith("check_")}
    shown = {check for _, check, _ in BROKEN}
    assert checks - shown == {"check_hierarchical_classifier"}


def test_nothing_to_check_is_no_success():
    # No similarity is above 1, so no row is accepted.
    never = SSHMCBLI(
        estimator=TREE, similarity_threshold=1, profile={"acceptance": "above"}
    )
    with pytest.raises(AssertionError, match="nothing to check"):
        testing.check_pseudo_labels(never)


def test_message_names_estimator_node_and_problem():
    problem = make_problem("T", "SPL", "FD")
    with pytest.raises(AssertionError) as caught:
        testing.check_predictions(ScoresChildrenAboveParents(), problem)
    for part in ("ScoresChildrenAboveParents", "'a1'", "'a'", "(T, SPL, FD)"):
        assert part in str(caught.value)


def test_a_method_that_rows_of_0_teach_nothing_cannot_mistake_them():
    # Siblings alone are negatives, and rows without labels are nobody's siblings.
    with pytest.raises(SkipTest, match="change nothing"):
        testing.check_unlabeled_rows_are_not_negative(HMCBR(estimator=TREE))


# Methods that do not promise consistency ----------------------------------------------


class AdmitsOrphans(PredictsOrphans):
    method_tags = MethodTags(consistent=False)

    def _predict_scores(self, X):
        return 1 - super()._predict_scores(X)


class AdmitsOrphansAboveOne(ScoresAboveOne):
    method_tags = MethodTags(consistent=False)


def test_labels_and_scores_need_not_be_consistent_where_the_tags_say_so():
    testing.check_predictions(AdmitsOrphans())


def test_scores_must_be_probabilities_whatever_the_tags_say():
    with pytest.raises(AssertionError, match=r"expected scores in \[0, 1\]"):
        testing.check_predictions(AdmitsOrphansAboveOne())
