"""The whole content of a page as plain values; see ``ModelPage``."""

import datetime
import re
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from hilabel import __version__
from hilabel._typing import IntArray
from hilabel.calibration import TermGroup
from hilabel.report.page._about import AboutModel, AboutRows
from hilabel.report.page._bounds import (
    LABELS,
    MOST_TO_CHECK,
    NEIGHBORS,
    SMALLEST_SHOWN,
    VOTES,
    cells_per_row,
)
from hilabel.report.page._row_scan import RowScan
from hilabel.report.page._rows import precision_of, row_columns
from hilabel.report.page._term_numbers import TermNumbers
from hilabel.report.page._terms import term_columns

_NO_ROWS: Final = (
    *("id", "known", "negative", "predicted", "implied", "n_predicted", "n_new"),
    *("most_informative", "state", "oof", "evidence"),
)
_CODE: Final = re.compile(r"\w*?[:_.]?\d{3,}")


def page_payload(about: AboutModel, rows: AboutRows | None) -> dict[str, Any]:
    """Return the content of a page about a model and, if given, about rows."""
    numbers = TermNumbers(about.hierarchy, about.n_positive)
    left_out = _terms_left_out(about, numbers)
    columns: dict[str, Any] = {name: [] for name in _NO_ROWS}
    to_check: dict[str, Any] = {"new": [], "surprising": [], "label_next": []}
    if rows is not None and len(rows.ids):
        scan = RowScan(about, rows, numbers)
        chosen = scan.chosen()
        columns, n_explained = row_columns(about, rows, scan, chosen, numbers)
        to_check = _to_check(about, scan, chosen, numbers)
        has_votes = any(one and one["votes"] for one in columns["evidence"])
        left_out += _rows_left_out(rows, scan, chosen, n_explained, has_votes)
    quality = about.quality
    return {
        "kind": "model",
        "title": about.title,
        "version": __version__,
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "left_out": left_out,
        "summary": _summary(about),
        "measured_on": None if quality is None else quality.measured_on,
        "terms": term_columns(about, numbers),
        "overall_threshold": about.overall_threshold,
        "rows": columns,
        "to_check": to_check,
    }


def _summary(about: AboutModel) -> dict[str, Any]:
    quality = about.quality
    return {
        "method": about.method,
        "predicts": about.predicts,
        "settings": about.settings,
        "facts": [list(fact) for fact in about.facts],
        "warnings": list(about.warnings),
        "worth": about.unlabeled_worth,
        "pseudo_labels": _pseudo_labels(about),
        "scores": []
        if quality is None
        else [
            {
                "measure": name,
                "model": model,
                "constant": constant,
                "higher_is_better": True,
            }
            for name, model, constant in quality.measures
        ],
        "candidates": [_candidate(one) for one in about.candidates],
        "curves": _curves(() if quality is None else quality.groups),
    }


def _pseudo_labels(about: AboutModel) -> dict[str, Any] | None:
    learned, picture = about.pseudo_labeling, about.pseudo_label_picture
    if learned is None:
        return None
    return {
        "said": str(learned),
        "step": learned.step,
        "steps": learned.steps,
        "history": list(learned.history),
        "picture": None if picture is None else picture._asdict(),
    }


def _candidate(one: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "name": one["name"],
        "score": one["score"],
        "seconds": one["seconds"],
        "uses_unlabelled": one["uses_unlabeled"],
        "taken": one["share"] > 0,
        "weight": one["share"],
        "remark": one["remark"],
    }


def _curves(groups: Any) -> dict[str, Any]:
    def reliability(group: TermGroup) -> dict[str, Any]:
        return {
            "label": group.label,
            "said": group.said,
            "true": group.true,
            "count": group.count,
        }

    return {
        "precision_recall": [
            {
                "label": group.label,
                "recall": group.recall,
                "precision": group.precision,
                "average_precision": group.average_precision,
                "constant": group.constant,
                "frequency": group.frequency,
            }
            for group in groups
        ],
        "reliability": [reliability(group) for group in groups if group.said.size],
    }


def _to_check(
    about: AboutModel, scan: RowScan, chosen: IntArray, numbers: TermNumbers
) -> dict[str, Any]:
    place = {int(row): at for at, row in enumerate(chosen)}
    listed = {
        name: [row for row in found if int(row) in place]
        for name, found in scan.listed().items()
    }
    precision = precision_of(about)

    def predictions(rows: Any, found: Any) -> list[list[Any]]:
        nodes, values, worth = found
        return [
            [
                place[int(row)],
                numbers.one(nodes[row]),
                float(values[row]),
                float(precision(values[row])),
                float(worth[row]),
            ]
            for row in rows
        ]

    return {
        "new": predictions(listed["new"], scan.new),
        "surprising": predictions(listed["surprising"], scan.surprising),
        "label_next": [
            [place[int(row)], float(scan.uncertainty[row])]
            for row in listed["label_next"]
        ],
    }


# What is left out ---------------------------------------------------------------------


def _terms_left_out(about: AboutModel, numbers: TermNumbers) -> list[str]:
    n_nodes, n_kept = about.hierarchy.n_nodes, numbers.nodes.size
    sentences = []
    if _has_codes_only(about):
        sentences.append(
            "No names of terms: the hierarchy file has none, so ids are shown."
        )
    if n_kept < n_nodes:
        sentences.append(
            f"Only the {n_kept:,} most frequent of {n_nodes:,} terms are shown."
        )
    if not about.n_positive.any():
        sentences.append(
            "No counts or frequencies of terms: no labelled rows were given."
        )
    quality = about.quality
    if quality is None:
        sentences.append(
            "No quality measures: the model has none, and no labelled rows were given."
        )
    else:
        n_unknown = int(np.isnan(quality.worth.quality[about.says]).sum())
        n_says = int(about.says.sum())
        if n_unknown:
            roots = (
                "" if n_says == n_nodes else " (not counting roots that all rows have)"
            )
            sentences.append(
                f"{n_unknown:,} of {n_says:,} terms{roots} are not measured: none of "
                "the measured rows has them."
            )
    if about.features is None:
        sentences.append(
            "No important features of terms: the model does not provide them, and "
            "no features of labelled rows were given."
        )
    else:
        n_told = len(about.features.of_node)
        if n_told < n_nodes:
            sentences.append(
                f"The most important features are shown for {n_told:,} of {n_nodes:,} "
                "terms; the others have too few rows."
            )
    return sentences


def _has_codes_only(about: AboutModel) -> bool:
    """Return whether most terms have only a code such as GO:0008150 and no name."""
    names, titles = about.hierarchy.names, about.hierarchy.titles
    n_codes = sum(map(bool, map(_CODE.fullmatch, names)))
    return list(names) == list(titles) and n_codes > len(names) / 2


def _rows_left_out(
    rows: AboutRows,
    scan: RowScan,
    chosen: IntArray,
    n_explained: int,
    has_votes: bool,
) -> list[str]:
    n_rows, sentences = len(rows.ids), []
    if n_rows < rows.n_given:
        sentences.append(
            f"Only the first {n_rows:,} of {rows.n_given:,} rows were processed."
        )
    if len(chosen) < n_rows:
        sentences.append(
            f"Only {len(chosen):,} of {n_rows:,} rows are shown: those to check first, "
            "and the first of the others."
        )
    sentences.append(
        f"Each row is shown with its {cells_per_row(len(chosen))} most probable terms "
        f"of at least {SMALLEST_SHOWN:g}, its known terms, and the ancestors of both."
    )
    if n_explained == 0:
        sentences.append(
            "No evidence for single rows: the method stores none, or their features "
            "were not given."
        )
    else:
        if n_explained < len(chosen):
            sentences.append(
                f"Only {n_explained:,} rows are shown with evidence, starting with "
                "those to check first."
            )
        sentences.append(
            f"The evidence for a row has up to {NEIGHBORS} neighbours of each kind, "
            f"with {LABELS} labels each{f', and {VOTES} votes' if has_votes else ''}."
        )
    n_seen = int(rows.is_seen.sum())
    if n_seen:
        sentences.append(
            f"{n_seen:,} rows are not in the lists of what to check: the model was "
            "trained on their labels, and has no out-of-fold scores."
        )
    worth = (scan.new[2], scan.surprising[2], scan.uncertainty)
    if max(int((value > 0).sum()) for value in worth) > MOST_TO_CHECK:
        sentences.append(f"Each list of what to check shows the first {MOST_TO_CHECK}.")
    return sentences
