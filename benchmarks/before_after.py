"""Compare two installations on the same tasks; ``python -m benchmarks.before_after``.

``--before`` is the Python of another environment, such as one with an older hilabel;
``--after`` is compared with it and defaults to this Python. Every job runs in its own
processes, alternately with both installations; the minimum time counts. The table is
printed and written to ``results/engine.md``.
"""

import argparse
import json
import math
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks._jobs import all_jobs
from benchmarks._results import write_table

ROOT = Path(__file__).parents[1]
HEADINGS = ("work", "before", "after", "ratio", "peak memory before", "after")
# Jobs that take minutes are not repeated.
LONG = 120.0


@dataclass
class Side:
    """The results under one Python: minimum seconds per task, memory per job."""

    python: str
    seconds: dict[str, float] = field(default_factory=dict)
    mebibytes: dict[str, float] = field(default_factory=dict)
    source: str = ""

    def run(self, job: str) -> tuple[list[str], float]:
        """Run a job once; return its tasks and the time of the longest."""
        command = [self.python, "-m", "benchmarks._jobs", job]
        done = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT
        )
        outcome = json.loads(done.stdout.splitlines()[-1])
        self.source = outcome["hilabel"]
        for work, taken in outcome["seconds"].items():
            self.seconds[work] = min(taken, self.seconds.get(work, math.inf))
            memory = max(outcome["mebibytes"], self.mebibytes.get(work, 0.0))
            self.mebibytes[work] = memory
        return list(outcome["seconds"]), max(outcome["seconds"].values())


def measure(before: Side, after: Side, job: str, repeats: int) -> list[str]:
    """Run a job under both alternately, and return its tasks."""
    works, longest = [], 0.0
    for number in range(repeats):
        # Both go first equally often.
        for side in (before, after) if number % 2 == 0 else (after, before):
            works, taken = side.run(job)
            longest = max(longest, taken)
        if before.source == after.source:
            sys.exit(f"Both import {after.source}: there is nothing to compare.")
        if longest > LONG:
            break
    return works


def row(before: Side, after: Side, work: str) -> tuple[str, ...]:
    """Return the cells of a task."""
    return (
        work,
        f"{before.seconds[work]:.3f} s",
        f"{after.seconds[work]:.3f} s",
        f"{before.seconds[work] / after.seconds[work]:.2f}x",
        f"{before.mebibytes[work]:.0f} MiB",
        f"{after.mebibytes[work]:.0f} MiB",
    )


def summary(before: Side, after: Side) -> tuple[str, ...]:
    """Return the last row: the geometric mean of the ratios."""
    logs = [math.log(before.seconds[w] / after.seconds[w]) for w in after.seconds]
    mean = math.exp(sum(logs) / len(logs))
    return (f"geometric mean of {len(logs)}", "", "", f"{mean:.2f}x", "", "")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", required=True, help="a Python with another hilabel")
    parser.add_argument("--after", default=sys.executable, help="default: this Python")
    parser.add_argument("--repeats", type=int, default=5, help="processes per job")
    parser.add_argument("jobs", nargs="*", help="names, or how they begin; default all")
    given = parser.parse_args()
    chosen = [
        job for job in all_jobs() if not given.jobs or job.startswith(tuple(given.jobs))
    ]
    if not chosen:
        sys.exit(f"No such job; there are: {', '.join(all_jobs())}.")
    before, after = Side(given.before), Side(given.after)
    rows = []
    for job in chosen:
        for work in measure(before, after, job, given.repeats):
            rows.append(row(before, after, work))
            print(*rows[-1], sep=" | ", flush=True)
    rows.append(summary(before, after))
    print(*rows[-1], sep=" | ")
    # A selection of jobs is only printed.
    if not given.jobs:
        print(write_table("engine", HEADINGS, rows))


if __name__ == "__main__":
    main()
