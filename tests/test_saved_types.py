"""What may be in a model file is declared, and what is declared is asked."""

from dataclasses import dataclass
from inspect import isabstract
from typing import Annotated, Any, Literal, get_args, get_origin

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel._saved_types import (
    SAVED_TYPES,
    Array,
    Count,
    Declaration,
    Maybe,
    Number,
    Sparse,
    Words,
    declared_fields,
    fits,
)
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.persistence._types import own_types

HALVES = Array("f8", ("n",), 0, 1)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (1, int),
        (np.int64(1), int),
        (1, float),
        (None, int | None),
        ("a", Literal["a", "b"]),
        ((1, "a"), tuple[int, str]),
        ([], list[str]),
        ({"a": (1,)}, dict[str, tuple[int, ...]]),
        (3, Count(1, 3)),
        (np.array([0.0, 1.0]), HALVES),
        (np.array([np.nan]), Array("f8", ("n",), 0, 1, gaps=True)),
        (sp.csr_array(np.eye(2)), Sparse("f8", ("n", 2), 0, 1)),
        (np.array(["a"], dtype=object), Words("n")),
        (np.array(["a"]), Array("U", ("n",))),
        (0.5, HALVES | Number(0, 1)),
    ],
)
def test_values_that_fit(value, kind):
    assert fits(value, kind, {})


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (True, int),
        (2**70, int),
        ("1", float),
        ((1, "a"), tuple[int, ...]),
        ((1,), tuple[int, int]),
        ([1], tuple[int, ...]),
        ({1: 1}, dict[str, int]),
        (0, Count(1)),
        (2**31, Count()),
        (float("nan"), Number()),
        (float("inf"), Number()),
        (np.array([0.0, 2.0]), HALVES),
        (np.array([np.nan]), HALVES),
        (np.array([np.inf]), Array("f8", ("n",))),
        (np.array([0, 1]), HALVES),
        (np.array([[0.5]]), HALVES),
        (np.array([0.5]).astype(">f8"), HALVES),
        ([0.5], HALVES),
        (sp.csc_array(np.eye(2)), Sparse("f8", ("n", "n"))),
        (sp.csr_array(np.eye(2) * 9), Sparse("f8", ("n", "n"), 0, 1)),
        (np.array(["a", 1], dtype=object), Words("n")),
    ],
)
def test_values_that_do_not(value, kind):
    assert not fits(value, kind, {})


def test_axes_of_one_name_have_one_size():
    sizes = {}
    assert fits(np.zeros(2), HALVES, sizes)
    assert not fits(np.zeros(3), HALVES, sizes)
    assert fits(np.zeros(3), Array("f8", ("*",)), sizes)


def test_a_subclass_declares_what_is_its_own_alone():
    @dataclass
    class Part:
        number: Annotated[int, Count()]

    assert declared_fields(Part) == {"number": Annotated[int, Count()]}
    assert "n_features_in_" in declared_fields(own_types()["SSHMCBLI"])


def is_declared(kind):
    """Say whether an annotation says of arrays, and of anything, what they hold."""
    args = get_args(kind)
    if isinstance(kind, Declaration | Maybe):
        return True
    if len(args) > 1 and any(isinstance(arg, Declaration) for arg in args[1:]):
        return True  # Annotated
    if kind in (Any, sp.csr_array) or get_origin(kind) is np.ndarray:
        return False
    return all(is_declared(arg) for arg in args if arg is not Ellipsis)


# Of which a file keeps nothing.
EMPTY = {"NeighborMemory"}
# A record of a fit is JSON (``FitRecord.is_sound``), what a backbone learned is of any
# form, and classifiers of scikit-learn are tried instead.
JSON = ("settings", "parameters", "matching", "tuning", "pseudo_labeling")
OPEN = {("ShapeWeights", "weights"), *(("FitRecord", name) for name in JSON)}


@pytest.mark.parametrize("name", sorted(SAVED_TYPES))
def test_every_saved_type_declares_its_fields(name):
    kind = SAVED_TYPES[name]
    assert declared_fields(kind) or name in EMPTY
    for field, declared in declared_fields(kind).items():
        if (name, field) not in OPEN and "Mixin" not in str(declared):
            assert is_declared(declared), f"{name}.{field} may be anything"


@pytest.mark.parametrize(
    "name",
    [
        name
        for name, kind in own_types().items()
        if issubclass(kind, BaseHierarchicalClassifier) and not isabstract(kind)
    ],
)
def test_every_method_declares_what_it_learns(name):
    own = own_types()[name]
    assert (
        declared_fields(own).keys() > declared_fields(BaseHierarchicalClassifier).keys()
    )
