"""What networks see in rows, and rows of any shape."""

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from hilabel.classifiers import HierarchicalNetwork
from hilabel.datasets import make_hierarchical_classification


def backbone():
    def init(key, rows):
        return jnp.ones(())

    def apply(scale, rows):
        return scale * rows.reshape(rows.shape[0], -1)

    return init, apply


@pytest.fixture(scope="module")
def images():
    data = make_hierarchical_classification(300, 12, n_nodes=4, random_state=0)
    return data.X.reshape(300, 3, 4), data.Y


@pytest.mark.parametrize("own", [{"shape": {"layers": (5,)}}, {"backbone": backbone()}])
def test_the_last_layers_make_the_scores_of_the_features(own, images):
    X, Y = images
    X = X if "backbone" in own else X.reshape(300, 12)
    model = HierarchicalNetwork(n_members=2, max_steps=20, random_state=0, **own)
    model.fit(X[:60], Y[:60])
    features = model.features(X)
    [part] = model.networks_.parts
    weights, biases = part.weights["weights"][-1], part.weights["biases"][-1]
    by_member = features.reshape(300, 2, -1)
    outputs = np.einsum("rmu,mun->rmn", by_member, weights) + biases
    np.testing.assert_allclose(
        expit(outputs).mean(axis=1), model.predict_proba(X), atol=1e-5
    )


def test_features_do_not_depend_on_the_other_rows(images):
    X, Y = images
    model = HierarchicalNetwork(
        backbone=backbone(), n_members=2, max_steps=5, random_state=0
    ).fit(X[:60], Y[:60])
    np.testing.assert_array_equal(model.features(X)[7:9], model.features(X[7:9]))


def test_unlabelled_images_must_have_the_shape_of_the_labelled_ones(images):
    X, Y = images
    model = HierarchicalNetwork(backbone=backbone(), n_members=2, max_steps=5)
    model.fit(X[:60], Y[:60], X_unlabeled=X[60:])
    assert model.predict_proba(X).shape == Y.shape
    with pytest.raises(ValueError, match=r"Expected rows of shape \(3, 4\), .*\(4,\)"):
        model.fit(X[:60], Y[:60], X_unlabeled=X[60:, 0])
