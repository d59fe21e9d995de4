"""Kill a running study again and again: no row is lost or doubled, no file is left."""

import multiprocessing
import tempfile
import time
from pathlib import Path
from random import Random

import pandas as pd
from study_cases import TINY

from hilabel.studies import TIMING_COLUMNS, read_results, run_study

SLOWEST = 1.0


def run(n_cases: int, seed: int) -> list[str]:
    """Kill studies of one or two processes repeatedly, and return the failures."""
    forked = multiprocessing.get_context("fork")
    random = Random(seed)
    failures = []
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "tiny.toml"
        path.write_text(TINY)
        run_study(path, Path(name) / "whole")
        whole = _results(Path(name) / "whole")
        n_kills = round_number = 0
        while n_kills < n_cases:
            round_number += 1
            folder = Path(name) / f"killed{round_number}"
            for _ in range(min(10, n_cases - n_kills)):
                processes = [
                    forked.Process(target=run_study, args=(path, folder))
                    for _ in range(random.choice([1, 2]))
                ]
                for process in processes:
                    process.start()
                time.sleep(random.uniform(0, SLOWEST))
                for process in processes:
                    process.kill()
                    process.join()
                n_kills += 1
            removed = run_study(path, folder).n_removed
            where = f"round {round_number} of seed {seed}, {removed} files removed"
            if not _results(folder).equals(whole):
                failures.append(f"{where}: other results")
            if left := [*folder.rglob(".unfinished*"), *(folder / "claims").iterdir()]:
                failures.append(f"{where}: left {left}")
    return failures


def _results(folder: Path) -> pd.DataFrame:
    results = read_results(folder)["results"]
    return results.drop(columns=[c for c in TIMING_COLUMNS if c in results])
