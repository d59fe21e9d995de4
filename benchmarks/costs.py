"""Fit the predicted costs of all methods; ``python -m benchmarks.costs``.

Methods are trained and score rows on small data that are made in code, and the seconds
per unit of work are fitted to the times. They are written where
:mod:`hilabel.costs` reads them. The largest ratio of a measured to a predicted time is
printed for each group of methods. To fit only some groups again, pass their names, such
as ``linear``; with ``check``, nothing is fitted, and larger data are measured.
"""

import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.optimize import least_squares, nnls
from sklearn.base import clone
from sklearn.preprocessing import normalize
from threadpoolctl import ThreadpoolController

from hilabel import Hierarchy
from hilabel._label_matrix import LabelMatrix
from hilabel._score_matrix import ScoreMatrix
from hilabel.classifiers import (
    HierarchicalNetwork,
    LinearClassifier,
    LinkVotes,
    LocalClassifierPerNode,
    NeighborsClassifier,
    PredictiveClusteringForest,
    PriorClassifier,
    TrainingData,
)
from hilabel.costs import DataShape
from hilabel.costs._coefficients import FILE, coefficients
from hilabel.costs._jobs import scoring_job, training_job
from hilabel.costs._machine import measure_machine
from hilabel.costs._work import Work
from hilabel.forests import ForestClassifier
from hilabel.judgement import judge
from hilabel.links import LinkedRows, Links
from hilabel.model_selection import OutOfFold, draw_folds
from hilabel.networks import NetworkShape
from hilabel.semi_supervised import (
    SSHMCBLI,
    LabelSpreading,
    LinkCombiner,
    LinkSpreading,
    ResidualSpreading,
    ViewsClassifier,
)

# Each time is the shortest of so many, unless they take longer together.
_REPEATS = 3
_SECONDS_TO_REPEAT = 0.5
_N_CHILDREN = 5
_COMPILING = "compiling"
# The influence of a time on a fit is its length to this power.
_WEIGHT_OF_LONGER = 0.25
# A part starts with at least this share of the longest time that it explains.
_LEAST_PART = 1e-3
# Linear models learn from all rows of at most this many cells, and with two values of C
# from at most this many rows.
_MOST_NEGATIVES = 2_000_000
_FEW_ROWS = 2_000

# Data ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Made:
    """Data to make: dense columns, or ``n_values`` words of a row.

    A row has ``n_paths`` random leaves of a tree, and their ancestors. Half of its
    ``n_links`` links lead to rows with the same leaf.
    """

    n_rows: int
    n_columns: int
    n_nodes: int
    n_values: int = 0
    n_paths: int = 2
    n_unlabeled: int = 0
    n_links: int = 0


DENSE = (
    Made(300, 20, 30),
    Made(1_500, 20, 30),
    Made(300, 200, 30, n_paths=5),
    Made(1_500, 80, 160, n_paths=5),
    Made(5_000, 80, 40),
    Made(1_000, 300, 800, n_paths=4),
    Made(3_000, 40, 800, n_paths=8),
    Made(10_000, 100, 400, n_paths=3),
)
SPARSE = (
    Made(500, 1_000, 50, 10),
    Made(2_000, 1_000, 50, 40),
    Made(2_000, 10_000, 300, 10, 1),
    Made(1_000, 4_000, 300, 100, 6),
    Made(5_000, 10_000, 1_500, 30, 3),
    Made(15_000, 40_000, 1_000, 12, 1),
)
LARGER = (
    Made(20_000, 80, 160, n_paths=5),
    Made(10_000, 300, 1_500, n_paths=4),
    Made(20_000, 20_000, 3_000, 20, 2),
)


@cache
def made(what: Made) -> TrainingData:
    """Make training data, some rows of which are unlabelled."""
    random = np.random.default_rng(0)
    n_all, n_nodes = what.n_rows + what.n_unlabeled, what.n_nodes
    parents = np.arange(_N_CHILDREN, n_nodes) // _N_CHILDREN - 1
    edges = np.column_stack([parents, np.arange(_N_CHILDREN, n_nodes)])
    hierarchy = Hierarchy([f"n{node}" for node in range(n_nodes)], edges)
    leaves = hierarchy.leaves
    # As in most data, some leaves are far more frequent than others.
    frequency = 1 / np.arange(1, leaves.size + 1) ** 0.7
    chosen = leaves[
        random.choice(leaves.size, (n_all, what.n_paths), p=frequency / frequency.sum())
    ]
    rows = np.repeat(np.arange(n_all), what.n_paths)
    ones = np.ones(rows.size, dtype=bool)
    own = sp.csr_array((ones, (rows, chosen.ravel())), shape=(n_all, n_nodes))
    labels = hierarchy.close(own)[: what.n_rows]
    make = _words if what.n_values else _numbers
    X = make(what, chosen, random)
    links = _links(what, chosen, random) if what.n_links else None
    return TrainingData(
        links=links,
        X_labeled=X[: what.n_rows],
        Y=LabelMatrix.of_rows(labels, np.ones(what.n_rows, dtype=bool)),
        X_unlabeled=X[what.n_rows :],
        labeled_rows=np.arange(what.n_rows),
        unlabeled_rows=np.arange(what.n_rows, n_all),
        hierarchy=hierarchy,
    )


def _numbers(what: Made, chosen: Any, random: Any) -> Any:
    # Noisy, as real rows are: learners take longer for them than for easy ones.
    centers = random.normal(scale=0.5, size=(what.n_nodes, what.n_columns))
    noise = random.normal(size=(len(chosen), what.n_columns))
    return np.ascontiguousarray(centers[chosen].mean(axis=1) + noise)


def _links(what: Made, chosen: Any, random: Any) -> Links:
    n_rows, n_links = len(chosen), len(chosen) * what.n_links
    by_leaf = np.argsort(chosen[:, 0], kind="stable")
    source = random.integers(0, n_rows, n_links)
    near = (source + random.integers(1, 2 * what.n_links, n_links)) % n_rows
    anywhere = random.integers(0, n_rows, n_links)
    target = np.where(random.random(n_links) < 0.5, near, anywhere)
    cells = random.random(n_links), (by_leaf[source], by_leaf[target])
    return Links.of(sp.coo_array(cells, shape=(n_rows, n_rows)), n_rows)


def _words(what: Made, chosen: Any, random: Any) -> Any:
    """Draw words: a third of a row's words are typical of one of its leaves."""
    shape = len(chosen), what.n_values
    common = 1 / np.arange(1, what.n_columns + 1)
    words = random.choice(what.n_columns, shape, p=common / common.sum())
    leaf = np.take_along_axis(chosen, random.integers(0, what.n_paths, shape), axis=1)
    typical = (leaf * 97 + random.integers(0, 10, shape) * 31) % what.n_columns
    words = np.where(random.random(shape) < 1 / 3, typical, words)
    rows = np.repeat(np.arange(len(chosen)), what.n_values)
    counts = (np.ones(rows.size), (rows, words.ravel()))
    matrix = sp.csr_array(sp.coo_array(counts, shape=(len(chosen), what.n_columns)))
    in_rows = np.bincount(matrix.indices, minlength=what.n_columns)
    rarity = np.log(len(chosen) / np.maximum(in_rows, 1))
    return normalize(sp.csr_array(matrix.multiply(1 + rarity)))


# Times --------------------------------------------------------------------------------


class Case(NamedTuple):
    """A time, and the work that took it."""

    name: str
    works: tuple[Work, ...]
    seconds: float


Clock = Callable[[Callable[[], Any]], float]


def _shortest(work: Callable[[], Any]) -> float:
    """Return processor time, which other processes hardly change."""
    seconds: list[float] = []
    while len(seconds) < _REPEATS and sum(seconds) < _SECONDS_TO_REPEAT:
        seconds.append(_once(work))
    return min(seconds)


def _timed(template: Any, what: Made, clock: Clock = _shortest) -> Iterator[Case]:
    """Time a training, and the scoring of the training rows, without compiling."""
    data = made(what)
    shape = DataShape.of(data)
    model = clone(template).set_params(hierarchy=data.hierarchy)
    for name, value in (("n_jobs", 1), ("random_state", 0)):
        if name in model.get_params(deep=False):
            model.set_params(**{name: value})
    name = f"{_short(template)} on {what.n_rows} x {what.n_columns} x {what.n_nodes}"
    job = training_job(model, shape)
    assert job is not None, name
    seconds = clock(partial(model.fit_checked, data))
    works = tuple(work for work in job.works if work.kind != _COMPILING)
    yield Case(name, works, seconds)
    scores = scoring_job(model, shape, what.n_rows)
    assert scores is not None, name
    rows = data.X_labeled
    if data.links is not None:
        rows = LinkedRows(rows, data.links[slice(what.n_rows)])
    seconds = clock(partial(model._predict_scores, rows))
    yield Case(f"scores of {name}", scores.works, seconds)


def _short(template: Any) -> str:
    text = " ".join(repr(template).split())
    return text if len(text) <= 70 else text[:67] + "..."


# Groups of methods --------------------------------------------------------------------


def forests(shapes: tuple[Made, ...] = DENSE + SPARSE) -> Iterator[Case]:
    """Time global forests."""
    for what in shapes:
        n_trees = 2 if what.n_rows * what.n_columns > 1e6 else 10
        extra: dict[str, Any] = {
            "splitter": "random",
            "min_samples_leaf": 1,
            "bootstrap": False,
        }
        for settings in (
            {"n_estimators": 1},
            {},
            {"min_samples_leaf": 20},
            extra,
            extra | {"max_features": min(what.n_columns, 100)},
        ):
            own = {"n_estimators": n_trees} | settings
            yield from _timed(PredictiveClusteringForest(**own), what)


def local(shapes: tuple[Made, ...] = DENSE[:5] + SPARSE[:3]) -> Iterator[Case]:
    """Time forests of each node."""
    for what in shapes:
        for policy in ("within_parents", "balanced_bottom_up"):
            own = ForestClassifier(n_estimators=5)
            yield from _timed(
                LocalClassifierPerNode(estimator=own, policy=policy), what
            )


def linear(shapes: tuple[Made, ...] = DENSE + SPARSE) -> Iterator[Case]:
    """Time linear models."""
    for what in shapes:
        scale = what.n_values == 0
        cost = 0.1 if scale else 10.0
        negatives = ("parents", "mined", "all")
        for loss, kind in product(("logistic", "squared_hinge"), negatives):
            if kind == "all" and what.n_rows * what.n_nodes > _MOST_NEGATIVES:
                continue
            model = LinearClassifier(loss=loss, negatives=kind, C=cost, scale=scale)
            yield from _timed(model, what)
            if what.n_rows <= _FEW_ROWS:
                yield from _timed(clone(model).set_params(C=cost / 10), what)


def neighbors(shapes: tuple[Made, ...] = DENSE + SPARSE) -> Iterator[Case]:
    """Time votes of neighbours."""
    for what in shapes:
        yield from _timed(NeighborsClassifier(), what)
        yield from _timed(NeighborsClassifier(n_neighbors=5, scale=False), what)


def _with_unlabeled(shapes: tuple[Made, ...]) -> list[Made]:
    return [replace(what, n_unlabeled=2 * what.n_rows) for what in shapes]


def unlabeled(shapes: tuple[Made, ...] = DENSE[:4] + SPARSE[:3]) -> Iterator[Case]:
    """Time methods that compare unlabelled rows."""
    forest = PredictiveClusteringForest(n_estimators=2)
    for what in _with_unlabeled(shapes):
        yield from _timed(LabelSpreading(), what)
        yield from _timed(LabelSpreading(alpha=0.98, metric="raw"), what)
        yield from _timed(ViewsClassifier(estimator=forest), what)
        yield from _timed(SSHMCBLI(estimator=forest), what)


LINKED = (Made(300, 2, 30), Made(1_000, 2, 300), Made(500, 2, 3_000, n_paths=5))


def links(shapes: tuple[Made, ...] = LINKED) -> Iterator[Case]:
    """Time methods that learn from links between rows."""
    forest = PredictiveClusteringForest(n_estimators=2)
    for what, n_links in product(_with_unlabeled(shapes), (3, 20)):
        linked = replace(what, n_links=n_links)
        for method in (
            LinkVotes(),
            LinkVotes(prior_weight=0.1, weighting="raw"),
            LinkSpreading(),
            LinkSpreading(alpha=0.5, prior_weight=0.1, weighting="raw"),
            ResidualSpreading(estimator=forest, weighting="raw"),
            LinkCombiner(estimator=forest),
        ):
            yield from _timed(method, linked)


def networks(
    shapes: tuple[Made, ...] = (DENSE[0], DENSE[3], DENSE[5], SPARSE[0]),
) -> Iterator[Case]:
    """Time networks, which use all cores, and their compilation, which does not."""
    import jax

    for what in shapes:
        for layers, steps, members in (((64,), 60, 3), ((512, 512, 512), 30, 4)):
            for consistency in (0.0, 1.0):
                model = HierarchicalNetwork(
                    shape=NetworkShape(layers=layers, dropout=0.5),
                    max_steps=steps,
                    n_members=members,
                    consistency=consistency,
                )
                jax.clear_caches()
                fit = partial(_fitted, model, what)
                first, later = _once(fit), _once(fit)
                works = (Work(_COMPILING, {"shapes": 1.0}),)
                yield Case(f"compiling {layers}", works, max(first - later, 1e-3))
                yield from _timed(model, what, _on_all_cores)


def _fitted(template: Any, what: Made) -> Any:
    data = made(what)
    return clone(template).set_params(hierarchy=data.hierarchy).fit_checked(data)


def _on_all_cores(work: Callable[[], Any]) -> float:
    return _shortest(work) / (os.cpu_count() or 1)


def _once(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def judging(
    shapes: tuple[Made, ...] = (*DENSE[:4], replace(SPARSE[4], n_rows=20_000)),
) -> Iterator[Case]:
    """Time label frequencies, and judging scores."""
    for what in shapes:
        yield from _timed(PriorClassifier(), what)
        data = made(what)
        model = PriorClassifier(data.hierarchy).fit_checked(data)
        prior = model.predict_proba(data.X_labeled)
        noise = np.random.default_rng(0).random(prior.shape, dtype=np.float32)
        scores = ScoreMatrix.of(np.clip(prior * noise, 0, 1).astype(np.float32))
        found = OutOfFold(data.Y, scores, draw_folds(data.Y, 5, 0))
        work = partial(judge, found, data.hierarchy, method="made")
        seconds = _shortest(work)
        works = (Work("judging", {"scores": float(prior.size), "start": 1.0}),)
        yield Case(f"judging {prior.size:,} scores", works, seconds)


# The kinds of work whose seconds per unit each group decides. Those of earlier groups
# are known in later ones.
GROUPS: dict[str, tuple[Callable[..., Iterator[Case]], tuple[str, ...]]] = {
    "judging": (judging, ("judging", "counting", "repeating")),
    "forests": (forests, ("growing, ", "binning", "walking, ")),
    "local": (local, ("growing per node", "walking per node")),
    "linear": (linear, ("linear",)),
    "neighbors": (neighbors, ("searching", "voting", "ranking")),
    "unlabeled": (unlabeled, ("spread", "averaging", "passing")),
    "links": (links, ("link ", "weighing links", "boosting", "walking boosted")),
    "networks": (networks, ("network", _COMPILING)),
}

# Fit ----------------------------------------------------------------------------------

Seconds = dict[str, dict[str, float]]


def fitted(cases: list[Case], known: Seconds) -> Seconds:
    """Return the seconds per unit that fit the logarithms of the times best.

    Longer times count more, since they are to be right at larger sizes.
    """
    places: dict[tuple[str, str], int] = {}
    for case in cases:
        for work in case.works:
            for name in work.amounts:
                if work.kind not in known:
                    places.setdefault((work.kind, name), len(places))
    table = np.zeros((len(cases), len(places)))
    before = np.zeros(len(cases))  # of what is known already
    for row, case in enumerate(cases):
        for work in case.works:
            if work.kind in known:
                before[row] += _seconds(work, known)
                continue
            for name, amount in work.amounts.items():
                table[row, places[work.kind, name]] += amount
    seconds = np.array([case.seconds for case in cases])
    weight = (seconds / seconds.max()) ** _WEIGHT_OF_LONGER
    table /= seconds[:, None]
    before /= seconds
    # A part that no case has takes no time.
    unit = np.where(table.any(axis=0), table.max(axis=0), np.inf)
    table /= unit
    start = nnls(table * weight[:, None], np.maximum(1 - before, 0) * weight)[0]

    def apart(logs: Any) -> Any:
        return weight * np.log(table @ np.exp(logs) + before)

    logs = np.log(np.maximum(start, _LEAST_PART))
    per_unit = np.exp(least_squares(apart, logs).x) / unit
    found: Seconds = {}
    for (kind, name), place in places.items():
        found.setdefault(kind, {})[name] = float(per_unit[place])
    return found


def _seconds(work: Work, known: Seconds) -> float:
    return sum(known[work.kind][name] * n for name, n in work.amounts.items())


def predicted(case: Case, known: Seconds) -> float:
    """Return the seconds of a case from those of units."""
    return sum(_seconds(work, known) for work in case.works)


def tell(name: str, cases: list[Case], known: Seconds, *, every: bool) -> None:
    """Print measured and predicted seconds, and how far they are apart."""
    ratios = np.array([case.seconds / predicted(case, known) for case in cases])
    apart = np.exp(np.abs(np.log(ratios)))
    print(
        f"{name}: {len(cases)} times, {sum(one.seconds for one in cases):.0f} s; "
        f"ratio of measured to predicted {ratios.min():.2f} to {ratios.max():.2f}, "
        f"median {np.median(ratios):.2f}"
    )
    for place in np.argsort(-apart)[: None if every else 5]:
        case = cases[place]
        print(
            f"  {ratios[place]:5.2f}  measured {case.seconds:8.3f} s, predicted "
            f"{predicted(case, known):8.3f} s: {case.name}"
        )


def write(known: Seconds) -> None:
    """Write the seconds per unit to the file of the package."""
    lines = [
        "# Seconds per unit of work; written by `python -m benchmarks.costs`.",
        f'date = "{datetime.now(UTC).date()}"',
        "",
        "[machine]",
        f'name = "{platform.machine()}, {os.cpu_count()} cores"',
        "",
        "[machine.measured]",
        *(f"{name} = {seconds:.4e}" for name, seconds in measure_machine().items()),
    ]
    for kind, per_unit in sorted(known.items()):
        lines += ["", f'[seconds."{kind}"]']
        lines += [f"{name} = {seconds:.4e}" for name, seconds in per_unit.items()]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    coefficients.cache_clear()


@contextmanager
def _one_thread() -> Iterator[None]:
    with ThreadpoolController().limit(limits=1, user_api="blas"):
        yield


def main(wanted: list[str]) -> None:
    if wanted[:1] == ["check"]:
        return check(wanted[1:])
    unknown = set(wanted) - set(GROUPS)
    if unknown:
        sys.exit(f"No group {sorted(unknown)[0]!r}; there are: {', '.join(GROUPS)}.")
    known: Seconds = coefficients()["seconds"] if FILE.exists() else {}
    for group, (measure, prefixes) in GROUPS.items():
        if wanted and group not in wanted:
            continue
        known = {
            kind: own for kind, own in known.items() if not kind.startswith(prefixes)
        }
        with _one_thread():
            cases = list(measure())
        known |= fitted(cases, known)
        tell(group, cases, known, every=False)
        write(known)


def check(wanted: list[str]) -> None:
    """Print measured and predicted seconds on larger data."""
    known = coefficients()["seconds"]
    for group in wanted or GROUPS:
        for what in LARGER:
            with _one_thread():
                cases = list(GROUPS[group][0]((what,)))
            tell(group, cases, known, every=True)


if __name__ == "__main__":
    main(sys.argv[1:])
