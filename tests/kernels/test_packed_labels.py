import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import packed_labels as oracle

from hilabel import _kernels
from hilabel.pseudo_labeling import pack_labels, unpack_labels

KERNELS = [
    pytest.param(lambda kernel: kernel, id="jit"),
    pytest.param(lambda kernel: kernel.py_func, id="plain"),
]


@st.composite
def votes(draw):
    """Draw (labels, neighbours, votes needed)."""
    n_labels = draw(st.sampled_from([1, 5, 63, 64, 65, 130]))
    k = draw(st.integers(1, 9))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = random.random((12, n_labels)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    return labels, random.integers(0, 12, (7, k)), draw(st.integers(1, k))


@pytest.mark.parametrize("form", KERNELS)
@given(votes())
def test_packed_votes_equal_counting(form, case):
    labels, neighbors, needed = case
    words = pack_labels(labels)
    proposed = form(_kernels.packed_labels.vote)(words, neighbors, needed)
    expected = oracle.vote(labels, neighbors, needed)
    np.testing.assert_array_equal(unpack_labels(proposed, labels.shape[1]), expected)
    np.testing.assert_array_equal(
        form(_kernels.packed_labels.share_a_label)(words, neighbors, proposed),
        oracle.share_a_label(labels, neighbors, expected),
    )


@pytest.mark.parametrize("n_labels", [1, 8, 63, 64, 65, 200])
def test_packing_and_unpacking_is_the_identity(n_labels):
    labels = np.random.default_rng(0).random((5, n_labels)) < 0.5
    words = pack_labels(labels)
    assert words.shape == (5, -(-n_labels // 64))
    np.testing.assert_array_equal(unpack_labels(words, n_labels), labels)


@pytest.mark.parametrize("form", KERNELS)
def test_pair_distances_equal_differences(form):
    random = np.random.default_rng(0)
    points = random.normal(size=(9, 3))
    neighbors = random.integers(0, 9, (6, 4))
    kernel = form(_kernels.pair_distances.euclidean_within)
    gaps = points[neighbors][:, :, None] - points[neighbors][:, None, :]
    np.testing.assert_allclose(
        kernel(points, neighbors), np.sqrt((gaps**2).sum(axis=-1)), atol=1e-15
    )
