"""What is kept of networks: its soundness, and a bound of all outputs."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from hilabel import Hierarchy
from hilabel.exceptions import ModelFileError
from hilabel.networks import FittedNetworks, InputScaling, NetworkShape
from hilabel.networks._fitted import ShapeWeights, largest_output
from hilabel.persistence._checks import check_object

GENERATOR = np.random.default_rng(0)
H = Hierarchy.from_dict({"a": ["b"], "b": []})
SCALING = InputScaling.of_columns(GENERATOR.normal(size=(9, 3)))


def make_part(n_members=2, layers=(5, 4), n_inputs=3, n_nodes=2, dtype=np.float32):
    sizes = [n_inputs, *layers, n_nodes]
    weights = {
        "weights": [
            GENERATOR.normal(size=(n_members, rows, columns)).astype(dtype)
            for rows, columns in pairwise(sizes)
        ],
        "biases": [np.zeros((n_members, size), dtype) for size in sizes[1:]],
    }
    return ShapeWeights("own", NetworkShape(layers=layers), weights, 10)


SOUND = FittedNetworks(SCALING, (make_part(), make_part(3, ())), "binary", (3,))


def with_array(kind, place, array):
    """Return networks of which one array is another."""
    part = make_part()
    part.weights[kind][place] = array
    return replace(SOUND, parts=(part,))


def zeros(*shape):
    return np.zeros(shape, np.float32)


HOSTILE = {
    "no parts": replace(SOUND, parts=()),
    "no members": replace(SOUND, parts=(make_part(0),)),
    "another loss": replace(SOUND, loss="none"),
    "other inputs": replace(SOUND, input_shape=(4,)),
    "no inputs": replace(SOUND, input_shape=(0,)),
    "inputs that are no numbers": replace(SOUND, input_shape=("3",)),
    "parts of other nodes": replace(SOUND, parts=(make_part(), make_part(n_nodes=3))),
    "other numbers": replace(SOUND, parts=(make_part(dtype=np.float64),)),
    "words": with_array("biases", 0, np.zeros((2, 5), "U3")),
    "a layer less": replace(SOUND, parts=(replace(make_part(), shape=NetworkShape()),)),
    "a layer too narrow": with_array("weights", 1, zeros(2, 5, 3)),
    "a layer too flat": with_array("weights", 1, zeros(5, 4)),
    "a bias too long": with_array("biases", 1, zeros(2, 5)),
    "a bias for other members": with_array("biases", 1, zeros(1, 4)),
    "no number": with_array("weights", 0, np.full((2, 3, 5), np.nan, np.float32)),
    "infinite": with_array("biases", 2, np.full((2, 2), np.inf, np.float32)),
    "too large": with_array("weights", 0, np.full((2, 3, 5), 1e28, np.float32)),
    "a mean of other columns": replace(SOUND, scaling=replace(SCALING, mean=zeros(1))),
    "no spread": replace(SOUND, scaling=replace(SCALING, spread=np.zeros(3))),
    "a spread of nothing": replace(
        SOUND, scaling=replace(SCALING, spread=np.full(3, np.nan))
    ),
    "an infinite mean": replace(
        SOUND, scaling=replace(SCALING, mean=np.full(3, np.inf))
    ),
    "no largest": replace(SOUND, scaling=replace(SCALING, largest=np.nan)),
    "an infinite largest": replace(SOUND, scaling=replace(SCALING, largest=np.inf)),
}


def test_networks_that_fit_are_sound_and_give_consistent_scores():
    assert is_accepted(SOUND)
    assert SOUND.n_outputs == 2
    scores = SOUND.predict(GENERATOR.normal(size=(4, 3)), H, None)
    assert (scores[:, 1] <= scores[:, 0]).all()


def is_accepted(networks):
    """Say whether a model file may hold these networks."""
    try:
        for part in (networks.scaling, *networks.parts, networks):
            check_object(part, vars(part))
    except (ModelFileError, KeyError):
        return False
    return True


@pytest.mark.parametrize("networks", HOSTILE.values(), ids=HOSTILE)
def test_arrays_that_do_not_fit_are_not_sound(networks):
    assert not is_accepted(networks)


def test_no_scaled_row_has_larger_outputs_than_the_bound():
    part = make_part()
    bound = largest_output(part.weights)
    for member in range(2):
        x = GENERATOR.choice([-1e6, 1e6], size=(50, 3))
        for place in range(3):
            x = x @ part.weights["weights"][place][member]
            assert np.abs(x).max() <= bound
            x = np.maximum(x, 0)


def test_features_of_a_backbone_that_are_not_finite_are_an_error():
    backbone = (lambda key, rows: np.float32(1), lambda weights, rows: rows / 0)
    part = make_part(layers=())
    part.weights["backbone"] = np.ones(2, np.float32)
    networks = replace(SOUND, parts=(part,))
    with pytest.raises(ValueError, match="finite features from the backbone, got"):
        networks.predict(np.zeros((2, 3)), H, backbone)


def test_networks_are_not_asked_without_their_backbone():
    with pytest.raises(ValueError, match="backbone that the networks were trained wi"):
        SOUND.predict(GENERATOR.normal(size=(4, 3)), H, (None, None))
