"""Checks of the inputs that an estimator accepts and rejects."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from hilabel._typing import UNLABELED
from hilabel.classifiers import MethodTags
from hilabel.testing._data import Problem
from hilabel.testing._fitting import (
    assert_same_model,
    fit_copy,
    fit_quietly,
    hardest_problem,
    is_unlabeled,
    prepare,
    problem_for,
    require,
    tags_of,
)

# Sums are computed in a different order for sparse rows, and float32 is less precise.
ROUNDING = 1e-6
# NumPy sums up to eight numbers in a row one by one, whatever their order in memory.
_N_SUMMED = 16


def check_label_forms(estimator: Any) -> None:
    """Check that all forms of ``Y`` result in exactly the same model.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_label_forms
    >>> check_label_forms(PriorClassifier())
    """
    import pandas as pd

    problem = hardest_problem(estimator)
    hierarchy = problem.hierarchy
    X, Y = problem.mixed()
    expected = fit_copy(estimator, problem)
    frame = pd.DataFrame(Y, columns=list(hierarchy.names))
    specific = hierarchy.most_specific(Y)
    sets = [
        None if (row < 0).any() else {hierarchy.names[n] for n in np.flatnonzero(row)}
        for row in specific
    ]
    forms = {
        "int64": Y.astype(np.int64),
        "float32": Y.astype(np.float32),
        "Fortran order": np.asfortranarray(Y),
        "without ancestors": specific,
        "csr": sp.csr_array(Y),
        "csc": sp.csc_array(Y),
        "DataFrame": frame,
        "DataFrame in other order": frame[list(hierarchy.names)[::-1]],
        "list of sets": sets,
        "list of lists": Y.tolist(),
    }
    for name, form in forms.items():
        model = fit_copy(estimator, problem, X, form)
        message = f"Y given as {name} gives a different model"
        assert_same_model(expected, model, problem.X_test, message)
    # Booleans cannot represent unlabelled rows.
    assert_same_model(
        fit_copy(estimator, problem, problem.X, problem.Y),
        fit_copy(estimator, problem, problem.X, problem.Y.astype(bool)),
        problem.X_test,
        "Y given as bool gives a different model",
    )


def check_feature_dtypes(estimator: Any) -> None:
    """Check that the dtype of ``X`` only affects rounding.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_feature_dtypes
    >>> check_feature_dtypes(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    X, X_test = np.rint(4 * X), np.rint(4 * problem.X_test)
    expected = fit_copy(estimator, problem, X, Y)
    for dtype in (np.float32, np.int64, np.int32):
        model = fit_copy(estimator, problem, X.astype(dtype), Y)
        message = f"X of {np.dtype(dtype)} gives a different model than float64"
        assert_same_model(expected, model, X_test, message, ROUNDING)


def check_memory_layout(estimator: Any) -> None:
    """Check that equal rows give exactly the same results, however they are stored.

    Rows are stored as arrays in C and Fortran order, as part of a wider array, as lists
    and as data frames (of polars only if it is installed).

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_memory_layout
    >>> check_memory_layout(PriorClassifier())
    """
    problem = _with_wide_rows(hardest_problem(estimator))
    rows = problem.X, problem.Y, problem.X_unlabeled
    expected = _results_for(fit_copy(estimator, problem, *rows), problem, np.asarray)
    for stores in _ways_to_store_rows(problem.X.shape[1]):
        first, *_, last = stores.values()
        # All rows of X are labelled, since selecting the labelled ones would copy them.
        rows = first(problem.X), problem.Y, last(problem.X_unlabeled)
        model = fit_copy(estimator, problem, *rows)
        for form, store in stores.items():
            for name, values in _results_for(model, problem, store).items():
                require(
                    np.array_equal(expected[name], values),
                    f"{type(estimator).__name__}: {name} differs between rows in C "
                    f"order and equal rows {form}; lay rows out one way first.",
                )


def _with_wide_rows(problem: Problem) -> Problem:
    """Return a problem with so many features that the order of a sum shows."""
    n_features = problem.X.shape[1]
    # None is negative, so that counts stay counts.
    shares = np.random.default_rng(0).random((n_features, _N_SUMMED))
    names = ("X", "X_unlabeled", "X_test")
    return replace(problem, **{name: getattr(problem, name) @ shares for name in names})


def _results_for(
    model: Any, problem: Problem, store: Callable[[Any], Any]
) -> dict[str, Any]:
    """Return all results of a fitted model that should not depend on ``store``."""
    new = store(problem.X_test)
    return {
        "predict_proba": model.predict_proba(new),
        "predict": model.predict(new),
        "score": model.score(store(problem.X), problem.Y),
        "transduction_": getattr(model, "transduction_", None),
    }


def _ways_to_store_rows(n_features: int) -> list[dict[str, Callable[[Any], Any]]]:
    """Return functions that store rows, in two groups: without and with names."""
    import pandas as pd

    names = [f"feature_{number}" for number in range(n_features)]

    def columns_of(X: Any) -> dict[str, Any]:
        return dict(zip(names, X.T, strict=True))

    plain: dict[str, Callable[[Any], Any]] = {
        "in Fortran order": np.asfortranarray,
        "in lists": lambda X: X.tolist(),
        "in a wider array": lambda X: np.repeat(X, 2, axis=1)[:, ::2],
    }
    named: dict[str, Callable[[Any], Any]] = {
        "in a pandas DataFrame": lambda X: pd.DataFrame(columns_of(X))
    }
    if find_spec("polars") is not None:
        import polars as pl

        named["in a polars DataFrame"] = lambda X: pl.DataFrame(columns_of(X))
    return [plain, named]


def check_sparse_features(estimator: Any) -> None:
    """Check that sparse and dense ``X`` result in the same model, up to rounding.

    ``transduction_`` and ``predict`` must be equal, and scores must agree within 1e-6.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_sparse_features
    >>> check_sparse_features(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    X, X_test = _with_zeros(X), _with_zeros(problem.X_test)
    dense = fit_copy(estimator, problem, X, Y)
    for form in (sp.csr_array, sp.csc_array, sp.csr_matrix):
        model = fit_copy(estimator, problem, form(X), Y)
        message = f"X of {form.__name__} gives a different model than dense X"
        assert_same_model(dense, model, X_test, message, ROUNDING)
        require(
            _are_close(dense.predict_proba(X_test), model.predict_proba(form(X_test))),
            f"{type(estimator).__name__}: predictions for sparse rows differ.",
        )
    labeled = ~is_unlabeled(Y)
    # Unlabelled rows may be sparse when labelled rows are dense, and vice versa.
    pairs = [(sp.csr_array,) * 2, (np.array, sp.csr_array), (sp.csr_array, np.array)]
    for first, second in pairs:
        apart = fit_copy(
            estimator, problem, first(X[labeled]), Y[labeled], second(X[~labeled])
        )
        require(
            _are_close(dense.predict_proba(X_test), apart.predict_proba(X_test)),
            f"{type(estimator).__name__}: sparse X_unlabeled gives a different model.",
        )


def check_data_frames(estimator: Any) -> None:
    """Check column and row names of data frames, as input and after ``set_output``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_data_frames
    >>> check_data_frames(PriorClassifier())
    """
    import pandas as pd

    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    names = [f"feature_{i}" for i in range(X.shape[1])]
    model = fit_copy(estimator, problem, pd.DataFrame(X, columns=names), Y)
    who = type(estimator).__name__
    require(
        list(getattr(model, "feature_names_in_", ())) == names,
        f"{who}: feature_names_in_ are not the columns of X.",
    )
    index = [f"row_{i}" for i in range(problem.X_test.shape[0])]
    table = pd.DataFrame(problem.X_test, columns=names, index=index)
    scores, labels = model.predict_proba(table), model.predict(table)
    model.set_output(transform="pandas")
    for method, values in (("predict_proba", scores), ("predict", labels)):
        frame = getattr(model, method)(table)
        require(
            isinstance(frame, pd.DataFrame)
            and list(frame.columns) == list(problem.hierarchy.names)
            and list(frame.index) == index
            and np.array_equal(frame.to_numpy(), values),
            f"{who}.{method}: expected, after set_output(transform='pandas'), the same "
            "values in a DataFrame with node names as columns and the index of X.",
        )


def check_inputs_unchanged(estimator: Any) -> None:
    """Check that neither ``fit`` nor ``predict`` modifies its inputs.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_inputs_unchanged
    >>> check_inputs_unchanged(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    # Missing ancestors, which fit must not add to the input.
    Y = problem.hierarchy.most_specific(Y)
    given = [X, Y, problem.X_unlabeled.copy(), problem.X_test.copy()]
    before = [array.copy() for array in given]
    model = fit_copy(estimator, problem, given[0], given[1], given[2])
    model.predict(given[3])
    model.predict_proba(given[3])
    for name, old, new in zip(("X", "Y", "X_unlabeled", "X_test"), before, given):
        require(
            np.array_equal(old, new),
            f"{type(estimator).__name__}: {name} was modified.",
        )


def check_sparse_inputs_unchanged(estimator: Any) -> None:
    """Check that sparse ``X``, ``Y`` and ``X_unlabeled`` are not modified.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_sparse_inputs_unchanged
    >>> check_sparse_inputs_unchanged(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    X, Y = problem.mixed()
    Y = problem.hierarchy.most_specific(Y)
    given = [sp.csr_array(_with_zeros(X)), sp.csr_array(Y)]
    given.append(sp.csr_array(_with_zeros(problem.X_unlabeled)))
    # A stored zero, which must be kept.
    for matrix in given:
        matrix.data[0] = 0
    given[1].data[0] = Y[Y != 0][0]
    before = [matrix.copy() for matrix in given]
    fit_copy(estimator, problem, *given)
    for name, old, new in zip(("X", "Y", "X_unlabeled"), before, given):
        same = all(
            np.array_equal(getattr(old, part), getattr(new, part))
            for part in ("data", "indices", "indptr")
        )
        who = type(estimator).__name__
        require(same, f"{who}: sparse {name} was modified.")


def check_invalid_labels(estimator: Any) -> None:
    """Check that an invalid ``Y`` raises ``ValueError``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_invalid_labels
    >>> check_invalid_labels(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    Y = problem.Y.astype(np.int64)
    twos = Y.copy()
    twos[0, 0] = 2
    wrong = {
        "one column too few": Y[:, :-1],
        "one row too few": Y[:-1],
        "one dimension": Y[:, 0],
        "all rows unlabelled": np.full_like(Y, UNLABELED),
        "a value of 2": twos,
    }
    for name, labels in wrong.items():
        model = prepare(estimator, problem.hierarchy)
        _require_error(
            partial(fit_quietly, model, problem.X, labels),
            f"{type(estimator).__name__}.fit accepts Y with {name}",
        )


def check_unhandled_problems(estimator: Any) -> None:
    """Check that problems excluded by ``method_tags`` raise ``ValueError``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_unhandled_problems
    >>> check_unhandled_problems(PriorClassifier())
    """
    handled = tags_of(estimator).problem_types
    for kind in set(MethodTags().problem_types) - set(handled):
        problem = problem_for(estimator, *kind)
        _require_error(
            partial(fit_copy, estimator, problem),
            f"{type(estimator).__name__}.fit accepts a problem of type {kind}, which "
            "method_tags exclude",
        )


def check_n_features(estimator: Any) -> None:
    """Check that rows with the wrong number of features raise ``ValueError``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_n_features
    >>> check_n_features(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    model = fit_copy(estimator, problem)
    narrow = problem.X_test[:, :-1]
    name = type(estimator).__name__
    for method in ("predict", "predict_proba"):
        _require_error(
            partial(getattr(model, method), narrow),
            f"{name}.{method} accepts rows with one feature too few",
        )
    unfitted = prepare(estimator, problem.hierarchy)
    _require_error(
        lambda: fit_quietly(
            unfitted, problem.X, problem.Y, problem.X_unlabeled[:, :-1]
        ),
        f"{name}.fit accepts X_unlabeled with one feature too few",
    )


def check_not_fitted(estimator: Any) -> None:
    """Check that predicting before ``fit`` raises ``NotFittedError``.

    Examples
    --------
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.testing import check_not_fitted
    >>> check_not_fitted(PriorClassifier())
    """
    problem = hardest_problem(estimator)
    model = prepare(estimator, problem.hierarchy)
    for method in ("predict", "predict_proba"):
        _require_error(
            partial(getattr(model, method), problem.X_test),
            f"{type(estimator).__name__}.{method} works before fit",
            NotFittedError,
        )


def _with_zeros(X: Any) -> Any:
    return np.where(np.abs(X) < 0.5, 0.0, X)


def _are_close(first: Any, second: Any) -> bool:
    return bool(np.allclose(first, second, rtol=ROUNDING, atol=ROUNDING))


def _require_error(
    call: Callable[[], Any], message: str, error: type[Exception] = ValueError
) -> None:
    try:
        call()
    except error:
        return
    raise AssertionError(f"{message}; expected {error.__name__}.")
