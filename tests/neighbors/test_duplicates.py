"""Entries of a sparse matrix that are stored in parts give the results of their sum."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.classifiers import NeighborsClassifier
from hilabel.semi_supervised import SSHMCBLI, LabelSpreading, ViewsClassifier
from hilabel.testing import make_problem
from hilabel.views import NeighborColumns, NeighborhoodMeans


def _in_parts(rows):
    """Return the same matrix with each value stored as two, out of order."""
    whole = sp.csr_array(rows)
    data = np.stack([whole.data / 4, whole.data * 3 / 4], axis=1)
    parts = sp.csr_array(
        (
            np.concatenate([*map(np.ravel, np.split(data, whole.indptr[1:-1]))]),
            np.repeat(whole.indices, 2),
            whole.indptr * 2,
        ),
        shape=whole.shape,
    )
    for start, end in zip(parts.indptr[:-1], parts.indptr[1:], strict=True):
        parts.data[start:end] = parts.data[start:end][::-1]
        parts.indices[start:end] = parts.indices[start:end][::-1]
    assert not parts.has_canonical_format
    np.testing.assert_array_equal(parts.toarray(), whole.toarray())
    return whole, parts


@pytest.fixture(scope="module")
def problem():
    return make_problem("T", "SPL", "FD")


MODELS = {
    "neighbors": lambda h: NeighborsClassifier(h, n_neighbors=3),
    "spreading": lambda h: LabelSpreading(h, n_neighbors=3),
    "pseudo-labels": lambda h: SSHMCBLI(h, n_neighbors=3, random_state=0),
    "views": lambda h: ViewsClassifier(
        h,
        estimator=NeighborsClassifier(n_neighbors=3),
        views=[NeighborhoodMeans(3)],
        random_state=0,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_classifiers_of_neighbours_sum_parts(problem, name):
    found = []
    pairs = [_in_parts(rows) for rows in (problem.X, problem.X_unlabeled)]
    for X, X_unlabeled in zip(*pairs, strict=True):
        model = MODELS[name](problem.hierarchy)
        if not model.learns_from_unlabeled:
            X_unlabeled = None
        model.fit(X, problem.Y, X_unlabeled=X_unlabeled)
        found += [model.predict_proba(rows) for rows in _in_parts(problem.X_test)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


@pytest.mark.parametrize(
    "make", [lambda: NeighborhoodMeans(3), lambda: NeighborColumns(3)]
)
def test_views_sum_parts(problem, make):
    found = []
    for X in _in_parts(problem.X):
        view = make().fit(X)
        for new in _in_parts(problem.X_test):
            made = view.transform(new)
            found.append(made.toarray() if sp.issparse(made) else np.asarray(made))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])


def test_the_matrix_of_the_user_is_not_changed(problem):
    _, parts = _in_parts(problem.X)
    data, indices = parts.data.copy(), parts.indices.copy()
    NeighborsClassifier(problem.hierarchy).fit(parts, problem.Y)
    NeighborhoodMeans(3).fit(parts)
    np.testing.assert_array_equal(parts.data, data)
    np.testing.assert_array_equal(parts.indices, indices)
