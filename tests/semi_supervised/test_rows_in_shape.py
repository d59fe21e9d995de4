"""SSHMC-BLI with networks: rows of numbers, and images for a backbone."""

from copy import copy

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

from hilabel.classifiers import HierarchicalNetwork
from hilabel.datasets import make_artificial
from hilabel.model_selection import LabeledKFold
from hilabel.persistence import load_model, save_model
from hilabel.semi_supervised import SSHMCBLI

jax = pytest.importorskip("jax")

DATA = make_artificial()
SMALL = {"shape": {"layers": (8,)}, "n_members": 2, "max_steps": 15, "random_state": 0}


def init(key, rows):
    assert rows.shape[1:] == (2, 3)
    return jax.random.normal(key, (6, 4))


def apply(weights, rows):
    return jax.nn.relu(rows.reshape(-1, 6) @ weights)


@pytest.fixture(scope="module")
def images():
    """Images of three kinds with little noise; the first twelve are labelled."""
    generator = np.random.default_rng(0)
    kind = np.arange(60) % 3
    X = generator.random((3, 2, 3))[kind] + 0.05 * generator.normal(size=(60, 2, 3))
    Y = np.eye(3, dtype=int)[kind]
    Y[12:] = -1
    return X, Y


def of_images(**more):
    return SSHMCBLI(
        estimator=HierarchicalNetwork(backbone=(init, apply), **SMALL), **more
    )


def test_the_final_classifier_may_be_a_network(tmp_path):
    method = SSHMCBLI(DATA.hierarchy, estimator=HierarchicalNetwork(**SMALL))
    model = clone(method).fit(DATA.X_labeled, DATA.Y_labeled, DATA.X_unlabeled)
    assert isinstance(model.estimator_, HierarchicalNetwork)
    n_accepted = (model.transduction_[12:] >= 0).any(axis=1).sum()
    assert n_accepted > 200
    assert len(model.estimator_.curve_) > 0
    again = load_model(save_model(model, tmp_path / "m.hilabel"))
    np.testing.assert_array_equal(
        again.predict_proba(DATA.X_test), model.predict_proba(DATA.X_test)
    )
    np.testing.assert_array_equal(
        again.predict(DATA.X_test), model.predict(DATA.X_test)
    )


def test_a_search_sets_parameters_of_the_network(images):
    X, Y = images
    grid = {"estimator__max_steps": [1, 15]}
    search = GridSearchCV(of_images(), grid, cv=LabeledKFold(2), error_score="raise")
    best = search.fit(X, Y).best_estimator_
    assert best.estimator_.max_steps == search.best_params_["estimator__max_steps"]


def test_images_are_compared_by_pixels_and_learned_in_shape(images):
    X, Y = images
    model = of_images().fit(X, Y)
    flat = SSHMCBLI(estimator=HierarchicalNetwork(**SMALL)).fit(X.reshape(60, 6), Y)
    np.testing.assert_array_equal(model.transduction_, flat.transduction_)
    assert (model.transduction_[12:] >= 0).any()
    network = model.estimator_
    np.testing.assert_array_equal(network.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(network.predict(X), model.predict(X))
    apart = of_images().fit(X[:12], Y[:12], X_unlabeled=X[12:])
    np.testing.assert_array_equal(apart.predict_proba(X), model.predict_proba(X))


def test_new_images_may_be_flat_but_have_their_number_of_pixels(images):
    X, Y = images
    model = of_images().fit(X, Y)
    scores = model.predict_proba(X[:5])
    np.testing.assert_array_equal(model.predict_proba(X[:5].reshape(5, 6)), scores)
    with pytest.raises(ValueError, match=r"rows of shape \(2, 3\), as in training"):
        model.predict(X.transpose(0, 2, 1))
    with pytest.raises(ValueError, match="X has 5 features, but SSHMCBLI is expecting"):
        model.predict(X.reshape(60, 6)[:, :5])
    with pytest.raises(ValueError, match="missing values"):
        model.predict(np.full((1, 2, 3), np.nan))
    with pytest.raises(ValueError, match="Found array with dim 3"):
        SSHMCBLI(estimator=HierarchicalNetwork(**SMALL)).fit(X, Y)


def test_a_later_fit_forgets_the_shape(images):
    X, Y = images
    model = of_images().fit(X, Y)
    model.set_params(estimator__backbone=None)
    model.fit(X.reshape(60, 6), Y)
    assert model.predict_proba(X.reshape(60, 6)).shape == (60, 3)
    with pytest.raises(ValueError, match="Found array with dim 3"):
        model.predict(X)


def test_an_image_is_explained_by_the_nearest_training_images(images):
    X, Y = images
    model = of_images().fit(X, Y)
    near = model.explain(X[3], n_neighbors=1)
    assert near.neighbors.tolist() == [3]
    np.testing.assert_allclose(near.probability, model.predict_proba(X[3:4])[0])


def test_pseudo_labelled_images_are_returned_in_shape(images):
    X, Y = images
    method = of_images()
    training = method.pseudo_label(X, Y)
    assert training.X_labeled.shape[1:] == (2, 3)
    network = method.base_classifier().fit_checked(training)
    np.testing.assert_array_equal(
        network.predict_proba(X), of_images().fit(X, Y).predict_proba(X)
    )


def test_the_network_can_be_saved_without_its_backbone(images, tmp_path):
    X, Y = images
    model = of_images().fit(X, Y)
    network = copy(model.estimator_).set_params(backbone=None)
    again = load_model(save_model(network, tmp_path / "m.hilabel"))
    again.set_params(backbone=(init, apply))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
