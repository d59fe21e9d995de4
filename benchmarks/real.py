"""The default at real size, beside its rivals; ``python -m benchmarks.real``.

The jobs are whole commands on the data sets in ``HILABEL_DATA``: ``hilabel fit`` on all
rows, of which those of the test are unlabelled, and ``hilabel predict`` of the test
rows, each in its own process. Measured are time, peak memory, and the quality on the
test rows, beside the quality that ``fit`` expects. Rivals learn from the same rows; for
them, reading and preparing the rows is not counted. The table is written to
``benchmarks/results/real.md``.

This takes hours on two cores. Finished jobs are stored in ``.benchmarks/real.jsonl``
and are not repeated; ``--again`` repeats the selected ones. To select jobs, pass their
names, such as ``wordnet/fast``, or the first part of their names; ``--list`` shows all.
With ``--before PYTHON``, the commands run with the hilabel of another Python, and the
results are the column "before".
"""

import argparse
import json
import shutil
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks._real_jobs import Job, all_jobs
from benchmarks._real_process import Outcome, run_measured
from benchmarks._real_quality import constant_quality, quality_of, scores_in, truth_of
from benchmarks._real_rivals import command_of
from benchmarks._real_sets import FOLDER, SETS, RealSet
from benchmarks._real_table import write
from benchmarks._real_trees import LEAST_SCORE

Row = dict[str, Any]

_DONE = Path(".benchmarks/real.jsonl")
# Beyond, a job would take the memory of others.
_MOST_GIGABYTES = 12.0
# 3: the model is no better than the constant predictor, and was saved.
_FITTED = (0, 3)


def run(job: Job, python: str) -> Row:
    """Do a job, and return its results, or why it failed."""
    one = SETS[job.of]()
    folder = FOLDER / "runs" / job.name.replace("/", "_")
    try:
        if job.rival:
            return _rival(job, folder)
        return _commands(job, one, folder, python)
    except (OSError, RuntimeError, ValueError) as error:
        return {"failure": str(error)}


def _commands(job: Job, one: RealSet, folder: Path, python: str) -> Row:
    """Fit and, if the set has a test, predict its rows."""
    model = folder / "model.hilabel"
    arguments = ["fit", *one.arguments(), "-o", str(model), "--json", *job.options]
    fit = _measured(job, [python, "-m", "hilabel", *arguments], folder / "fit.log")
    row = _taken("fit", fit) | {"has_gpu": shutil.which("nvidia-smi") is not None}
    if fit.failure:
        return {**row, "failure": fit.failure}
    told = json.loads(fit.output)
    row |= _expected(told["summary"]["quality"])
    row["told"] = told["verdict"]
    if one.test_features is None:
        return row
    output = folder / "predictions.parquet"
    arguments = ["predict", str(model), str(one.test_features), "-o", str(output)]
    arguments += ["--roots", "--threshold", str(LEAST_SCORE), "--top", str(one.n_top)]
    command = [python, "-m", "hilabel", *arguments, *one.of_links(), "--quiet"]
    predict = _measured(job, command, folder / "predict.log")
    row |= _taken("predict", predict)
    if predict.failure:
        return {**row, "failure": f"predict: {predict.failure}"}
    truth = truth_of(job.of)
    return row | _reached(job.of, scores_in(output, truth))


def _measured(job: Job, command: Sequence[str], log: Path) -> Outcome:
    return run_measured(
        command,
        log,
        most_seconds=job.most_seconds,
        most_gigabytes=_MOST_GIGABYTES,
        allowed=_FITTED,
    )


def _taken(command: str, outcome: Outcome) -> Row:
    return {
        f"{command}_seconds": round(outcome.seconds, 1),
        f"{command}_cpu_seconds": round(outcome.cpu_seconds, 1),
        f"{command}_gigabytes": round(outcome.gigabytes, 3),
    }


def _expected(quality: Row) -> Row:
    """Return what ``fit`` said about the quality on rows it has not seen."""
    gain = quality["unlabeled_gain"]
    return {
        "expected_micro": quality["average_precision"],
        "expected_constant": quality["constant_average_precision"],
        "expected_calibration_error": quality["calibration_error"],
        "unlabeled_gain": gain,
    }


def _rival(job: Job, folder: Path) -> Row:
    """Run a rival on the matrices of the set."""
    folder.mkdir(parents=True, exist_ok=True)
    scores = folder / "scores.npz"
    outcome = _measured(job, command_of(job.rival, job.of, scores), folder / "log")
    row = _taken("fit", outcome)
    if outcome.failure:
        return {**row, "failure": outcome.failure}
    # Other packages write to standard output, too; ours is the last line.
    seconds = json.loads(outcome.output.strip().splitlines()[-1])
    row["fit_seconds"] = round(seconds["fit"], 1)
    row["predict_seconds"] = round(seconds["predict"], 1)
    found = sp.load_npz(scores)
    return row | _reached(job.of, np.clip(found.toarray(), 0, 1))


def _reached(name: str, scores: Any) -> Row:
    """Return the quality on the rows of the test, beside the constant predictor."""
    truth = truth_of(name)
    constant = constant_quality(truth)
    return {
        **asdict(quality_of(truth, scores)),
        "constant_micro": constant.micro,
        "n_nodes": int(truth.counted.sum()),
    }


# Resuming ---------------------------------------------------------------------------


def done() -> dict[tuple[str, bool], Row]:
    """Return the newest results of each job, now and before."""
    if not _DONE.exists():
        return {}
    rows = [json.loads(line) for line in _DONE.read_text().splitlines()]
    return {(row.pop("job"), row.pop("is_before")): row for row in rows}


def selected(wanted: Sequence[str]) -> list[Job]:
    """Return the jobs with these names, or the first parts of names; all usual ones."""
    jobs = all_jobs()
    if not wanted:
        return [job for job in jobs.values() if job.is_usual]
    found = [
        job
        for name, job in jobs.items()
        if any(name == one or name.startswith(f"{one}/") for one in wanted)
    ]
    if not found:
        raise SystemExit(f"Expected a job, got {' '.join(wanted)}; --list shows all.")
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("jobs", nargs="*", metavar="job")
    parser.add_argument("--only", action="store_true", help="exactly the jobs named")
    parser.add_argument("--again", action="store_true", help="repeat finished jobs")
    parser.add_argument("--before", metavar="PYTHON", help="measure another hilabel")
    parser.add_argument("--list", action="store_true", help="show the jobs")
    options = parser.parse_args(arguments)
    if options.list:
        print(*all_jobs(), sep="\n")
        return
    # Ended from outside, it ends its command, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    is_before, finished = options.before is not None, done()
    for job in selected(options.jobs):
        is_left_out = options.only and job.name not in options.jobs
        is_left_out |= is_before and bool(job.rival)
        is_done = (job.name, is_before) in finished and not options.again
        if is_left_out or is_done:
            continue
        row = run(job, options.before or sys.executable)
        _DONE.parent.mkdir(exist_ok=True)
        with _DONE.open("a") as file:
            line = {"job": job.name, "is_before": is_before, **row}
            file.write(json.dumps(line) + "\n")
        print(job.name, json.dumps(row), flush=True)
    print(write(done()))


if __name__ == "__main__":
    main()
