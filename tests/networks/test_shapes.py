"""NetworkShape: what it refuses, and how it is made."""

import numpy as np
import pytest

from hilabel.networks import SHAPES, NetworkShape


@pytest.mark.parametrize("layers", [(0,), (-1,), (2.5,), ("a",), 5, None, "512"])
def test_sizes_of_layers_that_cannot_be_are_refused(layers):
    with pytest.raises(ValueError, match=r"Expected layer sizes, .* got "):
        NetworkShape(layers=layers)


@pytest.mark.parametrize("field", ["dropout", "swap"])
@pytest.mark.parametrize("share", [-0.1, 1, 1.5, np.nan, "0.5", None])
def test_shares_that_cannot_be_are_refused(field, share):
    with pytest.raises(ValueError, match=f"Expected a {field} of at least 0 and below"):
        NetworkShape(**{field: share})


def test_layers_may_come_in_any_sequence_of_whole_numbers():
    shapes = [
        NetworkShape(layers=layers) for layers in ((3, 2), [3, 2], np.array([3, 2]))
    ]
    assert len(set(shapes)) == 1
    assert all(type(size) is int for size in shapes[-1].layers)


def test_fields_that_are_not_there_are_refused_with_those_that_are():
    with pytest.raises(
        ValueError, match="Expected a shape of layers, dropout, swap, got 'layer'"
    ):
        NetworkShape.of({"layer": (3,)})
    assert NetworkShape.of({"swap": 0.1}) == NetworkShape(swap=0.1)


def test_named_shapes_cannot_be_changed():
    with pytest.raises(TypeError, match="item assignment"):
        SHAPES["mid"] = NetworkShape()
