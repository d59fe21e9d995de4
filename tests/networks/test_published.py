"""Training by epochs."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.networks import EpochSettings, NetworkShape, fit_epochs

H = Hierarchy.from_dict({"a": ["b"], "b": []})
X = np.random.default_rng(0).normal(size=(10, 2))
Y = H.close(np.column_stack([X[:, 0] > 0, X[:, 1] > 0]))


def fitted(n_epochs, batch_size, rate=0.01):
    settings = EpochSettings(
        shape=NetworkShape(layers=(), swap=0.0),
        n_epochs=n_epochs,
        batch_size=batch_size,
        learning_rate=rate,
        weight_decay=1e-5,
    )
    return fit_epochs(X, Y, H, settings, np.ones(2), 0)


@pytest.mark.parametrize(
    ("n_epochs", "batch_size", "n_steps"), [(1, 5, 2), (3, 5, 6), (1, 4, 3), (1, 50, 1)]
)
def test_every_row_is_seen_once_an_epoch_and_the_last_batch_is_full(
    n_epochs, batch_size, n_steps
):
    networks = fitted(n_epochs, batch_size)
    (part,) = networks.parts
    assert part.n_steps == n_steps
    assert networks.is_sound()


def test_new_rows_far_from_those_in_training_have_finite_scores():
    networks = fitted(5, 5)
    far = np.array([[1e308, -1e308], [np.nan, 1e30], [-1e20, 1e20]])
    scores = networks.predict(far, H, None)
    assert np.isfinite(scores).all()


def test_training_that_diverges_is_an_error():
    with pytest.raises(ValueError, match="Training diverged.* Lower learning_rate"):
        fitted(20, 5, rate=1e38)
