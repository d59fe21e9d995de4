"""Print benchmark rows as a table, and write them with the machine and versions."""

import importlib.metadata
import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from benchmarks._comparison import Comparison, Measurement

FOLDER = Path(__file__).parent / "results"
_PACKAGES = ("hilabel", "numpy", "scipy", "scikit-learn", "joblib")


def cells(row: Comparison | Measurement) -> tuple[str, ...]:
    """Return (work, ours, rival's, ratio, wanted, rival and note) of a row."""
    if isinstance(row, Measurement):
        wanted = "" if row.bound is None else f"<= {row.bound:g}"
        return row.work, f"{row.value:.4g} {row.unit}", "", "", wanted, row.note
    wanted = "" if row.target is None else f">= {row.target:g}x"
    about = f"{row.rival}; {row.note}" if row.note else row.rival
    return (
        row.work,
        f"{row.ours:.3f} {row.unit}",
        f"{row.theirs:.3f} {row.unit}",
        f"{row.ratio:.1f}x",
        wanted,
        about,
    )


HEADINGS = ("work", "ours", "rival's", "ratio", "wanted", "rival, notes")


def save(name: str, rows: list[Comparison | Measurement]) -> Path:
    """Write the rows to ``results/NAME.md``, and return its path."""
    return write_table(name, HEADINGS, [cells(row) for row in rows])


def write_table(
    name: str, headings: tuple[str, ...], rows: list[tuple[str, ...]]
) -> Path:
    """Write ``results/NAME.md`` atomically, and return its path."""
    lines = [f"# {name}", "", _provenance(), "", _line(headings)]
    lines.append(_line(("---",) * len(headings)))
    lines += [_line(row) for row in rows]
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.md"
    aside = path.with_suffix(".part")
    aside.write_text("\n".join(lines) + "\n", encoding="utf-8")
    aside.replace(path)
    return path


def _line(values: tuple[str, ...]) -> str:
    return "| " + " | ".join(values) + " |"


def _provenance() -> str:
    versions = ", ".join(f"{p} {importlib.metadata.version(p)}" for p in _PACKAGES)
    return (
        f"{datetime.now(tz=UTC):%Y-%m-%d}, {os.cpu_count()} cores "
        f"({_processor()}), Python {platform.python_version()}; {versions}."
    )


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
