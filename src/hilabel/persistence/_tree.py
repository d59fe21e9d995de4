"""Convert objects to a list of plain JSON nodes, with the arrays stored separately.

Every array, sparse matrix, hierarchy and object of a listed type becomes one entry of
the list, placed after the entries that it refers to. Entries are referred to by number,
so shared objects stay shared. Objects of other types are stored by skops in one bundle.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from hilabel._saved_types import Array, fits
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import ModelFileError
from hilabel.hierarchy import Hierarchy
from hilabel.persistence._checks import check_object
from hilabel.persistence._types import name_of, own_types

_SPARSE = {
    kind.__name__: kind
    for kind in (sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix)
}
_SEQUENCES: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "set": set,
    "frozenset": frozenset,
}
# A vectoriser stores a memory address, which every process sets anew; a classifier that
# is loaded, that it comes from a file.
_FLEETING = frozenset({"_stop_words_id", "_is_from_file"})
_FLOATS = {repr(value): value for value in (math.nan, math.inf, -math.inf)}
_DTYPES = {
    np.dtype(kind).str: np.dtype(kind) for kind in np.typecodes["AllInteger"] + "efd?"
}


class TreeWriter:
    """Convert an object to ``entries``, ``arrays`` and ``foreign`` objects."""

    def __init__(self) -> None:
        self.entries: list[Any] = []
        self.arrays: list[Any] = []
        self.foreign: list[Any] = []
        self._number_of: dict[int, int] = {}
        # Kept alive, because another object could get the id() of a deleted one.
        self._kept: list[Any] = []

    def node(self, value: Any) -> Any:
        """Return the JSON node for a value, adding entries as needed."""
        if value is None or isinstance(value, str | bool):
            return value
        if type(value) is int:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        for name, kind in _SEQUENCES.items():
            if type(value) is kind:
                # The order of a set differs between processes.
                is_set = isinstance(value, set | frozenset)
                items = sorted(value, key=repr) if is_set else value
                return {name: [self.node(item) for item in items]}
        if type(value) is dict:
            pairs = [[self.node(k), self.node(v)] for k, v in value.items()]
            return {"dict": pairs}
        if type(value) is slice:
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, np.dtype) and value.str in _DTYPES:
            return {"dtype": value.str}
        return {"ref": self._entry_number(value)}

    def _entry_number(self, value: Any) -> int:
        if id(value) not in self._number_of:
            entry = self._entry(value)
            self._number_of[id(value)] = len(self.entries)
            self._kept.append(value)
            self.entries.append(entry)
        return self._number_of[id(value)]

    def _entry(self, value: Any) -> dict[str, Any]:
        if isinstance(value, np.ndarray | np.generic):
            return self._array_entry(value)
        if isinstance(value, Hierarchy):
            return {
                "hierarchy": [list(value.names), list(value.titles)],
                "edges": self.node(value.edges),
            }
        if type(value) in _SPARSE.values():
            parts = (value.data, value.indices, value.indptr)
            return {
                "sparse": type(value).__name__,
                "shape": list(value.shape),
                "parts": [self.node(part) for part in parts],
            }
        name = name_of(value)
        if name is None:
            self.foreign.append(value)
            return {"foreign": len(self.foreign) - 1}
        state = _state_of(value)
        return {
            "type": name,
            "state": {key: self.node(item) for key, item in state.items()},
        }

    def _array_entry(self, value: Any) -> dict[str, Any]:
        if value.dtype.hasobject:
            array = np.asarray(value)
            if not all(isinstance(item, str | None) for item in array.flat):
                raise ModelFileError(
                    "The model cannot be saved: it contains an array of Python objects "
                    f"other than strings, of shape {array.shape}."
                )
            return {"words": list(array.flat), "shape": list(array.shape)}
        self.arrays.append(value)
        kind = "scalar" if isinstance(value, np.generic) else "array"
        return {kind: len(self.arrays) - 1}


class TreeReader:
    """Restore an object from its entries.

    Parameters
    ----------
    arrays, foreign : sequence
        The objects stored separately from the entries.
    """

    def __init__(self, arrays: Sequence[Any], foreign: Sequence[Any]) -> None:
        self._arrays = arrays
        self._foreign = foreign
        self._values: list[Any] = []

    def read(self, entries: Sequence[Mapping[str, Any]], root: Any) -> Any:
        """Return the value of the ``root`` node, given all entries."""
        for entry in entries:
            self._values.append(self._entry_value(entry))
        return self._value(root)

    def _value(self, node: Any) -> Any:
        if not isinstance(node, dict):
            return node
        ((kind, content),) = node.items()
        if kind == "ref":
            return _numbered(self._values, content)
        if kind == "float":
            return _FLOATS[content]
        if kind == "slice":
            return slice(
                *(None if end is None else operator.index(end) for end in content)
            )
        if kind == "dtype":
            return _DTYPES[content]
        if kind == "dict":
            return {self._value(key): self._value(value) for key, value in content}
        return _SEQUENCES[kind](self._value(item) for item in content)

    def _entry_value(self, entry: Mapping[str, Any]) -> Any:
        if "array" in entry:
            return _numbered(self._arrays, entry["array"])
        if "scalar" in entry:
            return _scalar(_numbered(self._arrays, entry["scalar"]))
        if "words" in entry:
            return _words(entry["words"], entry["shape"])
        if "hierarchy" in entry:
            names, titles = entry["hierarchy"]
            return _hierarchy(names, titles, self._value(entry["edges"]))
        if "sparse" in entry:
            parts = [self._value(part) for part in entry["parts"]]
            return _sparse(entry["sparse"], parts, entry["shape"])
        if "foreign" in entry:
            return _numbered(self._foreign, entry["foreign"])
        return self._own_value(entry)

    def _own_value(self, entry: Mapping[str, Any]) -> Any:
        kind = own_types().get(entry["type"])
        if kind is None:
            raise ModelFileError(
                f"the file contains an object of type {entry['type']!r}, which hilabel "
                "does not know and therefore does not load."
            )
        state = {key: self._value(node) for key, node in entry["state"].items()}
        value: Any
        if issubclass(kind, tuple):
            value = kind(**state)
        else:
            value = object.__new__(kind)
            value.__dict__.update(state)
        check_object(value, state)
        if isinstance(value, BaseHierarchicalClassifier):
            value._is_from_file = True
        return value


def _state_of(value: Any) -> dict[str, Any]:
    """Return a dict of the attributes of an object, excluding caches."""
    if hasattr(value, "_asdict"):
        return value._asdict()
    if is_dataclass(value) and not isinstance(value, BaseEstimator):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    return {key: item for key, item in vars(value).items() if key not in _FLEETING}


def _numbered(values: Sequence[Any], number: Any) -> Any:
    if type(number) is not int or not 0 <= number < len(values):
        raise ModelFileError(f"it refers to number {number!r} of {len(values)}.")
    return values[number]


def _scalar(array: Any) -> Any:
    if array.shape != ():
        raise ModelFileError(f"expected a single value, got shape {array.shape}.")
    return array[()]


def _words(words: Any, shape: Any) -> Any:
    if not (
        isinstance(words, list) and all(isinstance(word, str | None) for word in words)
    ):
        raise ModelFileError("expected strings, got something else.")
    array = np.empty(len(words), dtype=object)
    array[:] = words
    return array.reshape(shape)


def _hierarchy(names: Any, titles: Any, edges: Any) -> Hierarchy:
    if not (
        isinstance(names, list)
        and fits(titles, list[str], {})
        and fits(edges, Array("i8", ("n_edges", 2)), {})
    ):
        raise ModelFileError("a hierarchy has no names, titles or edges.")
    return Hierarchy(names, edges, titles)


def _sparse(kind: str, parts: Sequence[Any], shape: Sequence[Any]) -> Any:
    """Create a sparse matrix, after checking its indices."""
    data, indices, indptr = parts
    numbers = {name: Array(name, ("*",), 0) for name in ("i4", "i8")}
    if not (
        fits(shape, list[int], {})
        and len(shape) == 2
        and isinstance(data, np.ndarray)
        and data.dtype.kind in "biuf"
        and any(
            fits(indices, each, {}) and fits(indptr, each, {})
            for each in numbers.values()
        )
    ):
        raise ModelFileError("the parts of a sparse matrix are not arrays of numbers.")
    n_pointers = shape["csc" in kind] + 1
    if not (
        data.shape == indices.shape
        and indptr.size == n_pointers
        and indptr[0] == 0
        and indptr[-1] == data.size
        and (np.diff(indptr) >= 0).all()
        and indices.max(initial=-1) < shape["csr" in kind]
    ):
        raise ModelFileError("the indices of a sparse matrix are out of range.")
    return _SPARSE[kind]((data, indices, indptr), shape=tuple(shape))
