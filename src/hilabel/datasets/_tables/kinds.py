"""Guess what a user's file contains from its name and its first lines."""

import io
from typing import Literal

from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.datasets._tables.annotations import is_heading
from hilabel.datasets._tables.delimited import find_delimiter, iter_rows
from hilabel.datasets._tables.edge_list import is_hierarchy
from hilabel.datasets._tables.features import is_parquet
from hilabel.datasets._tables.gaf import is_gaf
from hilabel.datasets._tables.matrix_kinds import matrix_reader


def guess_kind(path: FilePath) -> Literal["features", "labels", "hierarchy"]:
    r"""Guess whether a file contains features, labels or a hierarchy.

    Parameters
    ----------
    path : path-like
        A file for :func:`read_features`, :func:`read_annotations` or
        :func:`read_hierarchy`.

    Returns
    -------
    {"features", "labels", "hierarchy"}
        Features if the kind cannot be determined.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import guess_kind
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
    ...     _ = file.write("parent,child\nfood,tea\n")
    ...     file.flush()
    ...     guess_kind(file.name)
    'hierarchy'
    """
    if is_parquet(path) or matrix_reader(path) is not None:
        return "features"
    text = read_text(path)
    if is_hierarchy(path, text):
        return "hierarchy"
    if is_gaf(path, text):
        return "labels"
    _, cells = next(iter_rows(path, io.StringIO(text), find_delimiter(path, text)))
    is_pair = len(cells) == 2 and is_heading(cells[1].strip())
    return "labels" if is_pair else "features"
