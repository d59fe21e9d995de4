"""Positions of rows: columns as they are, or components of the largest variance."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from hilabel.exceptions import ParameterError
from hilabel.report._plane import plane_of


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(30, 5)) * [1, 5, 1, 3, 1]


def test_columns_go_by_number_or_name(X):
    points, names = plane_of(X, columns=[3, 0])
    np.testing.assert_array_equal(points, X[:, [3, 0]])
    assert names == ("column 3", "column 0")
    by_name, names = plane_of(X, columns=["d", "a"], names=list("abcde"))
    np.testing.assert_array_equal(by_name, points)
    assert names == ("d", "a")


def test_components_have_the_singular_vectors_of_the_centred_matrix(X):
    points, names = plane_of(X)
    u, s, _ = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(np.abs(points), np.abs(u[:, :2] * s[:2]), atol=1e-10)
    share = s**2 / (s**2).sum()
    assert names == tuple(
        f"principal component {i + 1} ({share[i]:.0%})" for i in range(2)
    )


@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_matrix, pd.DataFrame, list])
def test_every_form_of_the_data_gives_the_same_picture(X, form):
    X[X < 0] = 0
    expected = plane_of(X).points
    found = plane_of(form(X)).points
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_missing_values_are_drawn_at_the_mean_of_their_column(X, form):
    X[4, 1] = X[9, 1] = np.nan
    filled = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(
        plane_of(form(X), columns=[1, 2]).points, filled[:, [1, 2]]
    )
    found, expected = plane_of(form(X)).points, plane_of(filled).points
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=1e-8)


@pytest.mark.parametrize(
    "X",
    [
        np.full((3, 2), np.nan),
        np.ones((1, 1)),
        np.ones((4, 3)),
        np.arange(5.0)[:, None],
        sp.csr_array(np.eye(2)),
    ],
    ids=["nothing known", "one cell", "equal rows", "one column", "tiny and sparse"],
)
def test_odd_data_have_finite_positions(X):
    points, names = plane_of(X)
    assert points.shape == (X.shape[0], 2)
    assert np.isfinite(points).all()
    assert all(name.startswith("principal component") for name in names)


def test_wrong_columns_are_refused(X):
    with pytest.raises(ParameterError, match=r"from 0 to 4, got 5\. \(parameter: col"):
        plane_of(X, columns=[0, 5])
    names = ["size", "weight", "age", "height", "price"]
    with pytest.raises(ParameterError, match=r"got 'wieght'\. Did you mean 'weight'\?"):
        plane_of(X, columns=["size", "wieght"], names=names)
    with pytest.raises(ParameterError, match="two columns to draw, got 3"):
        plane_of(X, columns=[0, 1, 2])
