"""Save each model as a single file: a zip of plain arrays, JSON and checksums."""

import hashlib
import io
import json
import platform
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, get_type_hints

import numpy as np
import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from hilabel import __version__
from hilabel._compat import BaseSearchCV
from hilabel._saved_types import fits
from hilabel._typing import FilePath
from hilabel._warning import warn_user
from hilabel._writing import written_aside
from hilabel.exceptions import ModelFileError
from hilabel.models import TableModel, is_summary
from hilabel.persistence._archive import (
    is_bloated,
    is_too_folded,
    read_array,
    read_json,
    read_members,
)
from hilabel.persistence._foreign import dump_foreign, load_foreign
from hilabel.persistence._tree import TreeReader, TreeWriter

FORMAT: Final = 1
"""Version of the file format; files with a higher version are refused."""

_MANIFEST, _TREE, _FOREIGN = "manifest.json", "model.json", "foreign.skops"
# The comment at the end of the zip file: this, and a checksum of everything before it.
_SEAL = b"hilabel-model sha256:"
_SEAL_LENGTH = len(_SEAL) + 64
# Errors that may occur when creating objects from invalid contents.
_UNREADABLE = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    MemoryError,
    UserWarning,  # from scikit-learn, in a trial
)
# Fixed, so that the same model always results in the same bytes.
_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True)
class ModelManifest:
    """The description of a model, which can be read without loading the model.

    Attributes
    ----------
    kind : str
        The class of the model.
    versions : dict of str
        Versions of hilabel, Python and the packages used.
    summary : dict
        The settings and results of the training; for a model saved from Python, its
        parameters.
    format : int
        Version of the file format.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.persistence import read_manifest, save_model
    >>> model = PriorClassifier().fit([[0.0], [1.0]], [[1], [0]])
    >>> with TemporaryDirectory() as folder:
    ...     manifest = read_manifest(save_model(model, Path(folder, "model.hilabel")))
    >>> manifest.kind
    'PriorClassifier'
    """

    kind: str
    versions: dict[str, str]
    summary: dict[str, Any]
    format: int = FORMAT


def save_model(model: Any, path: FilePath, *, trusted: Sequence[str] = ()) -> Path:
    """Write a fitted model to a single file, atomically.

    The file contains arrays, JSON and, for scikit-learn classifiers inside the
    model, a skops bundle. Loading the file does not execute any code from it.

    Parameters
    ----------
    model : fitted estimator of hilabel, Pipeline that ends in one, or TableModel
        For a search such as ``GridSearchCV``, the ``best_estimator_`` is saved, with
        the best parameters and score in the manifest. A search with ``refit=False`` has
        none.
    path : path-like
        By convention, it ends in ``.hilabel``. An existing file is replaced.
    trusted : sequence of str, default=()
        Full names of additional types that may be in the model, such as those of
        another library. To load the file, the same names must be passed.

    Raises
    ------
    NotFittedError
        If the model has not been fitted.
    ModelFileError
        If the model contains a type that must be trusted to be loaded, or parts of
        scikit-learn that could not be loaded; the message names the reason.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.classifiers import LocalClassifierPerNode
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.persistence import load_model, save_model
    >>> data = make_artificial()
    >>> model = LocalClassifierPerNode(data.hierarchy, random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_model(model, f"{folder}/artificial.hilabel")
    ...     again = load_model(path)
    >>> bool((again.predict(data.X_test) == model.predict(data.X_test)).all())
    True
    """
    _check_fitted(model)
    found: dict[str, Any] = {}
    if isinstance(model, BaseSearchCV):
        model, found = _best_of(model)
    writer = TreeWriter()
    root = writer.node(model)
    members = {_TREE: _json_bytes({"entries": writer.entries, "root": root})}
    for number, array in enumerate(writer.arrays):
        buffer = io.BytesIO()
        np.save(buffer, array, allow_pickle=False)
        members[f"arrays/{number}.npy"] = buffer.getvalue()
    versions = _versions()
    if writer.foreign:
        members[_FOREIGN] = dump_foreign(writer.foreign, trusted)
        versions["skops"] = version("skops")
    if writer.foreign or isinstance(model, Pipeline):
        _check_loadable(members, model, trusted)
    manifest = ModelManifest(
        type(model).__name__, versions, {**_summary(model), **found}
    )
    members = {_MANIFEST: _json_bytes(vars(manifest)), **members}
    with written_aside(path) as unfinished:
        unfinished.write_bytes(_sealed(_zipped(members)))
    return Path(path)


def load_model(path: FilePath, *, trusted: Sequence[str] = ()) -> Any:
    """Load a model written by :func:`save_model`, without executing code.

    Parameters
    ----------
    path : path-like
    trusted : sequence of str, default=()
        Full names of types that may be in the file besides those of hilabel and
        scikit-learn. Only list types whose author you trust: creating an object may run
        its code.

    Returns
    -------
    The model that was saved.

    Raises
    ------
    ModelFileError
        If the file is damaged or modified, was written by a newer hilabel, or contains
        a type that is not trusted. The message names the reason.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.persistence import load_model
    >>> with tempfile.NamedTemporaryFile(suffix=".hilabel") as file:
    ...     _ = file.write(b"something else")
    ...     file.flush()
    ...     load_model(file.name)
    Traceback (most recent call last):
    ...
    hilabel.exceptions.ModelFileError: ...: this is not a hilabel model file; ...
    """
    manifest, members = _read_members(path)
    if _FOREIGN in members:
        _warn_of_other_versions(path, manifest)
    try:
        return _model_in(members, manifest.kind, trusted)
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except _UNREADABLE as error:
        raise ModelFileError(
            f"{path}: the model cannot be loaded ({error}); it was written by hilabel "
            f"{manifest.versions.get('hilabel')}, this is {__version__}."
        ) from error


def read_manifest(path: FilePath) -> ModelManifest:
    """Return the description of a model, after verifying the checksum of its file.

    Parameters
    ----------
    path : path-like

    Raises
    ------
    ModelFileError
        As for :func:`load_model`.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.classifiers import PriorClassifier
    >>> from hilabel.persistence import read_manifest, save_model
    >>> model = PriorClassifier().fit([[0.0], [1.0]], [[1], [0]])
    >>> with TemporaryDirectory() as folder:
    ...     manifest = read_manifest(save_model(model, Path(folder, "model.hilabel")))
    >>> manifest.versions["hilabel"].split(".")[0]
    '0'
    """
    return _read_members(path)[0]


# Reading ------------------------------------------------------------------------------


def _read_members(
    path: FilePath,
) -> tuple[ModelManifest, dict[str, bytes]]:
    data = Path(path).read_bytes()
    if data[-_SEAL_LENGTH:-64] != _SEAL:
        raise _not_a_model(path, data)
    if _seal_of(data[:-_SEAL_LENGTH]) != data[-_SEAL_LENGTH:]:
        raise ModelFileError(
            f"{path}: the checksum does not match: the file was modified or damaged "
            "after it was written; copy it again, or train the model again."
        )
    try:
        members = read_members(data)
        fields = read_json(members.pop(_MANIFEST))
        versions = fields["versions"]
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from error
    except (KeyError, ValueError, TypeError) as error:
        raise _not_a_model(path, data) from error
    if not fits(fields.get("format"), int, {}) or fields["format"] > FORMAT:
        is_listed = isinstance(versions, dict)
        made_by = versions.get("hilabel", "unknown") if is_listed else "unknown"
        raise ModelFileError(
            f"{path}: the file has format {fields.get('format')}, written by hilabel "
            f"{made_by}; this is {__version__}, which reads up to format {FORMAT}. "
            "Upgrade hilabel."
        )
    kinds = get_type_hints(ModelManifest)
    if not (
        fields.keys() == kinds.keys()
        and all(fits(fields[name], kind, {}) for name, kind in kinds.items())
        and is_summary(fields["summary"])
    ):
        raise ModelFileError(
            f"{path}: the manifest of the file was not written by hilabel."
        )
    return ModelManifest(**fields), members


def _model_in(members: dict[str, bytes], kind: str, trusted: Sequence[str]) -> Any:
    foreign: list[Any] = []
    if _FOREIGN in members:
        foreign = load_foreign(members[_FOREIGN], trusted)
    arrays = [
        read_array(members[f"arrays/{number}.npy"])
        for number in range(sum(name.startswith("arrays/") for name in members))
    ]
    tree = read_json(members[_TREE])
    model = TreeReader(arrays, foreign).read(tree["entries"], tree["root"])
    _check_kind(model, kind)
    return model


def _check_kind(model: Any, kind: str) -> None:
    if type(model).__name__ != kind or not isinstance(
        model, BaseEstimator | TableModel
    ):
        raise ModelFileError(
            f"expected a {kind}, as the manifest says, got a {type(model).__name__}."
        )


def _not_a_model(path: FilePath, data: bytes) -> ModelFileError:
    if data.startswith(b"PK"):
        return ModelFileError(
            f"{path}: the file is truncated, or is a zip file but not a model of "
            "hilabel; copy it again."
        )
    return ModelFileError(
        f"{path}: this is not a hilabel model file; expected a file written by "
        "'hilabel fit' or save_model."
    )


def _warn_of_other_versions(path: FilePath, manifest: ModelManifest) -> None:
    # Package metadata is not used, because it would be read from files.
    then, now = manifest.versions.get("scikit-learn"), sklearn.__version__
    if then != now:
        warn_user(
            f"{path} contains classifiers of scikit-learn {then}; this is {now}, which "
            "may interpret them differently. Train the model again if predictions "
            "differ."
        )


# Writing ------------------------------------------------------------------------------


def _check_fitted(model: Any) -> None:
    estimator = model.estimator if isinstance(model, TableModel) else model
    try:
        check_is_fitted(estimator)
    except TypeError as error:
        raise ModelFileError(
            f"Expected a fitted estimator or a TableModel, got {type(model).__name__}."
        ) from error
    except NotFittedError as error:
        raise NotFittedError(f"{error} Only fitted models can be saved.") from None


def _check_loadable(
    members: dict[str, bytes], model: Any, trusted: Sequence[str]
) -> None:
    """Refuse a model with parts of scikit-learn that would be refused when loaded."""
    try:
        _model_in(members, type(model).__name__, trusted)
    except (ModelFileError, *_UNREADABLE) as error:
        raise ModelFileError(
            f"The model cannot be saved, because it could not be loaded: {error} Save "
            "only the final classifier, or use other steps."
        ) from error


def _versions() -> dict[str, str]:
    packages = ("numpy", "scipy", "scikit-learn")
    return {
        "hilabel": __version__,
        "python": platform.python_version(),
        **{name: version(name) for name in packages},
    }


def _summary(model: Any) -> dict[str, Any]:
    if isinstance(model, TableModel):
        return model.summary
    return {"parameters": {k: repr(v) for k, v in model.get_params(deep=False).items()}}


def _best_of(search: Any) -> tuple[Any, dict[str, Any]]:
    """Return the model chosen by a search, and a summary of the choice."""
    if not hasattr(search, "best_estimator_"):
        raise ModelFileError(
            f"Expected a {type(search).__name__} with a best_estimator_ to save, got "
            "one without; search with refit=True, or save a model trained with its "
            "best_params_."
        )
    best = {name: repr(value) for name, value in search.best_params_.items()}
    score = getattr(search, "best_score_", None)  # absent if refit is a function
    chosen = {
        "best_params": best,
        "best_score": None if score is None else float(score),
    }
    return search.best_estimator_, {"search": chosen}


def _json_bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=1).encode()


def _zipped(members: dict[str, bytes], plain: Sequence[str] = ()) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as file:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, _TIMESTAMP)
            info.compress_type = (
                zipfile.ZIP_STORED if name in plain else zipfile.ZIP_DEFLATED
            )
            # Level 6 makes forests a sixth smaller but takes six times as long.
            file.writestr(info, data, compresslevel=1)
        # The checksum covers the length of the comment, so the comment is added before
        # its content is known.
        file.comment = bytes(_SEAL_LENGTH)
        folded = file.infolist()
    archive = buffer.getvalue()
    if is_too_folded(folded, len(archive)):  # otherwise, it could not be loaded
        return _zipped(members, [info.filename for info in folded if is_bloated(info)])
    return archive


def _sealed(archive: bytes) -> bytes:
    body = archive[:-_SEAL_LENGTH]
    return body + _seal_of(body)


def _seal_of(body: bytes) -> bytes:
    return _SEAL + hashlib.sha256(body).hexdigest().encode()
