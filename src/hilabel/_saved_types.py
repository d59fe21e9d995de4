"""Types that a model file may contain, and constraints on their fields.

Each type declares its constraints where it is defined: dataclasses and named tuples
annotate their fields, and other classes list fitted attributes in
``_saved_attributes``. The method ``is_sound`` checks relations between fields. Nothing
from a file is used before both checks pass.
"""

import math
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields as fields_of, is_dataclass
from functools import cache
from numbers import Integral, Real
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
import scipy.sparse as sp

SAVED_TYPES: dict[str, type] = {}
"""Keyed by the name used in model files."""

MOST: Final = 2**31 - 1
"""The largest count allowed in a model file; no real model comes close."""

Type = TypeVar("Type", bound=type)


def saved_type(kind: Type) -> Type:
    """Allow model files to contain objects of this class.

    Loading creates an empty object and sets its attributes, so the class must not run
    any code at this point.
    """
    if kind.__name__ in SAVED_TYPES:
        raise TypeError(f"Two saved types are named {kind.__name__!r}; rename one.")
    SAVED_TYPES[kind.__name__] = kind
    return kind


# Declarations -------------------------------------------------------------------------


class Declaration:
    """Base class for declarations about a value; ``|`` combines two declarations."""

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration and the named axis sizes."""
        raise NotImplementedError

    def __or__(self, other: "Declaration") -> "Declaration":
        return Either(self, other)


@dataclass(frozen=True)
class Either(Declaration):
    """A value that matches one of two declarations."""

    one: Declaration
    other: Declaration

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration."""
        return self.one.fits(value, sizes) or self.other.fits(value, sizes)


@dataclass(frozen=True)
class Count(Declaration):
    """An integer within bounds, both inclusive."""

    least: int = 0
    most: int = MOST

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration."""
        return _is_whole(value) and self.least <= value <= self.most


@dataclass(frozen=True)
class Number(Declaration):
    """A finite number within bounds, both inclusive."""

    least: float = -math.inf
    most: float = math.inf

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration."""
        return (
            isinstance(value, Real)
            and not isinstance(value, bool | np.bool_)
            and math.isfinite(value)
            and self.least <= float(value) <= self.most
        )


@dataclass(frozen=True)
class Array(Declaration):
    """An array with a dtype, fixed or named axis sizes, and values within bounds.

    Axes with the same name have the same size in all arrays of an object; axes named
    "*" have any size. Values must be finite; ``gaps`` also allows NaN.
    """

    dtype: str  # "U" stands for strings of any length
    shape: tuple[str | int, ...]
    least: float = -math.inf
    most: float = math.inf
    gaps: bool = False

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration and the named axis sizes."""
        return (
            isinstance(value, np.ndarray)
            and _has_dtype(value, self.dtype)
            and _has_axes(value.shape, self.shape, sizes)
            and _is_within(value, self.least, self.most, self.gaps)
        )


@dataclass(frozen=True)
class Sparse(Declaration):
    """A CSR matrix with valid indices and the constraints of ``Array``."""

    dtype: str
    shape: tuple[str | int, ...]
    least: float = -math.inf
    most: float = math.inf
    gaps: bool = False

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration and the named axis sizes."""
        return (
            isinstance(value, sp.csr_array | sp.csr_matrix)
            and _has_dtype(value, self.dtype)
            and _has_axes(value.shape, self.shape, sizes)
            and _is_within(value.data, self.least, self.most, self.gaps)
        )


@dataclass(frozen=True)
class Words(Declaration):
    """A one-dimensional array of Python strings, with a named axis."""

    axis: str

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration and the named axis sizes."""
        return (
            isinstance(value, np.ndarray)
            and value.dtype == object
            and _has_axes(value.shape, (self.axis,), sizes)
            and all(isinstance(word, str) for word in value)
        )


@dataclass(frozen=True)
class Pair(Declaration):
    """A tuple of two values that match the same declaration."""

    kind: Declaration

    def fits(self, value: Any, sizes: dict[str, int]) -> bool:
        """Return whether a value matches the declaration."""
        return (
            isinstance(value, tuple)
            and len(value) == 2
            and all(self.kind.fits(item, sizes) for item in value)
        )


@dataclass(frozen=True)
class Maybe:
    """An attribute that not all fitted estimators have."""

    kind: Any


@cache
def declared_fields(kind: type) -> dict[str, Any]:
    """Return a class's declarations of its fields or fitted attributes."""
    if hasattr(kind, "_saved_attributes") or hasattr(kind, "get_params"):
        declared: dict[str, Any] = {}
        for base in reversed(kind.__mro__):
            declared |= vars(base).get("_saved_attributes", {})
        return declared
    if is_dataclass(kind):
        names = [field.name for field in fields_of(kind)]
    else:
        names = list(getattr(kind, "_fields", ()))
    hints = get_type_hints(kind, include_extras=True) if names else {}
    return {name: hints[name] for name in names}


def fits(value: Any, kind: Any, sizes: dict[str, int]) -> bool:
    """Return whether a value matches an annotation or declaration.

    Parameters
    ----------
    value : object
    kind : type, annotation or declaration
    sizes : dict
        The sizes of named axes; new names are added.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel._saved_types import Array, fits
    >>> fits((1, 2), tuple[int, ...], {}), fits((1, "a"), tuple[int, ...], {})
    (True, False)
    >>> fits(np.array([0.5, 2.0]), Array("f8", ("n",), 0, 1), {})
    False
    """
    if kind is Any:
        return True
    if isinstance(kind, Declaration):
        return kind.fits(value, sizes)
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return all(fits(value, declared, sizes) for declared in args[1:])
    if origin in (Union, types.UnionType):
        return any(fits(value, option, sizes) for option in args)
    if origin is Literal:
        return isinstance(value, str | bool | int) and value in args
    if origin is not None:
        return _holds(value, origin, args, sizes)
    if kind is None:
        return value is None
    if kind is float:
        return isinstance(value, Real) and not isinstance(value, bool)
    if kind is int:
        return _is_whole(value) and abs(value) <= 2**63
    return isinstance(value, kind)


def _holds(value: Any, origin: Any, args: Any, sizes: dict[str, int]) -> bool:
    """Return whether a value is a container of the given type with valid contents."""
    if issubclass(origin, Mapping):
        key, item = args
        return isinstance(value, dict) and all(
            fits(k, key, sizes) and fits(v, item, sizes) for k, v in value.items()
        )
    container: Any = (tuple, list) if origin is Sequence else origin
    if not isinstance(value, container):
        return False
    if origin is tuple and args[-1] is not Ellipsis:
        return len(value) == len(args) and all(
            fits(item, kind, sizes) for item, kind in zip(value, args)
        )
    return all(fits(item, args[0], sizes) for item in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool | np.bool_)


def _has_dtype(value: Any, dtype: str) -> bool:
    if dtype == "U":
        return bool(value.dtype.kind == "U")
    return bool(value.dtype == np.dtype(dtype))


def _has_axes(
    shape: tuple[int, ...], axes: tuple[str | int, ...], sizes: dict[str, int]
) -> bool:
    if len(shape) != len(axes):
        return False
    expected = [
        size
        if axis == "*"
        else (sizes.setdefault(axis, size) if isinstance(axis, str) else axis)
        for axis, size in zip(axes, shape)
    ]
    return list(shape) == expected


def _is_within(values: Any, least: float, most: float, gaps: bool) -> bool:
    """Return whether all values are within bounds."""
    if values.dtype.kind not in "iuf" or values.size == 0:
        return True
    if gaps:
        values = values[~np.isnan(values)]
        if values.size == 0:
            return True
    low, high = values.min(), values.max()  # NaN, if there is one
    return bool(
        low >= least and high <= most and math.isfinite(low) and math.isfinite(high)
    )
