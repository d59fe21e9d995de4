"""Inspect a single file of any kind."""

from collections.abc import Callable
from typing import Any, Final, Literal

from hilabel._table_options import OPTIONS_OF
from hilabel._typing import FilePath
from hilabel.datasets import guess_kind, is_link_file
from hilabel.exceptions import ParameterError
from hilabel.tasks._inspect.features import inspect_features
from hilabel.tasks._inspect.hierarchy import inspect_hierarchy
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.labels import inspect_labels
from hilabel.tasks._inspect.links import inspect_links
from hilabel.tasks._inspect.model import inspect_model, is_model

Kind = Literal["auto", "features", "labels", "hierarchy", "links", "model"]

_INSPECTORS: Final[dict[str, Callable[..., Inspection]]] = {
    "features": inspect_features,
    "labels": inspect_labels,
    "hierarchy": inspect_hierarchy,
    "links": inspect_links,
    "model": inspect_model,
}


def inspect_file(path: FilePath, kind: Kind = "auto", **options: Any) -> Inspection:
    """Describe a single file, and list all problems found in it.

    Parameters
    ----------
    path : path-like
    kind : {"auto", "features", "labels", "hierarchy", "links", "model"}
        The kind of file; ``"auto"``, the default, detects it by name and first line.
        Links are only detected if their format has other columns than other files.
    **options
        Options for reading, as in :class:`~hilabel.datasets.TableFiles`: ``id_column``,
        ``categorical``, ``text`` and ``drop`` of features, ``evidence`` and
        ``exclude_evidence`` of labels, ``relations`` of a hierarchy, and so on.

    Raises
    ------
    ValueError
        If an option does not apply to the kind of file.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import inspect_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     inspect_file(write_example(folder, "shop")["hierarchy"]).facts["nodes"]
    18
    """
    found: str = kind
    if kind == "auto":
        found = "model" if is_model(path) else guess_kind(path)
        found = "links" if found == "features" and is_link_file(path) else found
    known = ("strip_version",) if found == "links" else OPTIONS_OF.get(found, ())
    for name in options:
        if name not in known:
            raise ParameterError(
                f"this option does not apply to a file of kind {found!r}; remove it, "
                "pass labels too, or specify the kind of file.",
                source=path,
                parameter=name,
            )
    return _INSPECTORS[found](path, **options)
