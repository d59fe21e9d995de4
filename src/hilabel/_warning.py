"""Warnings that point to the user's line of code, and are shown there once."""

import sys
import warnings
from pathlib import Path
from types import FrameType
from typing import Final

from hilabel.exceptions import HilabelWarning

_FOLDER: Final = str(Path(__file__).parent)
# These call hilabel for the user, for example in a search over parameters.
_CALLERS: Final = {"sklearn", "joblib"}
# Texts and lines of the warnings that were shown.
_shown: set[tuple[str, str, int]] = set()


def warn_user(message: str) -> None:
    """Issue a warning that points to the calling line outside hilabel.

    Unless a filter asks for every warning, a line shows the same text only once. Python
    alone forgets what it has shown whenever ``warnings.catch_warnings`` is used, as
    scikit-learn does for every fit of a search.
    """
    frame, level = sys._getframe(1), 2
    while _is_between(frame) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    place = message, frame.f_code.co_filename, frame.f_lineno
    if _is_shown_once(message, frame):
        if place in _shown:
            return
        _shown.add(place)
    warnings.warn(message, HilabelWarning, stacklevel=level)


def _is_between(frame: FrameType) -> bool:
    """Return whether a frame is between the user's line and the warning."""
    if frame.f_code.co_filename.startswith(_FOLDER):
        return True
    return str(frame.f_globals.get("__name__", "")).partition(".")[0] in _CALLERS


def _is_shown_once(message: str, frame: FrameType) -> bool:
    """Return whether Python's filters show the warning once per line or less often."""
    module = str(frame.f_globals.get("__name__", "<unknown>"))
    # Since Python 3.14, filters may belong to a context.
    current = getattr(warnings, "_get_filters", lambda: warnings.filters)
    for action, text, category, place, line in current():
        if (
            (text is None or text.match(message))
            and issubclass(HilabelWarning, category)
            and (place is None or place.match(module))
            and line in (0, frame.f_lineno)
        ):
            return action in ("default", "module", "once")
    return True
