"""Compare methods on a user's files, using the same folds for all methods."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import scipy.sparse as sp

from hilabel._method_text import read_value, split_outside
from hilabel._peak_memory import peak_memory, reset_peak_memory
from hilabel._progress import Report, say_nothing
from hilabel._typing import BoolArray, FilePath, FloatArray, IntArray, LabelArray
from hilabel._writing import folder_aside, inputs_kept
from hilabel.calibration import calibrate_by_folds, reliable_nodes
from hilabel.classifiers import BaseHierarchicalClassifier, PriorClassifier
from hilabel.datasets import MatchReport, TableData, TablePreparation
from hilabel.exceptions import ParameterError
from hilabel.metrics import average_precision, fmax, per_node_table
from hilabel.model_selection import LabeledKFold
from hilabel.report import ComparisonDisplay, has_matplotlib, save_figure
from hilabel.tasks._build import (
    FitChoices,
    build_estimator,
    build_preparation,
    training_labels,
)
from hilabel.tasks._cost import warn_of_time
from hilabel.tasks._files import TableFiles
from hilabel.tasks._held_out import held_out_scores, n_trainings
from hilabel.tasks._methods import find_meaning, find_method
from hilabel.tasks._parameters import parameter_sentence
from hilabel.tasks._preset import PRESETS
from hilabel.tasks._roots import informative, telling
from hilabel.tasks._worth import can_calibrate, fold_numbers, is_no_better
from hilabel.tasks._write_table import write_table

CONSTANT: Final = "constant predictor"
DEFAULT: Final = "default"

# One method of each kind, cheapest first. Methods in the first list learn all terms
# at once. Those in the second train a model per term, which takes too long for
# thousands of terms, or a small network, which shows whether a larger one may help.
_FOR_ALL_TERMS: Final = (
    "PredictiveClusteringForest",
    "PredictiveClusteringForest:splitter=random:bootstrap=false:min_samples_leaf=1",
)
_FOR_FEWER_TERMS: Final = (
    "default:knn",
    "default:logistic",
    "SSHMCBLI",
    "HierarchicalNetwork:shape=light:n_members=3:max_steps=400",
)
# For columns of words.
_FOR_WORDS: Final = (DEFAULT, "PredictiveClusteringForest")
_MANY_CELLS: Final = 10_000_000

# A difference below this many standard errors may be due to chance.
_ERRORS_OF_NOISE: Final = 2.0
_MEBI: Final = 2**20


@dataclass(frozen=True, eq=False)
class Comparison:
    """Scores of several methods on the same rows and folds.

    Attributes
    ----------
    title : str
        What was compared, and how.
    measures : DataFrame
        One row per method and for the constant predictor, best first: ``method``;
        ``micro_AP``, ``macro_AP`` and ``Fmax`` over the rows of all folds; ``behind``,
        the difference from the best micro average precision, and ``error``, the
        standard error of that difference over folds; ``seconds`` for training and
        scoring in all folds; ``peak_MB``, the peak memory of the process and its
        workers, including the data. Unknown values are NaN.
    choices : dict of FitChoices
        The choices of each method by its name in ``measures``, for :func:`fit_table`.
    display : ComparisonDisplay
    report : MatchReport
    sentences : tuple of str
        The findings, to be shown.
    failures : dict of str
        Methods that raised an error, and its message.
    no_better : tuple of str
        Methods that are no better than the constant predictor.
    inputs : tuple of Path
        The files that were read; ``save`` does not overwrite them.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import TableFiles, compare_methods
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = compare_methods(files, ["PredictiveClusteringTree"])
    >>> found.best, found.failures
    ('PredictiveClusteringTree', {})
    """

    title: str
    measures: pd.DataFrame
    choices: dict[str, FitChoices]
    display: ComparisonDisplay
    report: MatchReport
    sentences: tuple[str, ...]
    failures: dict[str, str]
    no_better: tuple[str, ...]
    inputs: tuple[Path, ...] = ()

    @property
    def best(self) -> str:
        """The method with the highest micro average precision."""
        return next(name for name in self.measures["method"] if name != CONSTANT)

    def frame(self) -> pd.DataFrame:
        """Return ``measures``."""
        return self.measures

    def save(self, folder: FilePath) -> list[Path]:
        """Write the tables as CSV, and the figure if matplotlib is installed."""
        with inputs_kept(self.inputs), folder_aside(folder) as aside:
            written = [
                write_table(self.measures, aside / "comparison.csv"),
                write_table(self.display.frame(), aside / "folds.csv"),
            ]
            if has_matplotlib():
                figure = self.display.plot()
                written.append(save_figure(figure, aside / "comparison.png"))
        return [Path(folder) / path.name for path in written]


def compare_methods(
    files: TableFiles,
    methods: Iterable[str] | None = None,
    choices: FitChoices | None = None,
    report: Report = say_nothing,
) -> Comparison:
    """Compare methods by cross-validation on the same folds of the labelled rows.

    The measures are those of :func:`evaluate_table`: scores are calibrated, except
    those of a preset, uninformative roots are omitted, and unlabelled rows are used for
    training in every fold.

    Parameters
    ----------
    files : TableFiles
    methods : iterable of str, optional
        Each is ``METHOD``, ``METHOD:BASE`` or ``METHOD:BASE:NAME=VALUE:...``, such as
        ``"LocalClassifierPerNode:logistic:policy=siblings"``; the base is optional.
        Words of the paper on SSHMC-BLI, such as ``V2:k=5``, are also accepted.
        ``default`` is the default method of :func:`fit_table`, and may have a base;
        ``paper`` is the preset. By default, methods of several kinds that suit the
        data, fastest first.
    choices : FitChoices, optional
        Folds, seed, jobs and preprocessing for all methods.
    report : callable, optional
        Called with the progress.

    Returns
    -------
    Comparison

    Raises
    ------
    ParameterError
        If a method is unknown or does not support the data. This is checked before any
        method is trained.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.datasets import write_example
    >>> from hilabel.tasks import TableFiles, compare_methods
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     found = compare_methods(files, ["default:naive-bayes", "SSLPCT"])
    >>> found.measures["method"].tolist()[-1]  # the worst
    'constant predictor'
    """
    choices = FitChoices() if choices is None else choices
    choices.refuse_tuning()
    if choices.method or choices.preset or choices.has_base or choices.parameters:
        raise ParameterError(
            "Expected choices that all methods share, got a method or its parameters; "
            "name it among the methods, such as 'SSHMCBLI:n_neighbors=5'.",
            parameter="methods",
        )
    texts = None if methods is None else [text.strip() for text in methods]
    named = {text: read_method(text, choices) for text in texts or ()}
    report("Reading the files", 0, 0)
    data = files.load()
    if texts is None:
        named = {text: read_method(text, choices) for text in _suited(data)}
    if not named:
        raise ParameterError(
            "Expected a method or more, got none.", parameter="methods"
        )
    rivals = [_Rival.of(name, its, data) for name, its in named.items()]
    for rival in rivals:
        each = n_trainings(rival.estimator, choices.folds)
        warn_of_time(rival.estimator, data.dataset, each)
    truth = _Truth.of(data, choices, report)
    found = _compared(rivals, truth, named, report)
    return replace(found, inputs=files.paths())


def read_method(text: str, choices: FitChoices) -> FitChoices:
    """Parse a method description as ``FitChoices``; see :func:`compare_methods`."""
    name, *rest = split_outside(text, ":")
    bases = [part for part in rest if "=" not in part]
    settings = [part.partition("=") for part in rest if "=" in part]
    if not name or "" in rest or len(bases) > 1 or not all(all(s) for s in settings):
        raise ParameterError(
            "Expected METHOD, METHOD:BASE or METHOD:BASE:NAME=VALUE, such as "
            f"LocalClassifierPerNode:logistic:policy=siblings, got {text!r}.",
            parameter="methods",
        )
    parameters = {key.strip(): read_value(value.strip()) for key, _, value in settings}
    base = bases[0] if bases else None
    how = replace(choices, base=base, parameters=parameters)
    if name in PRESETS:
        return replace(how, preset=name)  # type: ignore[arg-type]
    if name != DEFAULT:
        meaning = find_meaning(name)
        # A word of the paper is kept, because it implies parameters.
        how = replace(how, method=name if meaning.parameters else meaning.method)
    return how


def _suited(data: TableData) -> tuple[str, ...]:
    """Return methods of several kinds that suit the data, fastest first."""
    dataset = data.dataset
    if sp.issparse(dataset.X):
        return _FOR_WORDS
    rows = dataset.labeled
    if int(rows.sum()) * dataset.hierarchy.n_nodes > _MANY_CELLS:
        return _FOR_ALL_TERMS
    return _FOR_ALL_TERMS + tuple(
        text for text in _FOR_FEWER_TERMS if _can_learn(text, dataset.is_partly_known)
    )


def _can_learn(text: str, is_partly_known: bool) -> bool:
    method = read_method(text, FitChoices()).resolved().method
    tags = find_method(str(method)).method_tags
    is_installed = not tags.extra or find_spec("jax") is not None
    return is_installed and (tags.partial_labels or not is_partly_known)


@dataclass(frozen=True, eq=False)
class _Rival:
    """A method with its preprocessing, ready to be trained."""

    name: str
    estimator: BaseHierarchicalClassifier
    preparation: TablePreparation | None = None
    calibrates: bool = False

    @classmethod
    def of(cls, name: str, choices: FitChoices, data: TableData) -> "_Rival":
        estimator, _ = build_estimator(choices, data.dataset)
        preparation, _ = build_preparation(choices, estimator, data)
        calibrates = choices.calibrates and can_calibrate(data.dataset.Y)
        return cls(name, estimator, preparation, calibrates)

    def features(self, data: TableData) -> Any:
        if self.preparation is None:
            return data.dataset.X
        return self.preparation.transform(data.table)


@dataclass(frozen=True, eq=False)
class _Result:
    """The measures of a method; its scores are discarded to save memory."""

    name: str
    is_out_of_bag: bool
    n_reliable: int
    micro: float
    macro: float
    fmax: float
    by_fold: FloatArray
    seconds: float
    memory: float


@dataclass(frozen=True, eq=False)
class _Truth:
    """The labels and the folds used for all methods.

    Measures are computed only for the informative terms.
    """

    data: TableData
    says: BoolArray
    folds: list[tuple[IntArray, IntArray]]

    @classmethod
    def of(cls, data: TableData, choices: FitChoices, report: Report) -> "_Truth":
        dataset, rows = data.dataset, data.dataset.labeled
        choices.check_folds(int(rows.sum()))
        report(f"Dividing {rows.sum()} labelled rows into {choices.folds} folds", 0, 0)
        divider = LabeledKFold(choices.folds, random_state=choices.seed)
        says = informative(data.ontology, dataset.prior)
        return cls(data, says, list(divider.split(None, dataset.Y)))

    @property
    def rows(self) -> BoolArray:
        return self.data.dataset.labeled

    @cached_property
    def fold(self) -> IntArray:
        return fold_numbers(self.folds, len(self.rows))[self.rows]

    @cached_property
    def known(self) -> LabelArray:
        return self.data.dataset.Y[self.rows]

    @cached_property
    def of_terms(self) -> LabelArray:
        return telling(self.known, self.says)

    def measured(self, rival: _Rival, report: Report) -> _Result:
        """Return the measures of a method, computed on out-of-fold scores."""
        X = rival.features(self.data)
        hierarchy = self.data.dataset.hierarchy
        labels, _ = training_labels(rival.estimator, self.data)
        reset_peak_memory(workers=True)
        start = time.perf_counter()
        scores, is_out_of_bag, _ = held_out_scores(
            rival.estimator, X, labels, self.rows, self.folds, report
        )
        seconds = time.perf_counter() - start
        memory = peak_memory(workers=True)
        report("Measuring", 0, 0)
        reliable = reliable_nodes(per_node_table(self.known, scores, hierarchy))
        if rival.calibrates:
            _, scores = calibrate_by_folds(
                hierarchy, self.known, scores, self.fold, copy=False
            )
        in_fold = [self.fold == number for number in range(len(self.folds))]
        return _Result(
            name=rival.name,
            is_out_of_bag=is_out_of_bag,
            n_reliable=int(reliable[self.says].sum()),
            micro=float(average_precision(self.of_terms, scores)),
            macro=float(average_precision(self.of_terms, scores, "macro")),
            fmax=fmax(self.of_terms, scores, thresholds="all").value,
            by_fold=np.array(
                [average_precision(self.of_terms[i], scores[i]) for i in in_fold]
            ),
            seconds=seconds,
            memory=np.nan if memory is None else memory / _MEBI,
        )


def _compared(
    rivals: list[_Rival],
    truth: _Truth,
    named: dict[str, FitChoices],
    report: Report,
) -> Comparison:
    constant = _Rival(CONSTANT, PriorClassifier(truth.data.dataset.hierarchy))
    results, failures, first = [truth.measured(constant, say_nothing)], {}, None
    of_constant = results[0].micro
    for number, rival in enumerate(rivals, start=1):
        place = f"{rival.name} ({number} of {len(rivals)})"
        try:
            results.append(truth.measured(rival, _naming(place, report)))
        except ValueError as error:
            # Keep the results of the other methods, which may have taken minutes.
            failures[rival.name], first = str(error), first or error
    if len(results) == 1 and first is not None:
        raise first
    results.sort(key=lambda result: -result.micro)
    best = next(result for result in results if result.name != CONSTANT)
    table = pd.DataFrame([_row(result, best) for result in results])
    for name in failures:
        table.loc[len(table), "method"] = name
    display = ComparisonDisplay(
        methods=tuple(result.name for result in results),
        scores=np.array([result.micro for result in results]),
        fold_scores=np.array([result.by_fold for result in results]),
        seconds=np.array([result.seconds for result in results]),
        constant=of_constant,
    )
    title = (
        f"{len(rivals)} methods, cross-validated on {truth.rows.sum()} labelled rows "
        f"in the same {len(truth.folds)} folds"
    )
    no_better = tuple(
        result.name
        for result in results
        if result.name != CONSTANT
        and is_no_better(result.micro, of_constant, result.n_reliable)
    )
    return Comparison(
        title=title,
        measures=table,
        choices=named,
        display=display,
        report=truth.data.report,
        sentences=(
            *_about_words(named),
            *_about_best(results, best),
            *_about_bags(results),
            *_about_roots(truth),
        ),
        failures=failures,
        no_better=no_better,
    )


def _naming(name: str, report: Report) -> Report:
    def told(message: str, done: int, total: int) -> None:
        report(f"{name}: {message[:1].lower()}{message[1:]}", done, total)

    return told


def _row(result: _Result, best: _Result) -> dict[str, Any]:
    return {
        "method": result.name,
        "micro_AP": result.micro,
        "macro_AP": result.macro,
        "Fmax": result.fmax,
        "behind": best.micro - result.micro,
        "error": np.nan if result is best else _standard_error(result, best),
        "seconds": round(result.seconds, 1),
        "peak_MB": round(result.memory),
    }


def _standard_error(one: _Result, other: _Result) -> float:
    """Return the standard error of the mean difference between two methods.

    The folds share most of their training rows, so their results vary less than those
    of independent samples; the second term corrects for this (Nadeau and Bengio, 2003).
    """
    differences = one.by_fold - other.by_fold
    n_folds = differences.size
    inflation = np.sqrt(1 / n_folds + 1 / (n_folds - 1))
    return float(differences.std(ddof=1) * inflation)


def _about_best(results: list[_Result], best: _Result) -> Iterator[str]:
    others = [r for r in results if r.name != CONSTANT and r is not best]
    yield f"best: {best.name}, micro average precision {best.micro:.3f}"
    if not others:
        return
    ahead, error = best.micro - others[0].micro, _standard_error(best, others[0])
    is_noise = ahead <= _ERRORS_OF_NOISE * error
    verdict = (
        "within the noise: other folds may change the order"
        if is_noise
        else f"more than {_ERRORS_OF_NOISE:g} standard errors"
    )
    yield (
        f"ahead of {others[0].name} by {ahead:.3f}, standard error "
        f"{error:.3f} over {best.by_fold.size} folds: {verdict}"
    )
    equals = [
        r
        for r in others
        if best.micro - r.micro <= _ERRORS_OF_NOISE * _standard_error(best, r)
    ]
    quickest = min([best, *equals], key=lambda r: r.seconds)
    if quickest is not best:
        yield (
            f"not distinguishable from the best, but faster: {quickest.name}, "
            f"{quickest.seconds:.1f} s instead of {best.seconds:.1f} s"
        )


def _about_words(named: dict[str, FitChoices]) -> Iterator[str]:
    for name, choices in named.items():
        told = []
        if choices.method is not None and find_meaning(choices.method).origin:
            told.append(f"{choices.method} is {find_meaning(choices.method)}")
        method = find_method(str(choices.resolved().method))
        told += parameter_sentence(method, choices.parameters)
        if told:
            yield f"{name}: {'; '.join(told)}"


def _about_bags(results: list[_Result]) -> Iterator[str]:
    names = [result.name for result in results if result.is_out_of_bag]
    if names:
        yield (
            f"trained once, with each row scored by models trained without it: "
            f"{', '.join(names)}"
        )


def _about_roots(truth: _Truth) -> Iterator[str]:
    n_roots = int((~truth.says).sum())
    if n_roots:
        yield f"measures omit {n_roots} uninformative root terms"
