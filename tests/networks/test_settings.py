"""When out-of-fold scores are taken."""

import pytest

from hilabel.networks import SHAPES, TrainingSettings
from hilabel.networks._settings import CHECKPOINTS


@pytest.mark.parametrize(
    ("max_steps", "n_rows", "expected"),
    [
        (None, 1, list(CHECKPOINTS)),
        (1, 1, [1]),
        (15, 1, [15]),
        (16, 1, [15, 16]),
        (100, 1, [15, 30, 60, 100]),
        (20_000, 1, [*CHECKPOINTS, 20_000]),
        # Five epochs of 64 rows in batches of 8 are 40 steps.
        (100, 64, [60, 100]),
        (30, 64, [30]),
    ],
)
def test_checkpoints_begin_after_five_epochs_and_end_with_the_last_step(
    max_steps, n_rows, expected
):
    settings = TrainingSettings(
        shapes=SHAPES,
        n_members=2,
        max_steps=max_steps,
        backbone=None,
        loss="binary",
        batch_size=8,
        learning_rate=0.1,
        weight_decay=0.0,
    )
    assert list(settings.checkpoints(n_rows)) == expected
