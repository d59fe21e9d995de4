"""When out-of-fold scores are taken."""

import pytest

from hilabel.networks import SHAPES, TrainingSettings
from hilabel.networks._settings import CHECKPOINTS


@pytest.mark.parametrize(
    ("max_steps", "expected"),
    [
        (None, list(CHECKPOINTS)),
        (1, [1]),
        (15, [15]),
        (16, [15, 16]),
        (100, [15, 30, 60, 100]),
        (20_000, [*CHECKPOINTS, 20_000]),
    ],
)
def test_checkpoints_end_with_the_last_step(max_steps, expected):
    settings = TrainingSettings(
        shapes=SHAPES,
        n_members=2,
        n_folds=2,
        max_steps=max_steps,
        backbone=None,
        loss="binary",
        batch_size=8,
        learning_rate=0.1,
        weight_decay=0.0,
    )
    assert list(settings.checkpoints) == expected
