"""Sparse and missing values, as far as the local classifier takes them."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.naive_bayes import GaussianNB

from hilabel.classifiers import (
    HMCBR,
    HMCLP,
    FlatClassifier,
    HMCRAkEL,
    LocalClassifierPerLevel,
    LocalClassifierPerNode,
    LocalClassifierPerParentNode,
)
from hilabel.testing import make_problem, make_small_hierarchy

CLASSES = [
    HMCBR,
    HMCLP,
    HMCRAkEL,
    FlatClassifier,
    LocalClassifierPerLevel,
    LocalClassifierPerNode,
    LocalClassifierPerParentNode,
]
pytestmark = [
    pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning"),
    pytest.mark.parametrize("cls", CLASSES),
]


def small_problem(paths="MPL"):
    hierarchy = make_small_hierarchy("isolated")
    return make_problem("T", paths, "FD", hierarchy=hierarchy, n_samples=20)


def test_missing_values_are_refused_where_the_local_classifier_cannot_take_them(cls):
    problem = small_problem()
    X = problem.X.copy()
    X[3, 0] = np.nan
    match = "1 missing values .* GaussianNB, does not support them.*SimpleImputer"
    with pytest.raises(ValueError, match=match):
        cls(problem.hierarchy, estimator=GaussianNB()).fit(X, problem.Y)


@pytest.mark.parametrize("paths", ["SPL", "MPL"])
def test_missing_values_are_learned_from_by_default(cls, paths):
    problem = small_problem(paths)
    X = problem.X.copy()
    X[3, 0] = np.nan
    model = cls(problem.hierarchy, random_state=0).fit(X, problem.Y)
    assert np.isfinite(model.predict_proba(X)).all()


def test_sparse_rows_are_refused_where_the_local_classifier_cannot_take_them(cls):
    problem = small_problem()
    model = cls(problem.hierarchy, estimator=LinearDiscriminantAnalysis())
    with pytest.raises(TypeError, match="Sparse data was passed"):
        model.fit(sp.csr_array(problem.X), problem.Y)


def test_sparse_rows_are_learned_from_as_dense_ones(cls):
    problem = small_problem()
    model = cls(problem.hierarchy, estimator=RandomForestClassifier(5), random_state=0)
    dense = model.fit(problem.X, problem.Y).predict_proba(problem.X)
    sparse = model.fit(sp.csr_array(problem.X), problem.Y)
    scores = sparse.predict_proba(sp.csr_array(problem.X))
    np.testing.assert_allclose(scores, dense, atol=1e-6)
