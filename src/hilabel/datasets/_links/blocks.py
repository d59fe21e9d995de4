"""Turn blocks of lines into arrays of links."""

import csv
import io
import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._typing import FilePath, FloatArray, Int32Array
from hilabel.datasets._links.cells import split_line
from hilabel.datasets._links.layout import Layout
from hilabel.datasets._tables.gaf import without_version
from hilabel.exceptions import DatasetFormatError, LinkError
from hilabel.links import IdNumbers

_COMMENT: Final = re.compile(rb"^#.*$", re.MULTILINE)
_NUMBERS: Final = ("weight", "identity")


@dataclass(frozen=True, eq=False)
class LinkBlock:
    """Some links of a file; ids and kinds are numbered."""

    sources: Int32Array
    targets: Int32Array
    weights: FloatArray | None
    identities: FloatArray | None
    kinds: Int32Array | None


class BlockParser:
    """Parse blocks of lines, and number the ids and kinds that they contain.

    Parameters
    ----------
    path : path-like
        The file, for messages.
    layout : Layout
    strip_version : bool
        Whether to strip versions from ids.
    """

    def __init__(self, path: FilePath, layout: Layout, strip_version: bool) -> None:
        self._path = path
        self._layout = layout
        self._strip_version = strip_version
        self.ids = IdNumbers()
        self.kinds = IdNumbers()

    def parse(self, block: bytes, first_line: int) -> LinkBlock | None:
        """Return the links of a block, or None if it has only comments.

        Parameters
        ----------
        block : bytes
        first_line : int
            The number of its first line in the file.
        """
        # Blank lines keep the numbers of the others.
        text = _COMMENT.sub(b"", block) if b"#" in block else block
        if self._layout.is_sif:
            text = _as_triples(text, self._layout.delimiter)
        if not text.strip():
            return None
        try:
            with np.errstate(over="ignore"):  # too large a weight becomes infinite
                parsed = self._arrays(self._frame(text))
        except (ValueError, pd.errors.ParserError):
            parsed = None
        if parsed is None:
            self._explain(block, first_line)
        return parsed

    def _frame(self, text: bytes) -> pd.DataFrame:
        """Return the columns of ids, weights and kinds; a missing cell is ""."""
        layout = self._layout
        columns = layout.columns
        types: dict[int, Any] = dict.fromkeys(columns.values(), object)
        for role in _NUMBERS:
            if role in columns and not (role == "weight" and layout.unweighted):
                types[columns[role]] = np.float32
        return pd.read_csv(
            io.BytesIO(text),
            sep=layout.delimiter,
            header=None,
            names=range(layout.n_columns),
            usecols=sorted(columns.values()),
            dtype=types,
            na_filter=False,
            index_col=False,
            skipinitialspace=True,
            quoting=csv.QUOTE_MINIMAL if layout.is_quoted else csv.QUOTE_NONE,
            engine="c",
        )

    def _arrays(self, frame: pd.DataFrame) -> LinkBlock | None:
        """Return the columns as numbers; None if something is wrong with a line."""
        columns, layout = self._layout.columns, self._layout
        ends = [self._numbered(frame[columns[end]]) for end in ("source", "target")]
        weights = identities = kinds = None
        if "weight" in columns:
            weights = self._weights(frame[columns["weight"]])
            # Written so that NaN is refused, too.
            if not ((weights >= 0) & np.isfinite(weights)).all():
                return None
            weights = weights / np.float32(layout.divisor)
        if "identity" in columns:
            # A copy, since a view would keep all columns of the frame in memory.
            identities = frame[columns["identity"]].to_numpy(copy=True)
            if not (identities >= 0).all():
                return None
        if "kind" in columns:
            codes, names = pd.factorize(frame[columns["kind"]])
            if not all(name.strip() for name in names):
                return None
            kinds = self.kinds.of(name.strip() for name in names)[codes]
        if ends[0] is None or ends[1] is None:
            return None
        return LinkBlock(ends[0], ends[1], weights, identities, kinds)

    def _numbered(self, column: pd.Series) -> Int32Array | None:
        # Ids repeat, so each is looked up only once.
        codes, distinct = pd.factorize(column)
        ids = [self._cleaned(each) for each in distinct]
        return self.ids.of(ids)[codes] if all(ids) else None

    def _cleaned(self, written: str) -> str:
        written = written.strip()
        if self._layout.separator is not None:
            written = written.partition(self._layout.separator)[0]
        return without_version(written) if self._strip_version else written

    def _weights(self, column: pd.Series) -> FloatArray:
        if self._layout.unweighted is None:
            return column.to_numpy()
        codes, words = pd.factorize(column)
        values = [self._weight(word) for word in words]
        return np.array(values, dtype=np.float32)[codes]

    def _weight(self, word: str) -> float:
        """Return a weight; of scores, the size, or 1 if there is none."""
        word = word.strip()
        if self._layout.unweighted is None:
            return float(word)
        return 1.0 if word == self._layout.unweighted else abs(float(word))

    # What is wrong ------------------------------------------------------------------

    def _explain(self, block: bytes, first_line: int) -> None:
        """Raise an error about the first line that cannot be read."""
        for number, line in enumerate(block.split(b"\n"), start=first_line):
            if line.strip() and not line.startswith(b"#"):
                self._check_line(number, line)
        raise DatasetFormatError(
            f"expected {self._layout.form}, but some of the lines from here on cannot "
            "be read; look for unmatched quotation marks.",
            source=self._path,
            line=first_line,
        )

    def _check_line(self, number: int, line: bytes) -> None:
        layout = self._layout
        where: dict[str, Any] = {"source": self._path, "line": number}
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            raise DatasetFormatError(
                f"expected UTF-8 text, got the byte 0x{line[error.start]:02x}; save "
                "the file as UTF-8.",
                **where,
            ) from error
        cells = split_line(text, layout.delimiter, is_quoted=layout.is_quoted)
        if layout.is_sif and len(cells) == 1:
            return
        if len(cells) <= max(layout.columns.values()):
            raise DatasetFormatError(
                f"expected {layout.n_columns} columns, as in {layout.form}, got "
                f"{len(cells)}.",
                **where,
            )
        for role, place in layout.columns.items():
            if not cells[place]:
                raise DatasetFormatError(
                    f"expected {_ARTICLES[role]} in column {place + 1}, got none.",
                    **where,
                )
        for role in _NUMBERS:
            if role in layout.columns:
                self._check_number(cells[layout.columns[role]], role, number)

    def _check_number(self, cell: str, role: str, line: int) -> None:
        try:
            with np.errstate(over="ignore"):
                value = np.float32(
                    self._weight(cell) if role == "weight" else float(cell)
                )
        except ValueError as error:
            raise DatasetFormatError(
                f"expected a number as the {role} of a link, got {cell!r}.",
                source=self._path,
                line=line,
            ) from error
        if not (np.isfinite(value) and value >= 0):
            raise LinkError(
                f"expected a finite {role} of a link, 0 or more, got {cell}.",
                source=self._path,
                line=line,
            )


_ARTICLES: Final = {
    "source": "the id of a source",
    "target": "the id of a target",
    "weight": "a weight",
    "identity": "a percentage of identical letters",
    "kind": "the kind of the link",
}


def _as_triples(text: bytes, delimiter: str) -> bytes:
    """Return a line for each target; lines of a single node are removed."""
    split = b"\t" if delimiter == "\t" else None
    triples = []
    for line in text.splitlines():
        source, *rest = line.split(split) or [b""]
        triples += [b"\t".join([source, rest[0], target]) for target in rest[1:]]
        if len(rest) == 1:  # a relation without a target
            triples.append(b"\t".join([source, rest[0], b""]))
    return b"\n".join(triples)
