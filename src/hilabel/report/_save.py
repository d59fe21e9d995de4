"""Write a figure to a file atomically."""

from pathlib import Path
from typing import TYPE_CHECKING

from hilabel._typing import FilePath
from hilabel._writing import written_aside

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DOTS_PER_INCH = 150


def save_figure(figure: "Figure", path: FilePath) -> Path:
    """Save a figure atomically.

    Parameters
    ----------
    figure : matplotlib figure
    path : path-like
        Its suffix determines the format, such as ``.png`` or ``.pdf``. An existing file
        is replaced.

    Raises
    ------
    ValueError
        If the path has no suffix, or matplotlib does not support the format.

    Examples
    --------
    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> from hilabel.report import save_figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_figure(Figure(), f"{folder}/empty.png").name
    'empty.png'
    """
    path = Path(path)
    if not path.suffix:
        raise ValueError(
            "Expected a file name with the suffix of a format, such as .png, got "
            f"{path}."
        )
    with written_aside(path) as unfinished:
        figure.savefig(unfinished, dpi=_DOTS_PER_INCH)
    return path
