"""What relatives cost in hierarchies that are wide or deep."""

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.local_models._relatives import Relatives

N_NODES = 2000
SHAPES = {
    "a star": [(0, node) for node in range(1, N_NODES)],
    "a chain": [(node - 1, node) for node in range(1, N_NODES)],
    "many roots": [],
}
QUESTIONS = [
    "has",
    "has_parent",
    "has_sibling",
    "ends",
    "ends_at_sibling",
    "nearest_level",
    "generation",
]


class Counted(np.ndarray):
    """Labels that count how many of them are read."""

    n_read = 0

    def __getitem__(self, cells):
        found = np.asarray(super().__getitem__(cells))
        Counted.n_read += found.size
        return found


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_label_is_read_a_few_times_however_wide_or_deep(shape, question):
    hierarchy = Hierarchy([str(node) for node in range(N_NODES)], SHAPES[shape])
    Y = np.zeros((3, N_NODES), dtype=bool)
    Y[range(3), [2, 1000, 1999]] = True
    Counted.n_read = 0
    relatives = Relatives(hierarchy.close(Y).view(Counted), hierarchy)
    # The last first, so that a chain is not just met from above.
    for node in reversed(range(N_NODES)):
        getattr(relatives, question)(node)
    assert Counted.n_read <= 4 * Y.size
