"""The random stream of a tree beside Python's integers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import trees as oracle

from hilabel._kernels import random_stream

SMALL = st.integers(0, 2**31 - 1)


@given(seed=SMALL, node=SMALL, tree=SMALL, bound=st.integers(1, 2**31 - 1))
def test_streams_are_those_of_python_integers(seed, node, tree, bound):
    state = np.zeros(1, dtype=np.uint64)
    random_stream.seed_stream(state, seed, node, tree)
    stream = oracle.Stream(seed, node, tree)
    assert int(state[0]) == stream.state
    drawn = [int(random_stream.random_below(state, bound)) for _ in range(5)]
    assert drawn == [stream.below(bound) for _ in range(5)]


def test_streams_without_the_jit():
    state = np.zeros(1, dtype=np.uint64)
    # Unsigned integers are meant to wrap around.
    with np.errstate(over="ignore"):
        random_stream.seed_stream.py_func(state, 1, 2, 3)
        drawn = [int(random_stream.random_below.py_func(state, 10)) for _ in range(20)]
    stream = oracle.Stream(1, 2, 3)
    assert drawn == [stream.below(10) for _ in range(20)]


@pytest.mark.parametrize("other", [(1, 0, 0), (0, 1, 0), (0, 0, 1)])
def test_seed_node_and_tree_each_change_the_stream(other):
    first, second = oracle.Stream(0, 0, 0), oracle.Stream(*other)
    assert [first.next() for _ in range(4)] != [second.next() for _ in range(4)]


def test_draws_are_even():
    """Six cells, 60,000 draws: chi-square with 5 degrees stays below 20.5 (p=.001)."""
    stream = oracle.Stream(5, 0, 0)
    counts = np.bincount([stream.below(6) for _ in range(60_000)], minlength=6)
    assert ((counts - 10_000) ** 2 / 10_000).sum() < 20.5


def test_first_draws_of_neighbouring_trees_are_even():
    firsts = [oracle.Stream(0, t % 40, t // 40).below(4) for t in range(2000)]
    counts = np.bincount(firsts, minlength=4)
    assert ((counts - 500) ** 2 / 500).sum() < 16.3  # 3 degrees, p=.001
