"""Change a model file somewhere, and seal it again as if nobody had.

A file is taken apart into its members, arrays and JSON; so is the bundle of skops
inside. Every change draws from one generator, so that a case is its seed.
"""

import hashlib
import io
import json
import struct
import zipfile
from contextlib import suppress

import numpy as np

SEAL = b"hilabel-model sha256:"
ROOM = b"0" * (len(SEAL) + 64)
BUNDLE = "foreign.skops"
JSON_MEMBERS = ("model.json", "manifest.json", "schema.json")

WHOLE = (-1, -2, 0, 1, 2, 3, 255, 2**31, -(2**31), 2**63 - 1, 2**70, 10**18)
REAL = (np.nan, np.inf, -np.inf, -1.0, 2.0, 1e308, -1e308, 1e-320, 0.0)
ODD_NODES = (
    None,
    True,
    "",
    "x",
    "../../etc/passwd",
    "builtins.eval",
    [],
    {},
    {"float": "nan"},
    {"float": "inf"},
    {"float": "x" * 50},
    {"dtype": "O"},
    {"dtype": "<U1000000000"},
    {"dtype": "V8"},
    {"tuple": []},
    {"list": [1, 2]},
    {"dict": []},
    {"dict": [[1, 2], ["a", "b"]]},
    {"slice": [0, 10**18, 1]},
    {"ref": -1},
    {"ref": 10**6},
    *({"tuple": [number]} for number in (-1, 10**12)),
)
BROKEN = (
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    RecursionError,
    zipfile.BadZipFile,
)
HEADERS = (
    ("'shape': (", "'shape': (1000000000000, "),
    ("'shape': (", "'shape': (-1, "),
    ("'shape': (", "'shape': (0, "),
    ("'fortran_order': False", "'fortran_order': True"),
    ("'descr': '<", "'descr': '>"),
    ("'descr': '", "'descr': '|O', 'x': '"),
    ("'descr': '<f8'", "'descr': [('a', '<f4'), ('b', '<f4')]"),
    ("'descr': '<i8'", "'descr': '<f8'"),
    ("'descr': '<i8'", "'descr': '<u8'"),
    ("'descr': '", "'descr': '<U900000000', 'x': '"),
    ("{'descr'", "{__import__('os').getcwd(): 1, 'descr'"),
)


def mutate(data, others, draw):
    """Return a changed model file.

    Parameters
    ----------
    data : bytes
        A model file.
    others : sequence of bytes
        Model files to take arrays from.
    draw : numpy Generator
    """
    if draw.random() < 0.04:
        return sealed(_changed_bytes(data, draw))
    members = unpack(data)
    _change_members(members, others, draw)
    # What was changed before may be no model any more.
    with suppress(*BROKEN):
        for _ in range(draw.choice([0, 0, 0, 1, 2])):
            _change_members(members, others, draw)
    archive = pack(members)
    if draw.random() < 0.08:
        archive = _changed_archive(archive, members, draw)
    return sealed(archive)


def unpack(data):
    """Return the members of a zip file by name."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        return {name: file.read(name) for name in file.namelist()}


def pack(members, comment=ROOM, **options):
    """Return a zip file of members, with room for a seal."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", **options) as file:
        for name, content in members.items():
            file.writestr(name, content)
        file.comment = comment
    return buffer.getvalue()


def sealed(archive):
    """Return an archive with a right checksum at its end."""
    body = archive[: -len(SEAL) - 64]
    return body + SEAL + hashlib.sha256(body).hexdigest().encode()


# Members ------------------------------------------------------------------------------


def _change_members(members, others, draw):
    if BUNDLE in members and draw.random() < 0.5:
        inner = unpack(members[BUNDLE])
        _change_members(inner, others, draw)
        members[BUNDLE] = pack(inner, b"")
        return
    arrays = [name for name in members if name.endswith(".npy")]
    texts = [name for name in JSON_MEMBERS if name in members]
    choice = draw.random()
    if choice < 0.5 and arrays:
        name = arrays[draw.integers(len(arrays))]
        members[name] = _changed_array(members, name, arrays, others, draw)
    elif choice < 0.93 and texts:
        # The manifest says less than the model does.
        name = texts[0 if draw.random() < 0.85 else draw.integers(len(texts))]
        members[name] = _changed_json(members[name], draw)
    else:
        names = list(members)
        name = names[draw.integers(len(names))]
        change = draw.integers(4)
        if change == 0:
            del members[name]
        elif change == 1:
            members[name] = members[name][: draw.integers(len(members[name]) + 1)]
        elif change == 2:
            members[f"arrays/{len(arrays)}.npy"] = members[name]
        else:
            members[name] = members[names[draw.integers(len(names))]]


# Arrays -------------------------------------------------------------------------------


def _changed_array(members, name, arrays, others, draw):
    data = members[name]
    try:
        array = np.load(io.BytesIO(data), allow_pickle=False)
    except (ValueError, MemoryError):  # changed before
        return _changed_bytes(data, draw)
    choice = draw.random()
    if choice < 0.45:
        return saved(_with_other_values(array, draw))
    if choice < 0.75:
        return saved(_with_other_form(array, draw))
    if choice < 0.85:
        return _with_other_header(data, draw)
    if choice < 0.93:
        other = arrays[draw.integers(len(arrays))]
        members[name], members[other] = members[other], data
        return members[name]
    stranger = unpack(others[draw.integers(len(others))])
    found = [key for key in stranger if key.endswith(".npy")]
    return stranger[found[draw.integers(len(found))]] if found else b""


def saved(array):
    """Return an array in NumPy's format."""
    buffer = io.BytesIO()
    np.save(buffer, array, allow_pickle=True)
    return buffer.getvalue()


def _with_other_values(array, draw):
    array = array.copy()
    if array.size == 0 or array.dtype.names:
        return _with_other_records(array, draw)
    flat = array.reshape(-1)
    places = draw.integers(flat.size, size=draw.choice([1, 1, 3, flat.size]))
    choice = draw.random()
    if choice < 0.3:  # values that fit, in other places: cycles, shared children
        flat[places] = flat[draw.integers(flat.size, size=places.size)]
    elif choice < 0.4:
        flat[:] = draw.permutation(flat)
    elif array.dtype.kind in "iu":
        near = int(flat[places[0]]) + draw.integers(-2, 3)
        value = int(draw.choice([near, array.size, array.size - 1, *WHOLE[:-2]]))
        limits = np.iinfo(array.dtype)
        flat[places] = min(max(value, limits.min), limits.max)
    elif array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            flat[places] = draw.choice(REAL)
    elif array.dtype.kind == "b":
        flat[places] = ~flat[places]
    else:
        flat[places] = draw.choice(["", "x", "root"])
    return array


def _with_other_records(array, draw):
    """Change one field of the nodes of a tree of scikit-learn."""
    if array.size and array.dtype.names:
        name = array.dtype.names[draw.integers(len(array.dtype.names))]
        array[name] = _with_other_values(array[name], draw)
    return array


def _with_other_form(array, draw):
    dtypes = ("i1", "i4", "i8", "u8", "f2", "f4", "f8", "c16", "b1", "U3", "O", "M8[s]")
    changes = (
        lambda: array[: array.shape[0] // 2] if array.ndim else array[None],
        lambda: array[:0] if array.ndim else array[None],
        lambda: np.concatenate([array, array]) if array.ndim else array[None],
        lambda: np.concatenate([array, array[-1:]]) if array.ndim else array[None],
        lambda: array[None],
        lambda: array.reshape(-1),
        lambda: array[..., None],
        lambda: np.asfortranarray(array.T),
        lambda: array[..., :-1] if array.ndim else array,
        lambda: array.reshape(-1)[0] if array.size else array,
        lambda: array.astype(str(draw.choice(dtypes))),
        lambda: array.astype(str(draw.choice(dtypes))),
    )
    try:
        with np.errstate(all="ignore"):
            return np.asarray(changes[draw.integers(len(changes))]())
    except (ValueError, TypeError):  # a dtype that cannot hold the values
        return array[:0] if array.ndim else array[None]


def _with_other_header(data, draw):
    old, new = HEADERS[draw.integers(len(HEADERS))]
    length = struct.unpack("<H", data[8:10])[0]
    header = data[10 : 10 + length].decode("latin1").replace(old, new, 1)
    encoded = header.encode("latin1")
    return data[:8] + struct.pack("<H", len(encoded)) + encoded + data[10 + length :]


# JSON ---------------------------------------------------------------------------------


def _changed_json(data, draw):
    try:
        tree = json.loads(data)
    except ValueError:
        return _changed_bytes(data, draw)
    if draw.random() < 0.03:
        depth = int(draw.choice([50, 2_000, 200_000]))
        return b'{"entries": ' + b"[" * depth + b"]" * depth + b', "root": 0}'
    if isinstance(tree, dict) and "entries" in tree and draw.random() < 0.7:
        _change_entry(tree, draw)
    else:
        _change_anywhere(tree, draw)
    return json.dumps(tree).encode()


def _change_entry(tree, draw):
    """Change one value in the state of one object."""
    owners = [
        entry for entry in tree["entries"] if isinstance(entry.get("state"), dict)
    ]
    owners = [entry for entry in owners if entry["state"]]
    if not owners:
        return _change_anywhere(tree, draw)
    entry = owners[draw.integers(len(owners))]
    state, names = entry["state"], list(entry["state"])
    name = names[draw.integers(len(names))]
    choice = draw.random()
    if choice < 0.35:
        state[name] = _other_node(tree, draw)
    elif choice < 0.5:
        state[name] = {"ref": int(draw.integers(len(tree["entries"])))}
    elif choice < 0.6:
        del state[name]
    elif choice < 0.7:
        state[name] = state[names[draw.integers(len(names))]]
    elif choice < 0.75:
        state[str(draw.choice(["__class__", "predict_proba", "extra_", "x"]))] = 1
    elif choice < 0.8:
        entry["type"] = owners[draw.integers(len(owners))].get("type")
    else:
        _change_anywhere(state, draw)


def _change_anywhere(tree, draw):
    """Walk down to some place of a tree of dicts and lists, and change it."""
    here = tree
    while True:
        keys = list(here) if isinstance(here, dict) else range(len(here))
        if not keys:
            return
        key = keys[draw.integers(len(keys))]
        below = here[key]
        if isinstance(below, dict | list) and below and draw.random() < 0.9:
            here = below
            continue
        change = draw.random()
        if change < 0.7:
            here[key] = _other_node(tree, draw)
        elif change < 0.85:
            del here[key]
        elif isinstance(here, list):
            here.append(below)
        else:
            here[f"{key}x"] = here.pop(key)
        return


def _other_node(tree, draw):
    choice = draw.random()
    if choice < 0.35:
        return int(WHOLE[draw.integers(len(WHOLE))])
    if choice < 0.5:
        value = float(REAL[draw.integers(len(REAL))])
        return value if np.isfinite(value) else {"float": repr(value)}
    if choice < 0.7 and isinstance(tree, dict) and tree.get("entries"):
        return {"ref": int(draw.integers(len(tree["entries"])))}
    return ODD_NODES[draw.integers(len(ODD_NODES))]


# Bytes --------------------------------------------------------------------------------


def _changed_bytes(data, draw):
    changed = bytearray(data)
    if not changed:
        return b"x"
    for place in draw.integers(len(changed), size=draw.choice([1, 3, 30])):
        changed[place] = draw.integers(256)
    if draw.random() < 0.3:
        del changed[: draw.integers(len(changed))]
    return bytes(changed)


def _changed_archive(archive, members, draw):
    change = draw.integers(6)
    names = list(members)
    name = names[draw.integers(len(names))] if names else "x"
    if change == 0:  # much from little
        bomb = {**members, name: bytes(20_000_000)}
        return pack(bomb, compression=zipfile.ZIP_DEFLATED, compresslevel=1)
    if change == 1:
        kind = draw.choice([zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
        return pack(members, compression=int(kind))
    if change == 2:
        return pack({**members, "../../outside": b"x", "/absolute": b"x"})
    changed = bytearray(archive)
    start = archive.rfind(b"PK\x01\x02")
    if start < 0:
        return archive
    if change == 3:  # the sizes that the directory tells
        size = int(draw.choice([0, 1, 2**20, 2**31, 2**32 - 2]))
        at = start + int(draw.choice([20, 24]))
        changed[at : at + 4] = struct.pack("<I", size)
    elif change == 4:  # flags, as of an encrypted member, and the method
        changed[start + int(draw.choice([8, 10]))] = draw.integers(256)
    else:
        changed[start + int(draw.integers(46))] = draw.integers(256)
    return bytes(changed)
