"""What every display can do."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Display(Protocol):
    """Data that can be drawn and can be read as a table.

    Making a display computes everything; showing it computes nothing.

    Examples
    --------
    >>> from hilabel.report import Display, PseudoLabelDisplay
    >>> issubclass(PseudoLabelDisplay, Display)
    True
    """

    def frame(self) -> Any:
        """Return the data as a tidy pandas DataFrame."""
        ...

    def plot(self) -> Any:
        """Return the data as a matplotlib figure, known to nobody else."""
        ...
