"""Checks for hierarchical classifiers, and small problems to test them on.

The checks work like scikit-learn's estimator checks. Each ``check_`` function takes an
unfitted estimator with a parameter ``hierarchy``, copies it, and raises
``AssertionError`` with a reason if the check fails. :func:`yield_checks` yields the
checks that apply to an estimator.
"""

from hilabel.testing._check_inputs import (
    check_data_frames,
    check_feature_dtypes,
    check_inputs_unchanged,
    check_invalid_labels,
    check_label_forms,
    check_memory_layout,
    check_n_features,
    check_not_fitted,
    check_sparse_features,
    check_sparse_inputs_unchanged,
    check_unhandled_problems,
)
from hilabel.testing._check_interface import (
    check_clone,
    check_fit_twice,
    check_n_jobs,
    check_parameters_unchanged,
    check_random_state,
)
from hilabel.testing._check_predictions import (
    check_batch_independence,
    check_hierarchy_none,
    check_pickle,
    check_predictions,
    check_row_order,
)
from hilabel.testing._check_unlabeled import (
    check_given_labels_kept,
    check_no_unlabeled_rows,
    check_nothing_accepted,
    check_partial_labels,
    check_pseudo_labels,
    check_transductive_tag,
    check_unlabeled_forms,
    check_unlabeled_order,
    check_unlabeled_rows_are_not_negative,
    check_unlabeled_rows_ignored,
)
from hilabel.testing._data import (
    Problem,
    make_problem,
    make_small_hierarchy,
)
from hilabel.testing._yield import (
    check_hierarchical_classifier,
    parametrize_with_checks,
    yield_checks,
)

__all__ = [
    "Problem",
    "check_batch_independence",
    "check_clone",
    "check_data_frames",
    "check_feature_dtypes",
    "check_fit_twice",
    "check_given_labels_kept",
    "check_hierarchical_classifier",
    "check_hierarchy_none",
    "check_inputs_unchanged",
    "check_invalid_labels",
    "check_label_forms",
    "check_memory_layout",
    "check_n_features",
    "check_n_jobs",
    "check_no_unlabeled_rows",
    "check_not_fitted",
    "check_nothing_accepted",
    "check_parameters_unchanged",
    "check_partial_labels",
    "check_pickle",
    "check_predictions",
    "check_pseudo_labels",
    "check_random_state",
    "check_row_order",
    "check_sparse_features",
    "check_sparse_inputs_unchanged",
    "check_transductive_tag",
    "check_unhandled_problems",
    "check_unlabeled_forms",
    "check_unlabeled_order",
    "check_unlabeled_rows_are_not_negative",
    "check_unlabeled_rows_ignored",
    "make_problem",
    "make_small_hierarchy",
    "parametrize_with_checks",
    "yield_checks",
]
