"""What a command says about how rows, annotations and terms were matched."""

from typing import TYPE_CHECKING

from hilabel.cli._screen import Screen

if TYPE_CHECKING:
    from hilabel.datasets import MatchReport


def show_matching(screen: Screen, report: "MatchReport") -> None:
    """Print how many rows are labelled, and the rest if details are asked for.

    What did not match is always printed, since it may be a mistake in the files.
    """
    rows, *others = str(report).splitlines()
    screen.say(rows)
    for line in others:
        screen.detail(line)
    if not screen.details and (lost := report.lost()):
        screen.say(f"not used: {lost}; see hilabel inspect")
