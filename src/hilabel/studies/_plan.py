"""The plan of a study: all runs, in a fixed order."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from hilabel.studies._config import Study
from hilabel.studies._specs import CellSpec, MethodSpec, RunSpec


def make_plan(study: Study) -> list[RunSpec]:
    """List all runs of a study, cell by cell.

    A cell is a combination of a data set, a labelled fraction and a repetition.
    Supervised counterparts are also run with all rows labelled, which determines the
    largest gap that unlabelled rows could close.

    Parameters
    ----------
    study : Study

    Returns
    -------
    list of RunSpec
        The same list for the same study file on every machine. The id of a run does not
        change when other runs are added to the study.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.studies import make_plan, read_study
    >>> text = '''
    ... fractions = [0.1, 0.5]
    ... repetitions = 3
    ... datasets = [{ name = "tree", source = "synthetic" }]
    ... methods.constant = { class = "PriorClassifier" }
    ... '''
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "study.toml")
    ...     _ = path.write_text(text)
    ...     plan = make_plan(read_study(path))
    >>> len(plan)  # two fractions, three repetitions, one method
    6
    """
    return [
        RunSpec(cell, method, study.measures, study.tune_on)
        for cell in _cells(study)
        for method in _methods_of(study, cell.fraction)
    ]


def cells_of(runs: Sequence[RunSpec]) -> list[list[RunSpec]]:
    """Group runs by cell; the runs must be in the order of a plan."""
    return [list(group) for _, group in groupby(runs, key=lambda run: run.cell.id)]


def _cells(study: Study) -> Iterator[CellSpec]:
    fractions = list(study.fractions)
    if study.counterparts and 1.0 not in fractions:
        fractions.append(1.0)
    for dataset in study.datasets:
        for repetition in range(1, study.repetitions + 1):
            for fraction in fractions:
                # If all rows are labelled, there is nothing to choose.
                is_nested = study.nested and fraction < 1
                yield CellSpec(
                    dataset,
                    fraction,
                    repetition,
                    study.seed,
                    study.stratified,
                    tuple(sorted(study.fractions)) if is_nested else (),
                )


def _methods_of(study: Study, fraction: float) -> Iterator[MethodSpec]:
    for method in study.methods:
        if fraction in study.fractions or method.name in study.counterparts:
            yield method
