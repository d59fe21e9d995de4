"""Run a command in its own process, with its time, its memory and its limits."""

import contextlib
import os
import resource
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_PROCESSES = Path("/proc")
# Memory is looked at this often; a shorter peak of several processes may be missed, but
# not that of a single process, since Linux itself remembers it.
_INTERVAL = 0.2


@dataclass(frozen=True)
class Outcome:
    """What a command took, what it printed, and why it failed.

    Attributes
    ----------
    seconds, cpu_seconds : float
        Wall-clock time, and time of all cores.
    gigabytes : float
        Peak memory of all its processes together; 0 where there is no ``/proc``.
    output : str
        Its standard output.
    failure : str
        The reason, or "" if the command succeeded.
    """

    seconds: float
    cpu_seconds: float
    gigabytes: float
    output: str = ""
    failure: str = ""


def run_measured(
    command: Sequence[str],
    log: Path,
    *,
    most_seconds: float,
    most_gigabytes: float,
    allowed: Sequence[int] = (0,),
) -> Outcome:
    """Run a command, and stop it if it takes more time or memory than allowed.

    Parameters
    ----------
    command : sequence of str
    log : Path
        Where its standard error goes. Standard output goes beside it.
    most_seconds, most_gigabytes : float
    allowed : sequence of int
        The exit codes of success.
    """
    log.parent.mkdir(parents=True, exist_ok=True)
    printed, start, peak = log.with_suffix(".out"), time.perf_counter(), 0.0
    cpu_before = _cpu_seconds()
    with log.open("wb") as errors, printed.open("wb") as output:
        # A session of its own, so that its processes are found, and end with it.
        process = subprocess.Popen(
            command, stdout=output, stderr=errors, start_new_session=True
        )
        why = ""
        try:
            while process.poll() is None and not why:
                peak = max(peak, memory_of_session(process.pid))
                taken = time.perf_counter() - start
                if taken > most_seconds:
                    why = f"stopped after {most_seconds:.0f} s"
                elif peak > most_gigabytes:
                    why = f"stopped at {most_gigabytes:g} GB, after {taken:.0f} s"
                else:
                    _wait(process)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    seconds = time.perf_counter() - start
    cpu_seconds = _cpu_seconds() - cpu_before
    if not why and process.returncode not in allowed:
        why = _reason(process.returncode, log)
    text = printed.read_text(errors="replace")
    return Outcome(seconds, cpu_seconds, peak, text, why)


def _cpu_seconds() -> float:
    """Return the time of all cores of the commands that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wait(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_INTERVAL)


def memory_of_session(session: int) -> float:
    """Return the memory in GB of all processes of a session.

    For a single process, it is the peak so far. Of several, the memory that each has to
    itself is added, since they share their libraries.
    """
    used = [_status(folder) for folder in _folders_of(session)]
    if not used:
        return 0.0
    shared = max(now - own for _, now, own in used)
    together = sum(own for *_, own in used) + shared
    return max(together, *(peak for peak, *_ in used)) / 1e6


def _folders_of(session: int) -> list[Path]:
    """Return the folders in /proc of the processes of a session."""
    if not _PROCESSES.is_dir():
        return []
    found = []
    for folder in _PROCESSES.iterdir():
        if folder.name.isdigit():
            # The process may have ended in between.
            with contextlib.suppress(OSError, IndexError, ValueError):
                # The name of the program comes in parentheses, and may contain any.
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    found.append(folder)
    return found


def _status(folder: Path) -> tuple[float, float, float]:
    """Return the peak memory of a process, its memory now, and its own share in kB."""
    lines: dict[str, float] = {}
    with contextlib.suppress(OSError):
        for line in (folder / "status").read_text().splitlines():
            name, _, value = line.partition(":")
            if value.endswith("kB"):
                lines[name] = float(value.split()[0])
    names = ("VmHWM", "VmRSS", "RssAnon")
    peak, now, own = (lines.get(name, 0.0) for name in names)
    return peak, now, own


def _reason(code: int, log: Path) -> str:
    """Say why a command failed: its signal, or the last line that it wrote."""
    if code < 0:
        return f"ended by {signal.Signals(-code).name}"
    lines = log.read_text(errors="replace").strip().splitlines()
    return lines[-1] if lines else f"ended with code {code}"
