"""The picture of the pseudo-labels of a model, inside the page."""

import base64
import io
from typing import Any, NamedTuple

from hilabel.report._pseudo_labels import PseudoLabelDisplay, has_pseudo_labels
from hilabel.report._style import has_matplotlib
from hilabel.report.page._bounds import MOST_ROWS_IN_PICTURE

_DOTS_PER_INCH = 110


class Picture(NamedTuple):
    """An image as an address that contains it, and its description in words."""

    source: str
    alt: str
    note: str


def pseudo_label_picture(model: Any, X: Any = None) -> Picture | None:
    """Draw the pseudo-labels of a model; return None if this is not possible.

    ``X`` is only needed if the model does not store its training rows. matplotlib is
    optional, and a page without it has no picture.
    """
    has_rows = X is not None or hasattr(model, "training_data_")
    if not (has_rows and has_pseudo_labels(model) and has_matplotlib()):
        return None
    display = PseudoLabelDisplay.from_estimator(
        model, X, max_points=MOST_ROWS_IN_PICTURE
    )
    file = io.BytesIO()
    display.plot().savefig(file, format="png", dpi=_DOTS_PER_INCH)
    content = base64.b64encode(file.getvalue()).decode()
    titles = [panel.title for panels in display.panels for panel in panels]
    note = (
        "Rows by their first two principal components, before and after "
        "pseudo-labelling, for terms that divide them"
    )
    drawn = display.drawn
    if drawn is not None and not drawn.all():
        note += f"; {drawn.sum():,} of {drawn.size:,} rows are drawn"
    return Picture(
        f"data:image/png;base64,{content}",
        "; ".join(" ".join(title.split()) for title in titles),
        f"{note}.",
    )
