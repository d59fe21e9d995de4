"""Small labelled tables, shared by the tests of the measures."""

import numpy as np
import pytest


@pytest.fixture(params=range(4))
def table(request):
    """Return (Y, scores) with unlabelled rows and cells, ties, and empty rows."""
    random = np.random.default_rng(request.param)
    Y = (random.random((30, 8)) < 0.3).astype(np.int8)
    Y[3:6] = 0
    Y[random.random(Y.shape) < 0.1] = -1
    Y[10:14] = -1
    scores = np.round(random.random(Y.shape), 1)
    return Y, scores
