"""The table of jobs at real size, and what they miss."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks._real_jobs import Job, Wanted, all_jobs
from benchmarks._results import write_table

HEADINGS = (
    "job",
    "fit",
    "predict",
    "memory",
    "micro AP",
    "constant",
    "expected by fit",
    "macro AP",
    "Fmax",
    "calibration error, expected",
    "wanted",
    "before",
)
# How far the quality and the calibration error may be from what ``fit`` expected.
_QUALITY_WITHIN, _CALIBRATION_WITHIN = 0.01, 0.02

Row = Mapping[str, Any]
Rows = Mapping[tuple[str, bool], Row]


def write(rows: Rows) -> Path:
    """Write the table of the finished jobs."""
    now = {name: row for (name, is_before), row in rows.items() if not is_before}
    lines = []
    for name, job in all_jobs().items():
        row, before = now.get(name), rows.get((name, True))
        if row is not None or before is not None:
            lines.append((name, *cells(job, row or {}, now), _short(before)))
    return write_table("real", HEADINGS, lines)


def cells(job: Job, row: Row, rows: Mapping[str, Row]) -> tuple[str, ...]:
    """Return the cells of a job between its name and its earlier result."""
    if not row:
        return ("",) * (len(HEADINGS) - 2)
    is_asked = job.wanted != Wanted() or "expected_micro" in row
    reached = "; ".join(missed(job, row, rows)) or ("reached" if is_asked else "")
    if "failure" in row:
        reached = f"failed: {row['failure']}"
    return (
        _seconds(row, "fit") + (", GPU" if row.get("has_gpu") else ""),
        _seconds(row, "predict"),
        _gigabytes(row),
        _score(row, "micro"),
        _score(row, "constant_micro"),
        _score(row, "expected_micro"),
        _score(row, "macro"),
        _score(row, "fmax"),
        _pair(row, "calibration_error", "expected_calibration_error"),
        reached.replace("|", "/"),
    )


def missed(job: Job, row: Row, rows: Mapping[str, Row]) -> Iterator[str]:
    """Yield what is wanted of a job but not reached, each with the wanted value."""
    wanted, micro = job.wanted, row.get("micro")
    if wanted.seconds is not None and row.get("fit_seconds", 0) > wanted.seconds:
        yield f"fit in {wanted.seconds:.0f} s"
    memory = max(row.get("fit_gigabytes", 0), row.get("predict_gigabytes", 0))
    if wanted.gigabytes is not None and memory > wanted.gigabytes:
        yield f"{wanted.gigabytes:g} GB"
    if micro is None:
        return
    if wanted.micro is not None and micro < wanted.micro:
        yield f"micro AP {wanted.micro:.3f}"
    for other in wanted.above:
        theirs = rows.get(other, {}).get("micro")
        if theirs is None:
            yield f"{other} has no result"
        elif micro < theirs - wanted.within:
            yield f"{theirs:.3f} of {other}"
    if "expected_micro" not in row:
        return
    # What ``fit`` measures are the nodes that it learns.
    if abs(row["learned_micro"] - row["expected_micro"]) > _QUALITY_WITHIN:
        yield f"expected quality: true is {row['learned_micro']:.3f}"
    errors = row["calibration_error"], row["expected_calibration_error"]
    if None not in errors and abs(errors[0] - errors[1]) > _CALIBRATION_WITHIN:
        yield f"calibration error within {_CALIBRATION_WITHIN:g}"


def _short(row: Row | None) -> str:
    """Return an earlier result in a cell."""
    if row is None:
        return ""
    parts = [_score(row, "micro"), _seconds(row, "fit"), _gigabytes(row)]
    if "micro" not in row:
        parts[0] = _score(row, "expected_micro")
    if "failure" in row:
        parts.insert(0, f"failed: {row['failure']}".replace("|", "/"))
    return ", ".join(filter(None, parts))


def _seconds(row: Row, command: str) -> str:
    seconds = row.get(f"{command}_seconds")
    if seconds is None:
        return ""
    return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"


def _gigabytes(row: Row) -> str:
    names = ("fit_gigabytes", "predict_gigabytes")
    found = [row[name] for name in names if name in row]
    return f"{max(found):.1f} GB" if found else ""


def _score(row: Row, name: str) -> str:
    score = row.get(name)
    return "" if score is None else f"{score:.4f}"


def _pair(row: Row, one: str, other: str) -> str:
    return ", ".join(filter(None, (_score(row, one), _score(row, other))))
