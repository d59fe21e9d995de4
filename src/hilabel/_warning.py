"""Warnings that point to the caller's line of code."""

import sys
import warnings
from pathlib import Path
from typing import Final

from hilabel.exceptions import HilabelWarning

_FOLDER: Final = str(Path(__file__).parent)


def warn_user(message: str) -> None:
    """Issue a warning that points to the calling line outside hilabel."""
    frame, level = sys._getframe(1), 2
    while frame.f_code.co_filename.startswith(_FOLDER) and frame.f_back is not None:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, HilabelWarning, stacklevel=level)
