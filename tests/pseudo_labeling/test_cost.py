"""Memory that pseudo-labelling takes on a real data set.

The time it takes is measured by ``benchmarks/bench_pseudo_labeling.py``, since a limit
in seconds would fail on a loaded machine, not on a wrong program.
"""

import tracemalloc

import pytest

from hilabel.classifiers import PriorClassifier
from hilabel.datasets import impute, load_go
from hilabel.model_selection import mask_labels
from hilabel.semi_supervised import SSHMCBLI

# Some 20 MiB are needed, most of them a block of distances of at most 32 MiB. What
# compiled loops allocate is not seen here: lists of 32 neighbours per row, 1 MiB.
MOST_MEBIBYTES = 100


@pytest.fixture(scope="module")
def cellcycle(data_home):
    return impute(load_go("cellcycle", data_home=data_home)).train


@pytest.mark.parametrize("profile", ["paper", "authors"])
@pytest.mark.parametrize("variant", ["v1", "v2", "v3"])
def test_memory_is_a_small_multiple_of_the_data(cellcycle, variant, profile):
    Y = mask_labels(cellcycle.Y, 0.1, random_state=0)
    # A classifier that costs nothing, so that the pseudo-labelling is measured.
    model = SSHMCBLI(
        cellcycle.hierarchy,
        estimator=PriorClassifier(),
        variant=variant,
        profile=profile,
    )
    tracemalloc.start()
    try:
        model.fit(cellcycle.X, Y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert model.n_iter_ > 1
    assert peak < MOST_MEBIBYTES * 2**20
