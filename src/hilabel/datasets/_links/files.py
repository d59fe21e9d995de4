"""Files of links, each with the name of its kind."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from hilabel._typing import FilePath
from hilabel.datasets._links.read import read_links
from hilabel.exceptions import LinkError
from hilabel.links import LinkTable

NamedFile: TypeAlias = tuple[str | None, FilePath]
"""The name of a kind, or None, and the file with its links."""


@dataclass(frozen=True)
class LinkFiles:
    """Files of links, and how to read them.

    Attributes
    ----------
    named : tuple of (str or None, path-like)
        The name of the kind of each file, and its path; see :func:`read_links`.
    strip_version : bool
        Whether to strip versions from ids.
    """

    named: tuple[NamedFile, ...]
    strip_version: bool = False

    @classmethod
    def of(cls, value: Any, strip_version: bool = False) -> "LinkFiles":
        """Return the files in any form that users may pass.

        Parameters
        ----------
        value : path-like, mapping of str to path-like, or iterable of (kind, path)
            A path may also stand alone in the iterable.
        strip_version : bool, default=False
        """
        if isinstance(value, LinkFiles):
            return value
        if isinstance(value, str | PathLike):
            value = [value]
        listed = value.items() if isinstance(value, Mapping) else value
        if not isinstance(listed, Iterable):
            raise LinkError(
                "Expected files of links as a path, a mapping of kinds to paths, or "
                f"pairs of kind and path, got {type(value).__name__}.",
                parameter="links",
            )
        return cls(tuple(_named(each) for each in listed), strip_version)

    def paths(self) -> tuple[Path, ...]:
        """Return the paths of the files."""
        return tuple(Path(path) for _, path in self.named)

    def read(self, ids: Collection[str] = ()) -> LinkTable:
        """Read all files; see :func:`read_links` for the ids."""
        return LinkTable.join(
            read_links(path, kind, ids=ids, strip_version=self.strip_version)
            for kind, path in self.named
        )


def _named(value: Any) -> NamedFile:
    if isinstance(value, str | PathLike):
        return None, value
    pair = tuple(value) if isinstance(value, Iterable) else ()
    if len(pair) != 2 or not isinstance(pair[1], str | PathLike):
        raise LinkError(
            f"Expected the name of a kind of links and a path, got {value!r}.",
            parameter="links",
        )
    return (None if pair[0] is None else str(pair[0])), pair[1]


def parse_links_option(text: str) -> NamedFile:
    """Split the value of an option, such as ``hits=FILE``, into a kind and a path.

    A file that exists is not split.

    Parameters
    ----------
    text : str

    Returns
    -------
    kind : str or None
    path : str

    Raises
    ------
    LinkError
        If there is no path.

    Examples
    --------
    >>> from hilabel.datasets import parse_links_option
    >>> parse_links_option("hits=all.m8.gz"), parse_links_option("all.m8.gz")
    (('hits', 'all.m8.gz'), (None, 'all.m8.gz'))
    """
    kind, sign, path = text.partition("=")
    # A name is a word; a path may contain the sign, too.
    if not sign or not kind.strip().isidentifier() or Path(text).exists():
        kind, path = "", text
    if not path.strip():
        raise LinkError(
            f"Expected FILE or KIND=FILE, such as hits=proteins.m8, got {text!r}.",
            parameter="links",
        )
    return kind.strip() or None, path.strip()
