"""Load changed model files and predict with what comes of them.

A process of its own takes the cases one after the other, within limits of time and
memory, and tells of each before it begins: if it dies, the case is known, and another
process goes on with the next.
"""

import argparse
import faulthandler
import importlib
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from fuzz.memory import limited_memory
from fuzz.model_mutators import mutate
from fuzz.saved_models import save_all

FAILURES = Path(__file__).parent / "failures"
SECONDS_PER_CASE = 30
# What loading may do besides: look at the file, and read the headers of arrays, which
# are parsed but never run.
HARMLESS = (
    "builtins.id",
    "sys._getframe",
    "object.__getattr__",
    "object.__setattr__",
    "array.__new__",
)
OWN_MODULES = ("hilabel", "numpy", "scipy", "sklearn", "skops", "joblib")


def run(n_cases, seed, *, slow=True, keep=True):
    """Run cases in other processes; return the failures, as lines of text.

    Files that failed in earlier runs and were kept come first.

    Parameters
    ----------
    n_cases, seed : int
    slow : bool, default=True
        Also change models that take long, such as networks.
    keep : bool, default=True
        Copy failing files to ``failures``, where they are tests from then on.
    """
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        save_all(folder, slow=slow)
        first = -len(kept_files())
        while first < n_cases:
            reports = _run_worker(folder, seed, first, n_cases)
            for report in reports:
                if "failure" in report:
                    failures.append(f"case {report['case']}: {report['failure']}")
                    if keep and report["case"] >= 0:
                        _keep(folder, seed, report["case"])
            if not reports:
                raise RuntimeError("The process that runs the cases did not begin.")
            first = reports[-1]["case"] + 1
    return failures


def _run_worker(folder, seed, first, last):
    """Return what a process reports; a case that it did not end with is a failure."""
    command = [sys.executable, "-m", "fuzz.models", folder, str(seed), str(first)]
    done = subprocess.run(
        [*command, str(last)],
        cwd=Path(__file__).parents[1],
        env={**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )
    reports = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode and reports:
        last_words = done.stderr.strip().splitlines()[:6]
        reports[-1]["failure"] = f"died ({done.returncode}): {' | '.join(last_words)}"
    elif done.returncode:
        raise RuntimeError(done.stderr)
    return reports


def _keep(folder, seed, case):
    name, data = make_case(_read(folder), seed, case)
    FAILURES.mkdir(exist_ok=True)
    (FAILURES / f"{name}-{seed}-{case}.hilabel").write_bytes(data)


def _read(folder):
    return {
        path.stem: path.read_bytes() for path in sorted(Path(folder).glob("*.hilabel"))
    }


def kept_files():
    """Return the files that failed in earlier runs."""
    return sorted(FAILURES.glob("*.hilabel"))


def make_case(files, seed, case):
    """Return the kind of model and the changed file; below 0, one that was kept."""
    if case < 0:
        path = kept_files()[case]
        return path.name, path.read_bytes()
    draw = np.random.default_rng([seed, case])
    name = list(files)[draw.integers(len(files))]
    return name, mutate(files[name], list(files.values()), draw)


# What is allowed ----------------------------------------------------------------------


def check_file(path, table):
    """Load a file and predict; return what went wrong, or None.

    Parameters
    ----------
    path : Path
    table : Path
        Features for models that read tables.
    """
    from hilabel.exceptions import HilabelWarning, ModelFileError
    from hilabel.persistence import load_model
    from hilabel.tasks import inspect_file

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", HilabelWarning)
        try:
            inspect_file(path)
        except ModelFileError:
            pass
        except BaseException as error:
            return f"inspect: {type(error).__name__}: {error}"
        try:
            with AUDIT.watching(path):
                model = load_model(path)
        except ModelFileError:
            return AUDIT.told()
        except BaseException as error:
            return f"loading: {type(error).__name__}: {error}"
        if AUDIT.told():
            return AUDIT.told()
        for use in (_predict, _predict_sparse, _explain):
            try:
                problem = use(model, table)
            except ValueError:
                continue
            except BaseException as error:
                return f"{use.__name__}: {type(error).__name__}: {error}"
            if problem:
                return problem
    return None


def _predict(model, table):
    from hilabel.judgement import (
        details as details_of,
        measure_table,
        node_table,
        verdict,
    )
    from hilabel.models import TableModel
    from hilabel.tasks import predict_table

    if isinstance(model, TableModel):
        scores = model.predict_proba(model.read(table))
        new = model.predict_proba(model.read(table), out_of_fold=False)
        if problem := _above_parents(model, new):
            return problem
        model.labels(scores)
        model.marks_of(model.read(table))
        predict_table(model, model.read(table))
        if model.judgement is not None:
            measure_table(model.judgement)
            node_table(model.judgement, model.hierarchy)
            details = [*verdict(model.judgement, False), *details_of(model.judgement)]
            assert all(isinstance(line, str) for line in details)
    elif hasattr(model, "predict_proba"):
        rows = _rows_for(model)
        scores = np.asarray(model.predict_proba(rows))
        model.predict(rows)
    else:  # a preparation
        names = model.feature_names_in_
        frame = pd.DataFrame({"title": ["a small pan", None], "x": [1.0, 2.0]})
        model.transform(frame.rename(columns=dict(zip(frame.columns, names))))
        return None
    if not (np.isfinite(scores).all() and (scores >= 0).all() and (scores <= 1).all()):
        return f"scores from {scores.min()} to {scores.max()}"
    return _above_parents(model, scores)


def _above_parents(model, scores):
    """Return what is wrong with scores in which a child exceeds a parent, or None."""
    from hilabel.models import TableModel

    owner = model.estimator if isinstance(model, TableModel) else model
    if hasattr(owner, "steps"):  # of a pipeline
        owner = owner.steps[-1][1]
    if not owner.method_tags.consistent:
        return None
    parent, child = owner.hierarchy_.edges.T
    excess = (scores[:, child] - scores[:, parent]).max(initial=0)
    return f"a child exceeds its parent by {excess}" if excess > 0 else None


def _predict_sparse(model, table):
    import scipy.sparse as sp

    if hasattr(model, "trees_") or getattr(model, "forests_", None) is not None:
        model.predict_proba(sp.csr_array(_rows_for(model)))


def _explain(model, table):
    if hasattr(model, "explain"):
        for row in range(0, 40, 7):
            model.explain(row)
        model.explain(_rows_for(model)[0])
    if hasattr(model, "describe"):
        model.describe()


def _rows_for(model):
    width = getattr(model, "n_features_in_", None)
    if type(width) is not int or not 0 < width <= 1000:
        width = 4
    return np.abs(np.random.default_rng(0).normal(size=(7, width)))


class Audit:
    """Notes what Python does while a file is loaded that no file may bring about."""

    def __init__(self):
        self._path = None
        self._noted = []
        sys.addaudithook(self._note)

    def watching(self, path):
        """Note what happens within a ``with`` block."""
        self._noted.clear()
        self._next = os.fspath(path)
        return self

    def __enter__(self):
        self._path = self._next

    def __exit__(self, *error):
        self._path = None

    def told(self):
        """Return what was noted as text, or None."""
        return f"audit: {self._noted[:3]}" if self._noted else None

    def _note(self, event, args):
        if self._path is None or event in HARMLESS:
            return
        if event == "open" and str(args[0]) == self._path and args[1] in ("r", "rb"):
            return
        if event == "open" and str(args[0]).startswith("/sys/fs/cgroup"):
            return  # joblib counts the cores
        if event == "compile" and args[1] == "<unknown>":  # ast.literal_eval
            return
        if event == "import" and str(args[0]).split(".")[0] in OWN_MODULES:
            return
        self._noted.append((event, str(args)[:100]))


AUDIT = None


def start(folder):
    """Get ready: import what models need."""
    global AUDIT
    AUDIT = Audit()
    # For messages of scikit-learn, and where a file asks for all cores.
    for name in ("sklearn.utils._pprint", "multiprocessing.dummy"):
        importlib.import_module(name)
    faulthandler.enable()
    files = _read(folder)
    table = Path(folder) / "features.csv"
    for name in files:
        problem = check_file(Path(folder) / f"{name}.hilabel", table)
        if problem and not problem.startswith("audit"):  # of what is imported now
            raise RuntimeError(f"{name}, as it was saved: {problem}")
    return files, table


def main(folder, seed, first, last):
    """Run cases in this process; a line of JSON tells of each that begins or fails."""
    files, table = start(folder)
    path = Path(folder) / "case" / "model.hilabel"
    path.parent.mkdir(exist_ok=True)
    with limited_memory():
        for case in range(first, last):
            _tell(case=case)
            name, data = make_case(files, seed, case)
            path.write_bytes(data)
            faulthandler.dump_traceback_later(SECONDS_PER_CASE, exit=True)
            problem = check_file(path, table)
            faulthandler.cancel_dump_traceback_later()
            if problem:
                _tell(case=case, failure=f"{name}: {problem}")


def _tell(**what):
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    for name in ("seed", "first", "last"):
        parser.add_argument(name, type=int)
    main(**vars(parser.parse_args()))
