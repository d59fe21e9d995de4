"""Compare methods on a user's files, using the same folds for all methods."""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Any, Final

import numpy as np
import pandas as pd

from hilabel._method_text import read_value, split_outside
from hilabel._methods import find_meaning, find_method, parameter_sentence
from hilabel._peak_memory import peak_memory, reset_peak_memory
from hilabel._progress import Report, duration, say_nothing, within_step
from hilabel.costs import DataShape, machine_factor, training_cost, usual_seconds
from hilabel.datasets import TableData, TableFiles
from hilabel.exceptions import ParameterError
from hilabel.judgement import Judgement, Quality, skipped_sentence, standard_error
from hilabel.model_selection import score_out_of_fold
from hilabel.report import ComparisonDisplay
from hilabel.semi_supervised import Blend
from hilabel.tasks._choices import FitChoices
from hilabel.tasks._comparison import CONSTANT, Comparison
from hilabel.tasks._fit import judge_method
from hilabel.tasks._prepared import Folds, Prepared, refuse_too_few
from hilabel.tasks._preset import PRESETS

DEFAULT: Final = "default"

# One method of each kind, cheapest first after the default.
_FOR_NUMBERS: Final = (
    DEFAULT,
    "PredictiveClusteringForest",
    "PredictiveClusteringForest:splitter=random:bootstrap=false:min_samples_leaf=1",
    "NeighborsClassifier",
    "LinearClassifier",
    "SSHMCBLI",
    "HierarchicalNetwork:shape=light:n_members=3:max_steps=400",
)
# For columns of words.
_FOR_WORDS: Final = (
    DEFAULT,
    "LinearClassifier:C=50:scale=rows",
    "PredictiveClusteringForest",
    "NeighborsClassifier",
)

# Besides, if rows are linked.
_FOR_LINKS: Final = ("LinkVotes", "LinkSpreading")

# A difference below this many standard errors may be due to chance.
_ERRORS_OF_NOISE: Final = 2.0
_MEBI: Final = 2**20


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
        ``default`` is the default method of :func:`fit_table`; ``paper`` is the
        preset. By default, the default method and methods of several kinds that suit
        the data, fastest first.
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
    ...     methods = ["LocalClassifierPerNode:naive-bayes", "SSLPCT"]
    ...     found = compare_methods(files, methods)
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
    data = files.read()
    skipped: dict[str, str] = {}
    if texts is None:
        usual = _FOR_WORDS if data.is_sparse else _FOR_NUMBERS
        if data.links is not None:
            usual = (*usual, *_FOR_LINKS)
        skipped = {text: _why_unsuited(text, data) for text in usual}
        named = {t: read_method(t, choices) for t, why in skipped.items() if not why}
    if not named:
        raise ParameterError(
            "Expected a method or more, got none.", parameter="methods"
        )
    refuse_too_few(data)
    folds = Folds.draw(data, choices, report)
    rivals = {
        name: Prepared.of(data, its, folds, report) for name, its in named.items()
    }
    if texts is None:
        skipped |= {name: _why_too_long(one) for name, one in rivals.items()}
        skipped = {name: why for name, why in skipped.items() if why}
        rivals = {name: one for name, one in rivals.items() if name not in skipped}
        named = {name: named[name] for name in rivals}
    found = _compared(rivals, named, data, report)
    return replace(found, skipped=skipped, inputs=files.paths())


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
    if name == DEFAULT and rest:
        raise ParameterError(
            f"The default is Blend, which has no base and no settings here, got "
            f"{text!r}; name a method, such as LocalClassifierPerNode:"
            f"{base or 'logistic'}.",
            parameter="methods",
        )
    how = replace(choices, base=base, parameters=parameters)
    if name in PRESETS:
        return replace(how, preset=name)  # type: ignore[arg-type]
    if name != DEFAULT:
        meaning = find_meaning(name)
        # A word of the paper is kept, because it implies parameters.
        how = replace(how, method=name if meaning.parameters else meaning.method)
    return how


def _why_unsuited(text: str, data: TableData) -> str:
    """Return why a method cannot be compared by default, or ""."""
    method = read_method(text, FitChoices()).resolved().method
    tags = find_method(str(method)).method_tags
    if tags.extra and find_spec("jax") is None:
        return "it needs jax: pip install 'hilabel[networks]'"
    if data.labels.is_partly_known and not tags.partial_labels:
        return "it cannot learn from rows that are known in part of the terms alone"
    return ""


def _why_too_long(prepared: Prepared) -> str:
    """Return why a method is not compared by default: it takes longer than all others.

    The limit is the time that the default method takes for all its candidates.
    """
    shape = DataShape.of(prepared.data)
    once = training_cost(prepared.estimator, shape)
    if isinstance(prepared.estimator, Blend) or once is None:
        return ""
    is_once = prepared.data.sets_rows_aside or prepared.estimator.scores_itself(
        prepared.data
    )
    seconds = (1 if is_once else prepared.n_folds) * once.seconds
    most = usual_seconds(shape) * machine_factor()
    if seconds <= most:
        return ""
    return (
        f"it would take about {duration(seconds)}, and the default takes at most "
        f"{duration(most)}; name it to compare it all the same"
    )


@dataclass(frozen=True, eq=False)
class _Result:
    """The judgement of a method, and what it cost; its scores are discarded."""

    name: str
    judgement: Judgement
    seconds: float
    memory: float

    @property
    def micro(self) -> float:
        return self.judgement.quality.micro


def _measured(name: str, prepared: Prepared, report: Report) -> _Result:
    """Judge a method by its out-of-fold scores."""
    reset_peak_memory(workers=True)
    start = time.perf_counter()
    found = score_out_of_fold(prepared.estimator, prepared.data, report=report)
    seconds = time.perf_counter() - start
    memory = peak_memory(workers=True)
    judgement = judge_method(prepared, found, report).judgement
    in_mebi = np.nan if memory is None else memory / _MEBI
    return _Result(name, judgement, seconds, in_mebi)


def _compared(
    rivals: dict[str, Prepared],
    named: dict[str, FitChoices],
    data: TableData,
    report: Report,
) -> Comparison:
    results: list[_Result] = []
    failures: dict[str, str] = {}
    first: ValueError | None = None
    for number, (name, prepared) in enumerate(rivals.items(), start=1):
        place = f"{name} ({number} of {len(rivals)})"
        told = within_step(report, place, number - 1, len(rivals))
        try:
            results.append(_measured(name, prepared, told))
        except ValueError as error:
            # Keep the results of the other methods, which may have taken minutes.
            failures[name], first = str(error), first or error
    if not results and first is not None:
        raise first
    results.sort(key=lambda result: -result.micro)
    best = results[0]
    constant = best.judgement.constant
    table = pd.DataFrame([_row(result, best) for result in results])
    of_constant = {
        "method": CONSTANT,
        "micro_AP": constant.micro,
        "macro_AP": constant.macro,
        "Fmax": constant.fmax,
        "behind": best.micro - constant.micro,
        "error": standard_error(best.judgement.quality, constant),
    }
    table = pd.concat([table, pd.DataFrame([of_constant])], ignore_index=True)
    table = table.sort_values("micro_AP", ascending=False, ignore_index=True)
    for name in failures:
        table.loc[len(table), "method"] = name
    return Comparison(
        title=(
            f"{_counted(len(rivals))} on {best.judgement.n_rows:,} labelled rows, all "
            f"in the same {best.judgement.n_folds} folds"
        ),
        measures=table,
        choices=named,
        judgements={result.name: result.judgement for result in results},
        display=_display(results, constant),
        report=data.report,
        sentences=(
            *_about_words(named),
            *_about_best(results),
            *_about_skipped(results),
            *_about_own_scores(results),
            *_about_roots(best.judgement),
        ),
        failures=failures,
        no_better=tuple(
            result.name for result in results if result.judgement.is_no_better
        ),
    )


def _counted(n_methods: int) -> str:
    return f"{n_methods} method{'' if n_methods == 1 else 's'}"


def _display(results: list[_Result], constant: Quality) -> ComparisonDisplay:
    """Return a figure of the methods and the constant predictor, best first."""
    lines = [
        (result.name, result.judgement.quality, result.seconds) for result in results
    ]
    lines.append((CONSTANT, constant, np.nan))
    lines.sort(key=lambda line: -line[1].micro)
    names, qualities, seconds = zip(*lines, strict=True)
    return ComparisonDisplay(
        methods=names,
        scores=np.array([quality.micro for quality in qualities]),
        fold_scores=np.array([quality.by_fold for quality in qualities]),
        seconds=np.array(seconds),
        constant=constant.micro,
    )


def _row(result: _Result, best: _Result) -> dict[str, Any]:
    quality = result.judgement.quality
    error = standard_error(best.judgement.quality, quality)
    return {
        "method": result.name,
        "micro_AP": quality.micro,
        "macro_AP": quality.macro,
        "Fmax": quality.fmax,
        "behind": best.micro - result.micro,
        "error": np.nan if result is best else error,
        "seconds": round(result.seconds, 1),
        "peak_MB": round(result.memory),
    }


def _about_best(results: list[_Result]) -> Iterator[str]:
    best, *others = results
    yield f"best: {best.name}, micro average precision {best.micro:.3f}"
    if not others:
        return
    quality = best.judgement.quality
    errors = [standard_error(quality, one.judgement.quality) for one in others]
    ahead = [best.micro - one.micro for one in others]
    is_noise = [gap <= _ERRORS_OF_NOISE * error for gap, error in zip(ahead, errors)]
    verdict = (
        "within the noise: other folds may change the order"
        if is_noise[0]
        else f"more than {_ERRORS_OF_NOISE:g} standard errors"
    )
    yield (
        f"ahead of {others[0].name} by {ahead[0]:.3f}, standard error "
        f"{errors[0]:.3f} over {quality.by_fold.size} folds: {verdict}"
    )
    equals = [one for one, noise in zip(others, is_noise) if noise]
    quickest = min([best, *equals], key=lambda result: result.seconds)
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


def _about_skipped(results: list[_Result]) -> Iterator[str]:
    """Say which candidates the default method did not try, and why."""
    for result in results:
        if told := skipped_sentence(result.judgement.candidates):
            yield f"{result.name}: {told}"


def _about_own_scores(results: list[_Result]) -> Iterator[str]:
    names = [result.name for result in results if result.judgement.is_own]
    if names:
        yield (
            "trained once, with each row scored by parts that were trained without "
            f"it: {', '.join(names)}"
        )


def _about_roots(judgement: Judgement) -> Iterator[str]:
    n_roots = int((~judgement.informative).sum())
    if n_roots:
        yield f"left out of all measures: {n_roots} roots that nearly all rows have"
