"""The study files that come with hilabel."""

from pathlib import Path
from typing import Final

# An installation contains a copy; in a clone, the files are in the folder `studies`.
_INSTALLED: Final = Path(__file__).with_name("bundled")
_IN_CLONE: Final = Path(__file__).parents[3] / "studies"


def bundled_studies() -> dict[str, Path]:
    """Return a dictionary of the study files that come with hilabel, by name.

    Examples
    --------
    >>> from hilabel.studies import bundled_studies, read_study
    >>> sorted(bundled_studies())
    ['paper_go', 'profiles', 'smoke', 'unlabelled', 'unstratified']
    >>> read_study(bundled_studies()["smoke"]).title
    'Two made-up problems, small forests'
    """
    folder = _INSTALLED if _INSTALLED.is_dir() else _IN_CLONE
    return {path.stem: path for path in sorted(folder.glob("*.toml"))}
