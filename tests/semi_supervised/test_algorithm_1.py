"""SSHMC-BLI with the paper's profile agrees with Algorithm 1, written from its text."""

import numpy as np
import pytest
from oracles.algorithm_1 import algorithm_1, build_pseudo_label, k_in_pass, sisi

from hilabel import Hierarchy
from hilabel.semi_supervised import SSHMCBLI

N_SETTINGS = 50


def random_rows(generator):
    """Return a DAG, labelled rows around centres with labels, and unlabelled rows."""
    n_nodes = int(generator.integers(2, 9))
    edges = [
        (parent, child)
        for child in range(1, n_nodes)
        for parent in range(child)
        if generator.random() < 0.4
    ]
    hierarchy = Hierarchy([f"n{i}" for i in range(n_nodes)], edges)
    centers = generator.normal(size=(4, 2)) * 2
    n_labeled, n_unlabeled = generator.integers(20, 30), generator.integers(15, 40)
    kind = generator.integers(4, size=n_labeled + n_unlabeled)
    rows = centers[kind] + generator.normal(size=(kind.size, 2))
    usual = generator.random((4, n_nodes)) < 0.4
    changed = generator.random((n_labeled, n_nodes)) < 0.15
    Y = hierarchy.close((usual[kind[:n_labeled]] != changed).astype(int))
    return hierarchy, rows[:n_labeled], np.asarray(Y), rows[n_labeled:]


def random_settings(generator):
    return {
        "variant": int(generator.choice([1, 2, 3])),
        "k": int(generator.integers(2, 6)),
        "THR": float(generator.choice([0, 0.3, 0.5, 0.7, 0.95, 1])),
        "t2label": float(generator.choice([0, 0.3, 0.5, 0.6, 1])),
        "max_iterations": int(generator.integers(1, 26)),
        "k_step": int(generator.integers(1, 5)),
    }


def run_both(seed):
    """Return settings, the result of Algorithm 1, a model and its training rows."""
    generator = np.random.default_rng(seed)
    hierarchy, X, Y, U = random_rows(generator)
    asked = random_settings(generator)
    # Growing by more than the labelled rows is an error in every implementation.
    asked["max_iterations"] = min(asked["max_iterations"], 12 * asked["k_step"])
    expected = algorithm_1(X.tolist(), Y.tolist(), U.tolist(), **asked)
    model = SSHMCBLI(
        hierarchy,
        profile="paper",
        variant=f"v{asked['variant']}",
        n_neighbors=asked["k"],
        similarity_threshold=asked["THR"],
        label_threshold=asked["t2label"],
        max_iter=asked["max_iterations"],
        k_step=asked["k_step"],
    )
    training = model.pseudo_label(X, Y, X_unlabeled=U)
    return asked, expected, model, training


@pytest.fixture(scope="module")
def runs():
    return [run_both(seed) for seed in range(N_SETTINGS)]


pytestmark = pytest.mark.filterwarnings("ignore::hilabel.exceptions.HilabelWarning")


def test_pseudo_labels_are_those_of_algorithm_1(runs):
    for asked, expected, model, training in runs:
        psl = expected.pseudo_labels
        n_nodes = model.hierarchy_.n_nodes
        labels = [[-1] * n_nodes if one is None else one for one in psl]
        given = model.training_data_.Y_labeled
        found = model.transduction_[len(given) :]
        assert found.tolist() == labels, asked
        # CL, the labels that the final classifier is trained on.
        CL = [*given.astype(int).tolist(), *(one for one in psl if one is not None)]
        assert training.Y_labeled.astype(int).tolist() == CL, asked


def test_passes_and_neighbourhoods_are_those_of_algorithm_1(runs):
    for asked, expected, model, _ in runs:
        assert model.n_iter_ == expected.n_passes, asked
        sizes = [done.n_neighbors for done in model.history_]
        assert sizes == expected.neighborhood_sizes, asked


def test_the_settings_reach_every_part_of_the_algorithm(runs):
    ends, grown, kept = set(), 0, []
    for asked, expected, model, _ in runs:
        ends.add((asked["variant"], model.termination_condition_))
        grown += len(set(expected.neighborhood_sizes)) > 1
        kept.append(np.mean([one is not None for one in expected.pseudo_labels]))
    assert ends >= {(v, end) for v in (2, 3) for end in ("unchanged", "max_iter")}
    assert (1, "unchanged") in ends
    assert grown >= 5
    assert min(kept) < 0.5 < max(kept)


def test_the_oracle_computes_the_examples_of_the_paper():
    # The instances of the figure on pseudo-labels, and t2label = 0.5.
    CL = [[1, 1, 0, 1, 1, 0], [1, 1, 0, 0, 1, 0], [0, 1, 0, 0, 0, 1]]
    assert build_pseudo_label([0, 1, 2], CL, 0.5) == [1, 1, 0, 0, 1, 0]
    # By hand: two neighbours 2 apart, at distances 4 and 2; a third beside the first.
    assert sisi((4, 0), [(0, 0), (2, 0)], 3) == pytest.approx(0.75)
    assert sisi((4, 0), [(0, 0), (2, 0), (0, 2)], 3) == pytest.approx(
        0.733196, abs=1e-6
    )
    assert [k_in_pass(T, 3, 10) for T in (1, 10, 11, 20, 21)] == [3, 3, 4, 4, 5]
