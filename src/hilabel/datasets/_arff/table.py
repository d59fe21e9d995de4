"""One ARFF file as arrays, before nominal values and labels are encoded."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hilabel._typing import FilePath
from hilabel.datasets._arff.dense import read_dense_rows
from hilabel.datasets._arff.header import (
    Attribute,
    Header,
    check_same_header,
    parse_header,
)
from hilabel.datasets._arff.sparse import read_sparse_rows
from hilabel.datasets._arff.text import ArffText, read_arff_text
from hilabel.exceptions import DatasetFormatError

# The start of the first line that is neither blank nor a comment.
_FIRST_CHARACTER = re.compile(rb"^[ \t]*([^%\s])", re.MULTILINE)


@dataclass(frozen=True)
class ArffTable:
    """The rows of a file."""

    text: ArffText  # to find the line of a row for messages
    header: Header
    # Numbers, and positions among declared values; NaN where the file has ?.
    values: Any
    labels: list[str]  # the label field of each row
    identifiers: list[str] | None

    @property
    def path(self) -> str:
        """The file."""
        return self.text.path

    @property
    def features(self) -> list[Attribute]:
        """The numeric and nominal attributes, one per column of ``values``."""
        return [self.header.attributes[i] for i in self.header.features]


def read_tables(paths: Sequence[FilePath]) -> list[ArffTable]:
    """Read files that must have the same header.

    Headers are compared before any row is read; otherwise, errors would be reported for
    rows that are valid under their own header.
    """
    texts = [read_arff_text(path) for path in paths]
    headers = [parse_header(text) for text in texts]
    for text, header in zip(texts, headers, strict=True):
        check_same_header(headers[0], header, texts[0].path, text.path)
    return [_read_rows(text, header) for text, header in zip(texts, headers)]


def _read_rows(text: ArffText, header: Header) -> ArffTable:
    """Read the rows, which are sparse if the first one starts with a brace."""
    first = _FIRST_CHARACTER.search(text.body)
    if first is None:
        raise DatasetFormatError(
            "expected rows after '@DATA', got only a header.", source=text.path
        )
    read_rows: Any = read_sparse_rows if first[1] == b"{" else read_dense_rows
    return ArffTable(text, header, *read_rows(text, header))
