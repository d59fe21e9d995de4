from itertools import product

import numpy as np
import pytest
from scipy.special import expit
from sklearn.metrics import average_precision_score

from hilabel import Hierarchy
from hilabel.datasets import (
    HMCDataset,
    impute,
    make_hierarchical_classification,
)
from hilabel.exceptions import HierarchyError

# Two diamonds, one below the other, and a lone node.
DIAMONDS = Hierarchy.from_edges(
    [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"), ("d", "e"), ("c", "e")],
    nodes="edcbax",
)
SHAPES = [
    {"structure": "tree"},
    {"structure": "dag"},
    {"n_nodes": 1},
    {"hierarchy": DIAMONDS},
    {"hierarchy": Hierarchy(["lone", "lonely"])},
]


def make(n_samples=400, **arguments):
    arguments = {"random_state": 0, **arguments}
    return make_hierarchical_classification(n_samples, 5, **arguments)


def micro_ap(Y, scores):
    return average_precision_score(Y.ravel(), scores.ravel())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("noise", [1e-9, 0.2, 10])
def test_probabilities_and_labels_respect_the_hierarchy(shape, noise):
    data = make(noise=noise, **shape)
    parents, children = data.hierarchy.edges.T
    assert (data.probabilities >= 0).all()
    assert (data.probabilities <= 1).all()
    assert (data.probabilities[:, children] <= data.probabilities[:, parents]).all()
    assert data.hierarchy.is_consistent(data.Y)
    assert set(np.unique(data.Y)) <= {0, 1}


def test_probabilities_are_those_of_all_coin_tosses_together():
    data = make(20, hierarchy=DIAMONDS, noise=0.8)
    coins = expit(data.X @ data.coefficients.T + data.intercepts)
    expected = np.zeros_like(coins)
    for toss in product([False, True], repeat=DIAMONDS.n_nodes):
        chance = np.where(toss, coins, 1 - coins).prod(axis=1)
        for node in range(DIAMONDS.n_nodes):
            if all(toss[above] for above in [node, *DIAMONDS.ancestors(node)]):
                expected[:, node] += chance
    np.testing.assert_allclose(data.probabilities, expected, rtol=1e-5)


@pytest.mark.parametrize("shape", SHAPES)
def test_labels_are_as_frequent_as_their_probabilities_say(shape):
    data = make(20_000, **shape)
    p = data.probabilities.astype(np.float64)
    # Given X, a column is a sum of independent tosses. Where it expects 25 or more it
    # is close to normal, and 5 standard deviations fail once in 10**6 columns.
    frequent = p.sum(axis=0) >= 25
    excess = (data.Y.sum(axis=0) - p.sum(axis=0)) / np.sqrt((p * (1 - p)).sum(axis=0))
    assert frequent.any()
    assert np.abs(excess[frequent]).max() < 5


def test_probabilities_are_calibrated_between_rows():
    data = make(20_000, hierarchy=DIAMONDS)
    p, y = data.probabilities[:, 1].astype(np.float64), data.Y[:, 1]
    for low in np.arange(0, 1, 0.2):
        there = (p >= low) & (p < low + 0.2)
        spread = np.sqrt((p[there] * (1 - p[there])).sum())
        assert there.sum() > 100
        assert abs((y - p)[there].sum()) < 5 * spread


@pytest.mark.parametrize("structure", ["tree", "dag"])
def test_small_noise_makes_labels_a_function_of_the_rows(structure):
    data = make(structure=structure, noise=1e-4)
    assert micro_ap(data.Y, data.probabilities) > 0.999


def test_more_noise_lowers_the_ceiling():
    ceilings = []
    for noise in (0.05, 0.2, 1.0):
        data = make(2000, noise=noise)
        ceilings.append(micro_ap(data.Y, data.probabilities))
    assert ceilings[0] > ceilings[1] > ceilings[2]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("structure", ["tree", "dag"])
def test_no_perturbed_scores_beat_the_ceiling(seed, structure):
    data = make(2000, structure=structure, random_state=seed)
    generator = np.random.default_rng(seed)
    ceiling = micro_ap(data.Y, data.probabilities)
    for scale in (0.1, 0.3):
        disturbed = data.probabilities + scale * generator.random(data.Y.shape)
        assert micro_ap(data.Y, disturbed) < ceiling
    shuffled = generator.permutation(data.probabilities, axis=0)
    assert micro_ap(data.Y, shuffled) < ceiling


def test_neighbours_share_labels():
    data = make(1000, noise=0.05)
    squares = (data.X**2).sum(axis=1)
    distances = squares[:, None] + squares - 2 * data.X @ data.X.T
    np.fill_diagonal(distances, np.inf)
    nearest = data.Y[distances.argmin(axis=1)]
    random = data.Y[np.random.default_rng(0).permutation(1000)]
    assert (nearest != data.Y).mean() < (random != data.Y).mean() / 2


@pytest.mark.parametrize("labels_per_row", [0.5, 2, 6])
@pytest.mark.parametrize("noise", [0.05, 1])
def test_rows_of_a_tree_have_as_many_labels_as_asked(labels_per_row, noise):
    n_labels = make(4000, labels_per_row=labels_per_row, noise=noise).Y.sum(axis=1)
    # Both the boundaries, placed on 2048 other rows, and these rows are a draw.
    standard_error = n_labels.std() * np.sqrt(1 / 4000 + 1 / 2048)
    assert abs(n_labels.mean() - labels_per_row) < 4 * standard_error
    assert standard_error < labels_per_row / 10


@pytest.mark.parametrize("structure", ["tree", "dag"])
def test_labels_stay_few_in_a_large_hierarchy(structure):
    data = make(1000, n_nodes=1000, structure=structure)
    assert data.Y.sum(axis=1).mean() == pytest.approx(np.sqrt(1000), rel=0.2)
    assert (data.probabilities.mean(axis=0) > 0).all()


def test_more_rows_pose_the_same_problem():
    few, many = make(10, structure="dag"), make(100, structure="dag")
    assert few.hierarchy == many.hierarchy
    np.testing.assert_array_equal(few.coefficients, many.coefficients)
    np.testing.assert_array_equal(few.intercepts, many.intercepts)


def test_same_seed_gives_the_same_data():
    first, second, other = (make(random_state=seed) for seed in (7, 7, 8))
    for field in ("X", "Y", "probabilities"):
        np.testing.assert_array_equal(getattr(first, field), getattr(second, field))
    assert first.hierarchy == second.hierarchy
    assert not np.array_equal(first.X, other.X)


def test_result_is_a_data_set_like_any_other():
    data = make(hierarchy=DIAMONDS)
    assert isinstance(data, HMCDataset)
    assert data.hierarchy is DIAMONDS
    assert data.X.shape == (400, 5)
    assert data.Y.dtype == np.int8
    assert data.labeled.all()
    assert type(impute(data)) is type(data)


def test_one_row_and_one_feature_and_one_cluster_are_enough():
    data = make_hierarchical_classification(1, 1, n_clusters=1, random_state=0)
    assert data.Y.shape == (1, 30)
    assert np.isfinite(data.probabilities).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 0}, "n_samples to be an integer of at least 1, got 0"),
        ({"n_features": 1.0}, r"n_features to be an integer of at least 1, got 1\.0"),
        ({"n_clusters": -1}, "n_clusters to be an integer of at least 1, got -1"),
        ({"n_nodes": 0}, "n_nodes to be an integer of at least 1, got 0"),
        ({"n_roots": 0}, "n_roots to be an integer of at least 1, got 0"),
        ({"max_depth": "3"}, "max_depth to be an integer of at least 1, got '3'"),
        ({"structure": "dag", "max_parents": 1}, "max_parents .* at least 2, got 1"),
        ({"structure": "forest"}, "structure 'tree' or 'dag', got 'forest'"),
        ({"noise": 0}, "noise to be a finite number above 0, got 0"),
        ({"noise": np.nan}, "noise to be a finite number above 0, got nan"),
        ({"labels_per_row": -2}, "labels_per_row to be a finite number above 0"),
        ({"labels_per_row": 28}, "labels_per_row of at most .* got 28; lower it"),
    ],
)
def test_wrong_parameters_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_hierarchical_classification(**arguments)


def test_what_is_no_hierarchy_is_refused():
    with pytest.raises(HierarchyError, match=r"Expected a hilabel\.Hierarchy"):
        make(hierarchy=[(0, 1)])
