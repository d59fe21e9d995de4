"""The same bits on a cluster of two workers as in one process."""

import joblib
import numpy as np
import pytest

from hilabel.classifiers import LocalClassifierPerNode
from hilabel.datasets import make_artificial
from hilabel.semi_supervised import SSHMCBLI

distributed = pytest.importorskip(
    "distributed", reason="needs the extra 'dask': pip install 'hilabel[dask]'"
)


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes on this machine."""
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as made:
        yield made


# The cluster's own clean-up warns of sockets and loops that it closes itself later.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "make",
    [
        lambda hierarchy: LocalClassifierPerNode(hierarchy, random_state=0),
        lambda hierarchy: SSHMCBLI(hierarchy, random_state=0),
    ],
    ids=["LocalClassifierPerNode", "SSHMCBLI"],
)
def test_a_dask_cluster_gives_the_same_bits(cluster, make):
    data = make_artificial()
    rows = data.X_labeled, data.Y_labeled, data.X_unlabeled
    here = make(data.hierarchy).fit(*rows).predict_proba(data.X_test)
    with (
        distributed.Client(cluster) as client,
        distributed.get_task_stream(client) as tasks,
        joblib.parallel_config(backend="dask"),
    ):
        model = make(data.hierarchy).fit(*rows)
        there = model.predict_proba(data.X_test)
    assert tasks.data  # the workers did something
    np.testing.assert_array_equal(there, here)
