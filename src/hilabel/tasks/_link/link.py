"""Write a file of links between the rows of tables."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import pandas as pd

from hilabel._progress import Report, progress_to, say_nothing
from hilabel._text_files import read_start
from hilabel._typing import FilePath
from hilabel._writing import check_target, inputs_kept
from hilabel.datasets import FeatureTable, is_fasta, read_features
from hilabel.exceptions import ParameterError
from hilabel.tasks._link.choices import LinkChoices
from hilabel.tasks._link.nearest import N_NEAREST, nearest_rows
from hilabel.tasks._link.sequence_search import N_HITS, SequenceSearch
from hilabel.tasks._write_table import table_writer

_HITS: Final = (".m8", ".m8.gz")
SUFFIXES: Final = (".csv", ".csv.gz", ".tsv", ".tsv.gz", *_HITS)
"""The ends of the names of files of links."""

_DIGITS: Final = 6
_START: Final = 8192
_NONE_NEAR: Final = "No row is near another; expected two rows or more that are alike."
_NO_HITS: Final = "No row has a hit; allow larger e-values, or more sensitivity."


def link_rows(
    features: FilePath,
    output: FilePath,
    choices: LinkChoices | None = None,
    *,
    to: FilePath | None = None,
    report: Report = say_nothing,
    **options: Any,
) -> dict[str, Any]:
    r"""Write links between rows: to their nearest rows, or hits of their sequences.

    Parameters
    ----------
    features : path-like
        A table of features, or sequences in FASTA.
    output : path-like
        ``.csv``, ``.tsv`` (source, target, weight and, for hits, identity) or, for hits
        of sequences, ``.m8`` (outfmt 6); compressed if it ends in ``.gz``. The file
        appears once it is complete.
    choices : LinkChoices, optional
    to : path-like, optional
        The rows that may be linked to, such as the training table for new rows; by
        default, the same rows.
    report : callable, optional
        Called with what runs now, the steps done, and their total.
    **options
        Options of :func:`~hilabel.datasets.read_features`.

    Returns
    -------
    dict of str to object
        What was linked, and how.

    Raises
    ------
    ParameterError
        If a program is not installed, or the choices do not suit the files.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.tasks import LinkChoices, link_rows
    >>> with TemporaryDirectory() as folder:
    ...     table, links = Path(folder, "some.csv"), Path(folder, "links.csv")
    ...     _ = table.write_text("id,size\na,1\nb,2\nc,9\n")
    ...     facts = link_rows(table, links, LinkChoices(n_links=1))
    ...     print(links.read_text().splitlines()[:2], facts["links"])
    ['source,target,weight', 'a,b,0.5'] 3
    """
    choices = choices or LinkChoices()
    check_target(output, SUFFIXES)
    are_sequences = _is_fasta(features) and (to is None or _is_fasta(to))
    targets = features if to is None else to
    with inputs_kept([features, targets]), progress_to(report):
        if choices.by == "rows" or (choices.by == "auto" and not are_sequences):
            return _link_nearest(features, to, output, choices, report, options)
        if not are_sequences:
            raise ParameterError(
                f"{choices.by} searches sequences, but {features} is no FASTA file; "
                "use by='rows'.",
                parameter="by",
            )
        return _link_hits(features, targets, output, choices, report, options)


def _is_fasta(path: FilePath) -> bool:
    return is_fasta(read_start(path, _START).decode("utf-8-sig", errors="replace"))


# Nearest rows -----------------------------------------------------------------------


def _link_nearest(
    features: FilePath,
    to: FilePath | None,
    output: FilePath,
    choices: LinkChoices,
    report: Report,
    options: dict[str, Any],
) -> dict[str, Any]:
    if Path(output).name.lower().endswith(_HITS):
        raise ParameterError(
            f"{output}: outfmt 6 is for hits of sequences; write nearest rows to a "
            "file that ends in .csv or .csv.gz.",
            parameter="output",
        )
    report("Reading rows", 0, 0)
    rows = targets = read_features(features, **options)
    if to is not None:
        targets = read_features(to, **options)
        rows = read_features(features, **_alike(targets, options))
    n_rows = len(rows)
    report(f"Searching the nearest rows of {n_rows:,} rows", 0, 0)
    blocks = nearest_rows(rows, targets, choices)
    tally = _written(blocks, output, report, _NONE_NEAR, ())
    return {
        "rows": n_rows,
        **({} if to is None else {"rows linked to": len(targets)}),
        "links": tally.n_links,
        "rows without links": n_rows - len(tally.sources),
        "by": f"nearest rows, at most {choices.n_links or N_NEAREST}",
    }


def _alike(table: FeatureTable, options: dict[str, Any]) -> dict[str, Any]:
    """Return options for reading the same columns of another table."""
    words = {"categorical": table.categorical, "text": table.text}
    usual = {"usual_id_column": table.frame.index.name}
    return {**options, **words, **usual, "columns": table.columns, "drop": ()}


# Hits -------------------------------------------------------------------------------


def _link_hits(
    features: FilePath,
    targets: FilePath,
    output: FilePath,
    choices: LinkChoices,
    report: Report,
    options: dict[str, Any],
) -> dict[str, Any]:
    wrong = [name for name, value in options.items() if value]
    if wrong:
        raise ParameterError(
            "Options for columns and ids do not apply to searches of sequences; "
            f"remove {', '.join(wrong)}.",
            parameter=wrong,
        )
    if choices.metric != "auto":
        raise ParameterError(
            "A metric compares rows, but these sequences are searched; remove it, or "
            "use by='rows'.",
            parameter=("metric", "by"),
        )
    search = SequenceSearch.find(choices.by)
    with TemporaryDirectory() as folder:
        hits = search.hits(features, targets, Path(folder), choices, report)
        report("Writing links", 0, 0)
        blocks = hits.blocks()
        if not Path(output).name.lower().endswith(_HITS):
            columns = ["source", "target", "weight", "identity"]
            blocks = (block[columns] for block in blocks)
        of_hits = ("evalue", "sensitivity")
        tally = _written(blocks, output, report, _NO_HITS, of_hits)
    return {
        "sequences": len(hits.ids),
        "links": tally.n_links,
        "links from a row to itself": tally.n_self,
        "rows without links": len(hits.ids) - len(tally.sources),
        "by": f"{search.name}, {choices.sensitivity}, at most "
        f"{choices.n_links or N_HITS} hits, e-value up to {choices.evalue:g}",
    }


# Writing ----------------------------------------------------------------------------


class _Tally:
    """What was written; links from a row to itself are links of no use."""

    def __init__(self) -> None:
        self.n_links = 0
        self.n_self = 0
        self.sources: set[str] = set()

    def add(self, block: pd.DataFrame) -> None:
        is_self = (block["source"] == block["target"]).to_numpy(dtype=bool)
        self.n_links += int((~is_self).sum())
        self.n_self += int(is_self.sum())
        self.sources |= set(block["source"][~is_self])


def _written(
    blocks: Iterable[pd.DataFrame],
    output: FilePath,
    report: Report,
    if_none: str,
    parameters: tuple[str, ...],
) -> _Tally:
    """Write blocks of links; the file appears once it is complete.

    If there are none, the error says this, and names the parameters.
    """
    tally = _Tally()
    with _writer(output) as write:
        for block in blocks:
            tally.add(block)
            write(block)
            report(f"Writing links, {tally.n_links:,}", 0, 0)
        if not tally.n_links:
            raise ParameterError(if_none, parameter=parameters)
    return tally


@contextmanager
def _writer(output: FilePath) -> Iterator[Any]:
    is_hits = Path(output).name.lower().endswith(_HITS)
    with table_writer(output, header=not is_hits, digits=_DIGITS) as write:
        yield write
