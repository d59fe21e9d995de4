"""The seconds and bytes that some work takes."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Cost:
    """The time and memory of some work.

    Costs of work that is done one after another are added: its seconds add up, and the
    memory is that of the part that needs most.

    Attributes
    ----------
    seconds : float
    memory : float
        The largest number of bytes in use, above those of the data.

    Examples
    --------
    >>> from hilabel.costs import Cost
    >>> 5 * Cost(2.0, 1e6) + Cost(1.0, 3e6)
    Cost(seconds=11.0, memory=3000000.0)
    """

    seconds: float
    memory: float

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.seconds + other.seconds, max(self.memory, other.memory))

    def __mul__(self, times: float) -> "Cost":
        return Cost(self.seconds * times, self.memory)

    __rmul__ = __mul__

    def needing(self, memory: float) -> "Cost":
        """Return the cost of the work while so many more bytes are in use."""
        return Cost(self.seconds, self.memory + memory)
