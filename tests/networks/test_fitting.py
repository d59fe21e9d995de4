"""From rows to networks: when training ends, and which shapes are kept."""

import numpy as np
import pytest

from hilabel.constraints import cap_by_parents
from hilabel.datasets import make_artificial
from hilabel.metrics import average_precision
from hilabel.networks import (
    InputScaling,
    NetworkShape,
    TrainingSettings,
    fit_networks,
)

DATA = make_artificial()
Y = DATA.hierarchy.close(DATA.Y_labeled).astype(bool)
X = DATA.X_labeled
LINEAR = NetworkShape(layers=(), swap=0.0)


def fitted(labels=Y, shapes=None, rows=slice(None), **changes):
    settings = {
        "shapes": shapes or {"linear": LINEAR},
        "n_members": 2,
        "max_steps": None,
        "backbone": None,
        "loss": "binary",
        "batch_size": 16,
        "learning_rate": 0.5,
        "weight_decay": 0.02,
    }
    reports = []
    found = fit_networks(
        X[rows],
        labels[rows],
        DATA.hierarchy,
        TrainingSettings(**settings | changes),
        scaling=InputScaling.of_columns(X),
        weights=None,
        fold=np.arange(len(X[rows])) % 2,
        seed=0,
        report=reports.append,
    )
    assert len(reports) == len(found.curve)
    return found


def test_training_ends_at_the_first_checkpoint_that_is_not_better():
    found = fitted()
    (part,) = found.networks.parts
    qualities = [quality for _, _, quality in found.curve]
    best = int(np.argmax(qualities))
    assert len(qualities) == best + 2
    assert part.n_steps == found.curve[best][1]
    assert found.oof_quality == qualities[best]
    assert found.oof_quality == average_precision(
        Y, cap_by_parents(found.oof_scores, DATA.hierarchy)
    )


def test_the_shapes_that_are_best_together_are_kept():
    shapes = {
        "linear": LINEAR,
        "again": NetworkShape(layers=(16,), dropout=0.0, swap=0.0),
    }
    found = fitted(shapes=shapes, max_steps=30, learning_rate=0.01)
    best_alone = {
        name: max(quality for own, _, quality in found.curve if own == name)
        for name in dict.fromkeys(own for own, _, _ in found.curve)
    }
    assert found.oof_quality >= max(best_alone.values())
    assert {part.name for part in found.networks.parts} <= set(shapes)


def test_after_a_worse_shape_the_rest_are_not_tried():
    noisy = NetworkShape(layers=(2,), dropout=0.99, swap=0.9)
    shapes = {"linear": LINEAR, "noisy": noisy, "last": LINEAR}
    found = fitted(shapes=shapes, max_steps=15)
    assert [name for name, _, _ in found.curve] == ["linear", "noisy"]
    assert [part.name for part in found.networks.parts] == ["linear"]


@pytest.mark.parametrize("case", ["no label", "one row"])
def test_where_nothing_says_when_to_stop_training_is_short(case):
    if case == "no label":
        found = fitted(labels=np.zeros_like(Y), learning_rate=0.01)
        assert (found.oof_scores < 0.1).all()
    else:
        found = fitted(rows=slice(1))
        assert found.oof_scores is None
    assert [steps for _, steps, _ in found.curve] == [15]
    assert np.isnan(found.oof_quality)


def test_labels_that_all_rows_have_are_learned():
    found = fitted(labels=np.ones_like(Y), learning_rate=0.01)
    assert found.oof_quality == 1
    assert (found.oof_scores > 0.9).all()
