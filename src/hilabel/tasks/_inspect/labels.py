"""Inspect labels."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from hilabel._typing import FilePath
from hilabel.datasets import read_annotations
from hilabel.tasks._inspect.inspection import Inspection
from hilabel.tasks._inspect.mending import mended
from hilabel.tasks._inspect.problem import Problem, counted


def inspect_labels(path: FilePath, **options: Any) -> Inspection:
    """Describe a file with labels."""
    problems: list[Problem] = []
    title = f"Labels {path}"
    read = partial(read_annotations, path)
    annotations, _ = mended(read, options, problems, str(path))
    if annotations is None:
        return Inspection.of(title, problems, {})
    problems += problems_of_codes(annotations.unknown_codes, str(path))
    per_id = pd.Series(annotations.ids, dtype=object).value_counts()
    per_term = pd.Series(annotations.terms, dtype=object).value_counts()
    pairs = list(zip(annotations.ids, annotations.terms, strict=True))
    facts = {
        "rows": annotations.n_rows,
        "ids": per_id.size,
        "terms": per_term.size,
        "repeated pairs": len(pairs) - len(set(pairs)),
        "NOT rows": annotations.n_not,
        "rows without data (ND)": len(annotations.no_data),
        "rows dropped by evidence": annotations.n_filtered,
        "rows without a term": annotations.n_empty,
        "terms per id, median": float(per_id.median()) if per_id.size else 0.0,
    }
    frequent = per_term.head(10).rename_axis("term").reset_index(name="rows")
    tables = {"most frequent terms": frequent}
    return Inspection.of(title, problems, facts, tables=tables)


def problems_of_codes(codes: tuple[str, ...], labels: str) -> Iterator[Problem]:
    """Yield a problem for evidence codes that the Gene Ontology does not define."""
    if codes:
        what = counted("evidence code", "that the Gene Ontology does not define", codes)
        options = (("exclude_evidence", ",".join(codes)),)
        yield Problem("warning", what, labels, "", options, codes)
