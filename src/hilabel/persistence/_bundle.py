"""Check the skops bundle in a model file before skops creates objects from it.

skops ensures that objects have trusted types, but not that their numbers are valid.
This module checks the numbers that scikit-learn's compiled code uses without bounds
checks, and checks sizes before anything is allocated.
"""

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from sklearn.tree._tree import NODE_DTYPE

from hilabel.exceptions import ModelFileError
from hilabel.persistence._archive import read_array, read_json, read_members

# The objects that skops may create from parts of a bundle, in its current format.
_LOADERS: Final = frozenset(
    f"{kind}Node"
    for kind in (
        *("Dict", "List", "Tuple", "Set", "Json", "NdArray", "Object", "Tree"),
        *("Type", "SparseMatrix", "RandomState", "Slice", "Loss", "DType", "Function"),
    )
)
_PROTOCOL: Final = 2
# The start of the nodes of a tree, as written by numpy.save.
_NODES: Final = f"{{'descr': {np.lib.format.dtype_to_descr(NODE_DTYPE)!r}, "


def check_bundle(data: bytes, *, any_loader: bool = False) -> None:
    """Refuse a bundle that contains unsupported kinds of objects or invalid arrays.

    Parameters
    ----------
    data : bytes
    any_loader : bool, default=False
        Whether the user trusts types of other libraries, which may need more.

    Raises
    ------
    ModelFileError
    """
    members = read_members(data)
    schema = read_json(members["schema.json"])
    if schema["protocol"] != _PROTOCOL:
        raise ModelFileError(f"it has parts of skops protocol {schema['protocol']!r}.")
    checked: set[str] = set()
    _check_numbers(schema)
    for node in _nodes_of(schema):
        loader = node["__loader__"]
        if loader not in _LOADERS and not any_loader:
            raise ModelFileError(f"it has a part that {loader!r} would create.")
        if loader == "NdArrayNode":
            _check_array(node, members)
        elif loader == "SparseMatrixNode":
            for part in read_members(members[node["file"]]).values():
                read_array(part)
        elif loader == "TreeNode":
            _check_tree(node, members)
            checked.add(_value_of(node, "nodes")["file"])
    for name, content in members.items():
        if name.endswith(".npy") and name not in checked:
            read_array(content)


def object_names(data: bytes) -> set[str]:
    """Return the full names of the classes of the objects in a bundle."""
    schema = read_json(read_members(data)["schema.json"])
    return {
        f"{node['__module__']}.{node['__class__']}"
        for node in _nodes_of(schema)
        if node["__loader__"] in ("ObjectNode", "TreeNode")
    }


def _nodes_of(schema: Any) -> Iterator[dict[str, Any]]:
    waiting = [schema]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            if "__loader__" in part:
                yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _check_numbers(schema: Any) -> None:
    """Refuse a bundle in which another part has the same id as a part of a tree.

    skops reads only the first of several parts with the same id, so an unchecked part
    could replace the checked part of the tree.
    """
    inside = {
        part.get("__id__"): part
        for node in _nodes_of(schema)
        if node["__loader__"] == "TreeNode"
        for part in _nodes_of([node["__reduce__"], node["content"]])
    }
    if any(inside.get(node.get("__id__"), node) != node for node in _nodes_of(schema)):
        raise ModelFileError("it has two parts with the same number.")


def _check_array(node: dict[str, Any], members: dict[str, bytes]) -> None:
    if node["type"] != "numpy":
        return
    if not node["file"].endswith(".npy") or node["file"] not in members:
        raise ModelFileError(f"it has no array {node['file']!r}.")
    name = node["__class__"]
    if name == "ndarray":
        return
    # A single number; other NumPy types would interpret it as a size.
    if getattr(np, name)().dtype.kind not in "biufU":
        raise ModelFileError(f"it has a number of type {name!r}.")
    if read_array(members[node["file"]]).shape != ():
        raise ModelFileError("it has several numbers instead of one.")


def _value_of(tree: dict[str, Any], name: str) -> Any:
    return tree["content"]["content"][name]


def _number(node: dict[str, Any], members: dict[str, bytes]) -> int:
    if node["__loader__"] == "NdArrayNode":
        return int(read_array(members[node["file"]])[()])
    return int(node["content"])


def _check_tree(node: dict[str, Any], members: dict[str, bytes]) -> None:
    """Refuse a tree whose declared sizes do not match its arrays."""
    n_features, n_classes, n_outputs = node["__reduce__"]["args"]["content"]
    classes = read_array(members[n_classes["file"]])
    nodes = members[_value_of(node, "nodes")["file"]]
    values = read_array(members[_value_of(node, "values")["file"]])
    n_nodes = _number(_value_of(node, "node_count"), members)
    start = 10 + int.from_bytes(nodes[8:10], "little")
    if not (
        nodes[10:start].decode("latin1").startswith(_NODES)
        and n_nodes * NODE_DTYPE.itemsize == len(nodes) - start
        and f"'shape': ({n_nodes},)" in nodes[10:start].decode("latin1")
        and n_nodes > 0
        and 0 < _number(n_features, members) < 2**31
        and classes.dtype == np.int64
        and classes.shape == (_number(n_outputs, members),)
        and (classes > 0).all()
        and values.dtype == np.float64
        and values.shape == (n_nodes, classes.size, classes.max(initial=0))
        and values.flags.c_contiguous
    ):
        raise ModelFileError("the arrays of a tree are inconsistent.")
