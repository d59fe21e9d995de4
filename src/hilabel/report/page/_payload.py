"""The whole content of a page as plain values; see ``ModelPage``."""

import datetime
from typing import Any

import numpy as np

from hilabel import __version__
from hilabel._typing import IntArray
from hilabel.report.page._content import PageContent
from hilabel.report.page._left_out import rows_left_out, terms_left_out
from hilabel.report.page._row_scan import RowScan
from hilabel.report.page._rows import precision_of, row_columns
from hilabel.report.page._summary import summary_of
from hilabel.report.page._term_numbers import TermNumbers
from hilabel.report.page._terms import term_columns

_NO_ROWS = (
    *("id", "known", "negative", "predicted", "others", "n_predicted", "n_new"),
    *("most_informative", "state", "scored", "evidence"),
)


def page_payload(content: PageContent) -> dict[str, Any]:
    """Return the content of a page as plain values."""
    model, rows, judgement = content.model, content.rows, content.judgement
    numbers = TermNumbers(model.hierarchy, model.n_positive)
    left_out = terms_left_out(content, numbers)
    columns: dict[str, Any] = {name: [] for name in _NO_ROWS}
    to_check: dict[str, Any] = {"new": [], "surprising": [], "label_next": []}
    if rows is not None and len(rows):
        scan = RowScan(content, rows, numbers)
        chosen = scan.chosen()
        columns = row_columns(content, rows, scan, chosen, numbers)
        to_check = _to_check(content, scan, chosen, numbers)
        left_out += rows_left_out(rows, content.n_given, scan, columns)
    return {
        "kind": "model",
        "title": content.title,
        "version": __version__,
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "left_out": left_out,
        "summary": summary_of(content),
        "measured_on": None if judgement is None else judgement.measured_on,
        "terms": term_columns(content, numbers),
        "overall_threshold": content.decision.overall,
        "rows": columns,
        "to_check": to_check,
    }


def _to_check(
    content: PageContent, scan: RowScan, chosen: IntArray, numbers: TermNumbers
) -> dict[str, Any]:
    place = {int(row): at for at, row in enumerate(chosen)}
    listed = {
        name: [row for row in found if int(row) in place]
        for name, found in scan.listed().items()
    }
    precision = precision_of(content)

    def predictions(rows: Any, found: Any) -> list[list[Any]]:
        nodes, values, interest = found
        return [
            [
                place[int(row)],
                numbers.one(nodes[row]),
                float(values[row]),
                float(precision(np.asarray(values[row]))),
                float(interest[row]),
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
