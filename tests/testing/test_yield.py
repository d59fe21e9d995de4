from functools import partial

import pytest
from sklearn.tree import DecisionTreeClassifier

from hilabel.classifiers import (
    HMCBR,
    LocalClassifierPerNode,
    MethodTags,
    PriorClassifier,
    TopDownClassifier,
)
from hilabel.semi_supervised import SSHCBLI, SSHMCBLI
from hilabel.testing import (
    check_hierarchical_classifier,
    parametrize_with_checks,
    yield_checks,
)

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)


class Broken(PriorClassifier):
    def _predict_scores(self, X):
        return 1 - super()._predict_scores(X)


class BrokenAfterASkip(HMCBR):
    # Rows without labels teach it nothing, so that one check is skipped.
    def _predict_scores(self, X):
        return 1 - super()._predict_scores(X)


def names(estimator):
    return {
        check.func.__name__ if isinstance(check, partial) else check.__name__
        for check in yield_checks(estimator)
    }


def problems(estimator):
    return {
        check.keywords["problem"].problem_type
        for check in yield_checks(estimator)
        if isinstance(check, partial)
    }


def test_checks_of_transduction_are_for_transductive_methods_alone():
    assert "check_given_labels_kept" in names(SSHMCBLI())
    assert "check_given_labels_kept" not in names(PriorClassifier())


def test_supervised_methods_must_ignore_unlabelled_rows_and_others_need_not():
    assert "check_unlabeled_rows_ignored" in names(LocalClassifierPerNode())
    assert "check_unlabeled_rows_ignored" not in names(SSHMCBLI())


def test_checks_of_parameters_are_for_those_who_have_them():
    assert {"check_n_jobs", "check_random_state"} <= names(LocalClassifierPerNode())
    assert not {"check_n_jobs", "check_random_state"} & names(PriorClassifier())


@pytest.mark.parametrize("estimator", [TopDownClassifier(), SSHCBLI()])
def test_full_depth_methods_get_full_depth_trees_only(estimator):
    assert problems(estimator) == {("T", "SPL", "FD")}
    assert "check_unlabeled_rows_are_not_negative" not in names(estimator)


def test_general_methods_get_all_eight_types():
    assert problems(SSHMCBLI()) >= set(MethodTags().problem_types)


def test_sparse_checks_are_for_those_who_take_sparse_tables():
    class Dense(PriorClassifier):
        def __sklearn_tags__(self):
            tags = super().__sklearn_tags__()
            tags.input_tags.sparse = False
            return tags

    assert "check_sparse_features" in names(PriorClassifier())
    assert "check_sparse_features" not in names(Dense())


def test_estimator_without_tags_of_its_own_is_taken_to_handle_everything():
    class Foreign:
        def get_params(self, deep=True):
            return {"hierarchy": None}

        def __sklearn_tags__(self):
            return PriorClassifier().__sklearn_tags__()

    assert problems(Foreign()) == problems(PriorClassifier())


def test_one_call_runs_all_checks():
    check_hierarchical_classifier(PriorClassifier())
    with pytest.raises(AssertionError, match="above its parent"):
        check_hierarchical_classifier(Broken())


def test_a_skipped_check_does_not_hide_those_after_it():
    with pytest.raises(AssertionError, match="above its parent"):
        check_hierarchical_classifier(BrokenAfterASkip(estimator=TREE))


def test_decorator_has_a_case_per_estimator_and_check_and_marks_known_failures():
    estimators = [PriorClassifier(), SSHMCBLI()]
    known = {"check_clone": "a reason"}
    mark = parametrize_with_checks(
        estimators,
        expected_failed_checks=lambda e: known if e is estimators[0] else {},
    ).mark
    cases = mark.args[1]
    assert len(cases) == sum(len(list(yield_checks(e))) for e in estimators)
    assert len({case.id for case in cases}) == len(cases)
    marked = [case for case in cases if case.marks]
    assert [case.id for case in marked] == ["PriorClassifier-check_clone"]
    assert marked[0].marks[0].kwargs["reason"] == "a reason"
