"""The base class of all displays."""

from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Display(Protocol):
    """Data that can be shown as a figure or as a table.

    Creating a display computes everything; showing it computes nothing.

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
        """Return the data as a new matplotlib figure."""
        ...
