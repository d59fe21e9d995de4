"""HierarchicalNetwork: bits, folds, weights, bad input, and backbones."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import equinox
import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel.classifiers import HierarchicalNetwork
from hilabel.constraints import cap_by_parents
from hilabel.metrics import average_precision
from hilabel.networks import NetworkShape
from hilabel.semi_supervised import SSHMCBLI

SMALL = {"layers": (8,)}
H = Hierarchy.from_dict({"a": ["b", "c"], "d": []})


def network(hierarchy=H, **parameters):
    """Return a network of one size for most tests, so that little is compiled."""
    settings = {
        "shape": SMALL,
        "n_members": 2,
        "max_steps": 20,
        "batch_size": 16,
        "learning_rate": 0.05,
        "random_state": 0,
    }
    return HierarchicalNetwork(hierarchy, **settings | parameters)


@pytest.fixture(scope="module")
def rows():
    """Return features and labels, of which each but the last tells a label."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    Y = np.column_stack([X[:, 0] > -2, X[:, 0] > 0, X[:, 1] > 0, X[:, 2] > 0])
    return X, H.close(Y)


# Unlabelled rows ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def unlabeled():
    return np.random.default_rng(1).normal(size=(50, 4))


@pytest.fixture(scope="module")
def consistent(rows, unlabeled):
    """Return networks by how much consistency counts."""
    return {
        strength: network(consistency=strength).fit(*rows, unlabeled)
        for strength in (0.0, 1.0)
    }


def scored(model, X, Y):
    """Train a network, and return it with the out-of-fold scores of its rows."""
    data = model.check_training_data(X, LabelMatrix.of(np.asarray(Y, dtype=np.int8)))
    return model, model.fit_scoring(data).read()


def same_bits(one, other, X):
    return np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_consistency_is_chosen_out_of_fold(rows, unlabeled, consistent):
    best = max(consistent.values(), key=lambda model: model.quality_)
    chosen = network(consistency=[0, 1]).fit(*rows, unlabeled)
    assert consistent[0.0].quality_ != consistent[1.0].quality_
    assert chosen.consistency_ == best.consistency_
    assert chosen.quality_ == best.quality_
    assert same_bits(chosen, best, rows[0])


def test_without_unlabelled_rows_consistency_applies_to_labelled_ones(rows):
    model = network(consistency=1.0).fit(*rows)
    assert model.consistency_ == 1
    assert not same_bits(model, network().fit(*rows), rows[0])


def test_consistency_can_be_limited_to_labelled_rows(rows, unlabeled, consistent):
    model = network(consistency=1.0, consistency_rows="labeled")
    assert not model.learns_from_unlabeled
    model.fit(*rows, unlabeled)
    for strength in (0.0, 1.0):
        assert not same_bits(model, consistent[strength], rows[0])


@pytest.mark.parametrize("consistency", [[], [0, -1], [np.inf]])
def test_a_consistency_that_is_none_is_refused(rows, unlabeled, consistency):
    with pytest.raises(ValueError, match="Expected a consistency of 0 or more"):
        network(consistency=consistency).fit(*rows, unlabeled)


# Bits ---------------------------------------------------------------------------------


BITS = """
import json, numpy as np
from hilabel.classifiers import CHMCNN, HierarchicalNetwork
from hilabel.datasets import make_artificial
data = make_artificial()
found = {}
for name, model in {
    "ours": HierarchicalNetwork(
        data.hierarchy, shape={"layers": (33,), "dropout": 0, "swap": 0}, n_members=3,
        max_steps=20, random_state=0,
    ),
    "published": CHMCNN(data.hierarchy, n_layers=1, n_epochs=1, random_state=0),
}.items():
    X = data.X_test[:50]
    scores = model.fit(data.X_labeled, data.Y_labeled).predict_proba(X)
    again = model.fit(data.X_labeled, data.Y_labeled).predict_proba(X)
    alone = np.vstack([model.predict_proba(row[None]) for row in X])
    turned = model.predict_proba(X[::-1])[::-1]
    found[name] = [int((other != scores).sum()) for other in (again, alone, turned)]
print(json.dumps(found))
"""


@pytest.mark.skipif(
    not os.environ.get("HILABEL_SLOW_TESTS"),
    reason="compiles for long; set HILABEL_SLOW_TESTS=1",
)
def test_programs_compiled_as_for_users_give_the_same_bits_each_time():
    # Our tests compile in a hurry, which users do not; see conftest.py.
    settings = dict(os.environ)
    settings.pop("XLA_FLAGS", None)

    command = [sys.executable, "-c", BITS]
    done = subprocess.run(command, capture_output=True, check=True, env=settings)
    found = json.loads(done.stdout)
    assert found == {"ours": [0, 0, 0], "published": [0, 0, 0]}


def test_the_same_seed_gives_the_same_bits_and_another_does_not(rows):
    X, Y = rows
    first, scores = scored(network(), X, Y)
    second, same_scores = scored(network(), X, Y)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))
    np.testing.assert_array_equal(scores, same_scores)
    assert same_bits(network().fit(X, Y), first, X)
    assert first.curve_ == second.curve_
    other = network(random_state=1).fit(X, Y)
    assert (other.predict_proba(X) != first.predict_proba(X)).any()


def test_a_row_is_scored_the_same_alone_and_among_many(rows):
    X, Y = rows
    model = network().fit(X, Y)
    many = np.random.default_rng(1).normal(size=(300, 4))  # more than a block
    together = model.predict_proba(many)
    alone = np.vstack([model.predict_proba(row[None]) for row in many])
    np.testing.assert_array_equal(alone, together)


def test_sparse_rows_give_the_bits_of_dense_ones(rows):
    X, Y = rows
    X = np.where(np.abs(X) < 0.5, 0, X)
    X[3, 1] = np.nan
    dense, expected = scored(network(), X, Y)
    sparse, found = scored(network(), sp.csr_matrix(X), Y)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X)
    )


def test_where_jax_computes_in_double_precision_networks_do_not(rows):
    X, Y = rows
    linear = {"layers": (), "swap": 0}
    expected = network(shape=linear, max_steps=2).fit(X, Y).predict_proba(X)
    jax.config.update("jax_enable_x64", True)
    try:
        scores = network(shape=linear, max_steps=2).fit(X, Y).predict_proba(X)
    finally:
        jax.config.update("jax_enable_x64", False)
    assert scores.dtype == np.float32
    np.testing.assert_allclose(scores, expected, rtol=1e-5)


def test_fitting_again_continues_nothing(rows):
    X, Y = rows
    model = network().fit(X[:30], Y[:30])
    model.fit(X, Y)
    np.testing.assert_array_equal(
        model.predict_proba(X), network().fit(X, Y).predict_proba(X)
    )


# What is learned ----------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["binary", "max_constraint"])
def test_labels_are_learned_and_scores_are_consistent(loss, rows):
    X, Y = rows
    model = network(loss=loss, max_steps=100).fit(X, Y)
    scores = model.predict_proba(X)
    np.testing.assert_array_equal(scores, cap_by_parents(scores, H))
    prior = np.tile(Y.mean(axis=0), (len(Y), 1))
    assert average_precision(Y, scores) > average_precision(Y, prior) + 0.1
    assert model.quality_ > average_precision(Y, prior) + 0.1


def test_out_of_fold_scores_are_of_members_that_did_not_see_the_row():
    generator = np.random.default_rng(0)
    X = generator.normal(size=(60, 30))
    Y = generator.random((60, 4)) < 0.5  # nothing to learn but by heart
    model = network(
        Hierarchy(list("abcd")),
        shape={"layers": (64,), "dropout": 0.0, "swap": 0.0},
        max_steps=100,
        learning_rate=0.01,
        n_folds=2,
    )
    model, scores = scored(model, X, Y)
    assert average_precision(Y, model.predict_proba(X)) > 0.9
    assert model.quality_ == pytest.approx(Y.mean(), abs=0.12)
    assert model.quality_ == average_precision(Y, scores)


@pytest.mark.parametrize("is_apart", [False, True])
def test_given_folds_are_left_out_as_a_whole(is_apart):
    generator = np.random.default_rng(0)
    X = np.repeat(generator.normal(size=(30, 30)), 2, axis=0)
    Y = np.repeat(generator.random((30, 4)) < 0.5, 2, axis=0)  # nothing but by heart
    model = network(
        Hierarchy(list("abcd")),
        shape={"layers": (64,), "dropout": 0.0, "swap": 0.0},
        n_members=3,  # fewer than folds, so that two folds are left out together
        max_steps=60,
        learning_rate=0.01,
    )
    data = model.check_training_data(X, LabelMatrix.of(Y.astype(np.int8)))
    # Of each pair of equal rows, both are in one fold, or one in each of two.
    fold = np.tile([0, 1], 30) if is_apart else np.repeat(np.arange(30) % 5, 2)
    data = replace(data, fold=fold)
    assert model.scores_itself(data)
    quality = average_precision(Y, model.fit_scoring(data).read())
    assert (quality > 0.9) == is_apart
    one_fold = replace(data, fold=np.zeros(60, dtype=np.int64))
    assert not model.scores_itself(one_fold)


def test_out_of_fold_scores_stand_for_the_labelled_rows_in_their_order(rows):
    X, Y = rows
    partly = Y.astype(np.int8)
    partly[::3] = -1
    model, scores = scored(network(max_steps=60), X, partly)
    assert scores.shape == (40, 4)
    assert model.quality_ == average_precision(Y[np.arange(60) % 3 > 0], scores)
    assert model.quality_ == max(quality for _, _, quality in model.curve_)
    assert [steps for _, steps, _ in model.curve_][:2] == [15, 30]
    assert {name for name, _, _ in model.curve_} == {"own"} == set(model.shapes_)


def test_unlabelled_rows_only_help_to_scale(rows):
    X, Y = rows
    model = network().fit(X[:40], Y[:40], X_unlabeled=X[40:])
    mixed = network().fit(X, np.where(np.arange(60)[:, None] < 40, Y, -1))
    np.testing.assert_array_equal(model.predict_proba(X), mixed.predict_proba(X))
    np.testing.assert_allclose(model.networks_.scaling.mean, X.mean(axis=0))


def test_missing_values_and_frames_are_taken(rows):
    X, Y = rows
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    frame = pd.DataFrame(X, columns=list("wxyz"))
    model = network().fit(frame, pd.DataFrame(Y.astype(int), columns=list("abcd")))
    assert list(model.feature_names_in_) == list("wxyz")
    np.testing.assert_array_equal(
        model.predict_proba(frame), network().fit(X, Y).predict_proba(X)
    )


# Weights ------------------------------------------------------------------------------


def test_a_row_of_weight_zero_is_left_out(rows):
    X, Y = rows
    weights = np.ones(60)
    weights[50:] = 0
    model = network().fit(X, Y, sample_weight=weights)
    # It helps to scale as little as to learn.
    without = network().fit(X[:50], Y[:50], sample_weight=np.ones(50))
    np.testing.assert_array_equal(model.predict_proba(X), without.predict_proba(X))


def test_heavier_rows_matter_more(rows):
    X, _ = rows
    contradicting = np.vstack([X, X])
    Y = np.repeat([[1, 1, 1, 1], [0, 0, 0, 0]], 60, axis=0)
    for heavy, is_higher in [(0, True), (1, False)]:
        weights = np.where(np.arange(120) // 60 == heavy, 10.0, 1.0)
        model = network().fit(contradicting, Y, sample_weight=weights)
        assert (model.predict_proba(X).mean() > 0.5) == is_higher


# Bad input ----------------------------------------------------------------------------


def test_cells_of_nan_among_labels_are_left_out(rows):
    X, Y = rows
    partly = Y.astype(float)
    partly[:, 1] = np.nan
    model = network().fit(X, partly)
    assert np.isfinite(model.predict_proba(X)).all()
    assert model.networks_.parts[0].weights["biases"][-1].shape == (2, 4)


@pytest.mark.parametrize("n_labeled", [1, 2, 3])
def test_a_few_labelled_rows_give_a_working_model(n_labeled, rows):
    X, Y = rows
    model = network(max_steps=None).fit(
        X[:n_labeled], Y[:n_labeled], X_unlabeled=X[n_labeled:]
    )
    assert np.isfinite(model.predict_proba(X)).all()
    assert np.isnan(model.quality_) == (n_labeled == 1)


def test_constant_columns_and_columns_of_nan_teach_nothing(rows):
    X, Y = rows
    X = X.copy()
    X[:, 1] = 7.0
    X[:, 3] = np.nan
    model = network().fit(X, Y)
    new = np.random.default_rng(1).normal(size=(5, 4)) * 1e29
    assert np.isfinite(model.predict_proba(new)).all()


@pytest.mark.parametrize("present", [[], [0], [0, 1, 3]])
def test_nodes_without_positives_score_low(present, rows):
    X, _ = rows
    Y = np.zeros((60, 4))
    Y[:30, present] = 1
    model = network(max_steps=None if not present else 20).fit(X, Y)
    scores = model.predict_proba(X)
    absent = np.setdiff1d(range(4), present)
    assert (scores[:, absent] < 0.1).all()
    assert np.isnan(model.quality_) == (not present)


def test_a_rate_too_high_is_an_error_that_names_it(rows):
    X, Y = rows
    model = network(learning_rate=1e6, shape={"layers": (8, 8, 8), "dropout": 0})
    with pytest.raises(
        ValueError, match=r"Training diverged: .* Lower learning_rate, now 1e\+06"
    ):
        model.fit(X, Y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"shape": "huge"}, "'shape' parameter .* must be a str among .*'auto'"),
        ({"shape": 3}, "'shape' parameter"),
        ({"shape": {"units": 3}}, "shape of layers, dropout, swap, got 'units'"),
        ({"shape": {"layers": (0,)}}, "layer sizes"),
        ({"shape": {"dropout": 2}}, "dropout of at least 0 and below 1"),
        ({"loss": "hinge"}, "'loss' parameter"),
        ({"n_members": 0}, "'n_members' parameter"),
        ({"n_folds": 1}, "'n_folds' parameter"),
        ({"max_steps": 0}, "'max_steps' parameter"),
        ({"learning_rate": 0.0}, "'learning_rate' parameter"),
        ({"backbone": "conv"}, "Expected backbone to be a pair of functions"),
    ],
)
def test_parameters_that_cannot_be_are_refused(parameters, message, rows):
    with pytest.raises((ValueError, TypeError), match=message):
        network(**parameters).fit(*rows)


# Parameters ---------------------------------------------------------------------------


def test_a_dict_for_the_shape_is_neither_changed_nor_copied_away(rows):
    shape = {"layers": [8]}
    model = network(shape=shape).fit(*rows)
    assert model.get_params()["shape"] is shape
    assert shape == {"layers": [8]}
    copy = clone(model)
    assert copy.shape == shape
    assert not hasattr(copy, "networks_")
    assert HierarchicalNetwork(**model.get_params()).get_params() == model.get_params()
    np.testing.assert_array_equal(
        copy.fit(*rows).predict_proba(rows[0]),
        network(shape=NetworkShape(layers=(8,))).fit(*rows).predict_proba(rows[0]),
    )


def test_progress_is_told_on_the_screen(rows, capsys):
    network(verbose=2).fit(*rows)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1
    assert "own, 20 steps: out-of-fold average precision 0." in lines[0]


# Backbones ----------------------------------------------------------------------------


def init(key, images):
    return jax.random.normal(key, (3, 3)) / 3


def convolve(kernel, images):
    return jax.nn.relu(
        jnp.stack(
            [jnp.abs(images[:, i : i + 6, i : i + 6] * kernel[i, i]) for i in range(3)]
        )
        .sum(axis=0)
        .reshape(len(images), -1)
    )


class Module:
    def init(self, key, images):
        return {"params": init(key, images)}

    def apply(self, weights, images):
        return convolve(weights["params"], images)


class Maker(equinox.Module):
    kernel: jax.Array

    def __call__(self, image):
        return convolve(self.kernel, image[None])[0]


def make_module(key):
    return Maker(init(key, None))


@pytest.fixture(scope="module")
def images():
    generator = np.random.default_rng(0)
    X = generator.random((40, 8, 8))
    bright = np.arange(40) % 2 == 0
    X[bright] *= 3
    return X, H.close(np.column_stack([bright, bright, ~bright, ~bright]))


def test_backbones_of_every_form_learn_from_images(images):
    X, Y = images
    found = []
    for backbone in ((init, convolve), Module(), make_module):
        model = network(shape="auto", backbone=backbone, max_steps=60).fit(X, Y)
        assert model.quality_ > 0.9
        assert set(model.shapes_) == {"head"}
        found.append(model.predict_proba(X))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-4)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-4)


def test_images_may_be_unlabelled_and_must_have_the_shape_of_those_in_training(images):
    X, Y = images
    model = network(shape="auto", backbone=(init, convolve), max_steps=2)
    model.fit(X[:20], Y[:20], X_unlabeled=X[20:])
    mixed = clone(model).fit(X, np.where(np.arange(40)[:, None] < 20, Y, -1))
    np.testing.assert_array_equal(model.predict_proba(X), mixed.predict_proba(X))
    for call in (
        lambda: model.predict_proba(X[:, :4]),
        lambda: clone(model).fit(X[:20], Y[:20], X_unlabeled=X[20:, :4]),
    ):
        with pytest.raises(
            ValueError, match=r"rows of shape \(8, 8\), as in .*\(4, 8\)"
        ):
            call()
    # Other images in another fit.
    model.fit(X[:, :, :8], Y)


def test_images_without_a_backbone_are_refused(images):
    with pytest.raises(ValueError, match="dim 3"):
        network().fit(*images)


def test_a_network_is_the_base_of_a_semi_supervised_method(rows):
    X, Y = rows
    model = SSHMCBLI(H, estimator=network(max_steps=5), random_state=0)
    model.fit(X[:20], Y[:20], X_unlabeled=X[20:])
    assert np.isfinite(model.predict_proba(X)).all()
