"""Trainers of local models: the same as one fit, for any nodes in any order."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.tree import DecisionTreeClassifier

from hilabel.forests import ForestClassifier
from hilabel.local_models._estimators import ConstantNode, fit_local_models
from hilabel.local_models._forests import fit_forest_models
from hilabel.local_models._retraining import make_trainer

N_LABELED = 30
LOCALS = {
    "forest": (ForestClassifier(4), fit_forest_models),
    "forest with a seed": (ForestClassifier(4, random_state=5), fit_forest_models),
    "tree": (DecisionTreeClassifier(max_features=1), fit_local_models),
}


def make_rows():
    random = np.random.default_rng(0)
    X = random.normal(size=(50, 3)).round(1)
    examples = []
    for share in (0.5, 0.3, 0.0):
        positive = random.random(N_LABELED) < share
        examples.append((np.flatnonzero(positive), np.flatnonzero(~positive)))
    return X, examples


def trainer_of(local, X, n_jobs=None):
    labeled, unlabeled = X[:N_LABELED], X[N_LABELED:]
    return make_trainer(
        local, labeled, unlabeled, n_nodes=3, n_jobs=n_jobs, random_state=1
    )


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("local", "fit"), LOCALS.values(), ids=LOCALS)
def test_one_round_is_the_supervised_fit(local, fit, form):
    X, examples = make_rows()
    X = form(X)
    expected = fit(local, X[:N_LABELED], examples, n_jobs=None, random_state=1)
    trainer = trainer_of(local, X)
    trainer.fit(np.array([2, 0, 1]), [examples[2], examples[0], examples[1]])
    models = trainer.models()
    ours, theirs = (m.predict_scores(X, n_jobs=None) for m in (models, expected))
    assert ours.tobytes() == theirs.tobytes()
    np.testing.assert_array_equal(models.positive_share, expected.positive_share)


@pytest.mark.parametrize(("local", "fit"), LOCALS.values(), ids=LOCALS)
def test_nodes_trained_again_change_and_the_others_do_not(local, fit):
    X, examples = make_rows()
    trainer = trainer_of(local, X)
    trainer.fit(np.arange(3), examples)
    before = trainer.models().predict_scores(X, n_jobs=None)
    more = (np.append(examples[1][0], [31, 40]), np.append(examples[1][1], 45))
    trainer.fit(np.array([1]), [more])
    after = trainer.models().predict_scores(X, n_jobs=None)
    np.testing.assert_array_equal(after[:, [0, 2]], before[:, [0, 2]])
    assert not np.array_equal(after[:, 1], before[:, 1])
    share = more[0].size / (more[0].size + more[1].size)
    assert trainer.models().positive_share[1] == share
    trainer.fit(np.array([1]), [examples[1]])
    again = trainer.models().predict_scores(X, n_jobs=None)
    assert again.tobytes() == before.tobytes()


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize(("local", "fit"), LOCALS.values(), ids=LOCALS)
def test_rows_of_a_nodes_own_are_predicted_as_by_the_models(local, fit, form, n_jobs):
    X, examples = make_rows()
    X = form(X)
    trainer = trainer_of(local, X, n_jobs)
    trainer.fit(np.arange(3), examples)
    rows = [np.array([40, 3]), np.arange(30, 50), np.empty(0, dtype=np.int64)]
    expected = trainer.models().predict_scores(X, n_jobs=None)
    for nodes in (np.array([0, 1, 2]), np.array([2, 0, 1])):
        for node, own, scores in zip(nodes, rows, trainer.predict(nodes, rows)):
            assert scores.shape == (own.size, 2)
            np.testing.assert_array_equal(scores[:, 1], expected[own, node])
            np.testing.assert_allclose(scores.sum(axis=1), 1, rtol=1e-6)


def test_a_node_never_trained_has_the_constant_zero():
    X, examples = make_rows()
    for local, _ in LOCALS.values():
        trainer = trainer_of(local, X)
        trainer.fit(np.array([0]), examples[:1])
        scores = trainer.models().predict_scores(X, n_jobs=None)
        assert (scores[:, 1:] == 0).all()
    assert trainer.models().models[1] == ConstantNode(0.0)
