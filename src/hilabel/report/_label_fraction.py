"""Average precision against the labelled fraction, with and without unlabelled rows."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
import pandas as pd
from sklearn.base import clone

from hilabel._compat import _safe_indexing
from hilabel._progress import Report, progress_of_step, say_nothing
from hilabel._typing import UNLABELED, IntArray, LabelArray, MatrixLike
from hilabel._validation import check_integer, check_labels
from hilabel.classifiers import PriorClassifier
from hilabel.exceptions import ParameterError
from hilabel.hierarchy import Hierarchy
from hilabel.metrics import average_precision
from hilabel.model_selection import mask_labels_nested, split_labeled
from hilabel.report._style import BLUE, GREY, ORANGE, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure

GIVEN: Final = "with unlabelled rows"
WITHHELD: Final = "labelled rows only"
CONSTANT: Final = "constant predictor"

_LOOKS: Final[dict[str, dict[str, Any]]] = {
    GIVEN: {"color": BLUE, "marker": "o", "linestyle": "-"},
    WITHHELD: {"color": ORANGE, "marker": "s", "linestyle": "--"},
    CONSTANT: {"color": GREY, "marker": "D", "linestyle": ":"},
}
# The lines of a fraction are drawn side by side, this far apart as a factor.
_SHIFT: Final = 1.02


@dataclass(frozen=True, eq=False)
class LabelFractionDisplay:
    """Average precision against the labelled fraction, on rows that were left out.

    A method that learns from unlabelled rows is trained twice at each fraction: with
    the unlabelled rows, and on the labelled rows only. The distance between the lines
    is the gain from unlabelled rows; the slope is the gain from more labels.

    Attributes
    ----------
    method : str
    scores : DataFrame
        As returned by ``frame``.

    Examples
    --------
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.report import LabelFractionDisplay
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    >>> model = SSHMCBLI(data.hierarchy, estimator=tree)
    >>> display = LabelFractionDisplay.from_estimator(
    ...     model, data.X_test, data.Y_test, fractions=(0.1, 1), repetitions=1
    ... )
    >>> display.frame()[["fraction", "n_labeled", "trained_on"]]
       fraction  n_labeled            trained_on
    0       0.1         21  with unlabelled rows
    1       0.1         21    labelled rows only
    2       0.1         21    constant predictor
    3       1.0        210  with unlabelled rows
    4       1.0        210    labelled rows only
    5       1.0        210    constant predictor
    """

    method: str
    scores: pd.DataFrame

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: MatrixLike,
        y: MatrixLike,
        *,
        fractions: Iterable[float] = (0.1, 0.3, 0.5, 1.0),
        test: float | tuple[MatrixLike, MatrixLike] = 0.3,
        repetitions: int = 3,
        nodes: Iterable[int | str] | None = None,
        random_state: int = 0,
        report: Report = say_nothing,
    ) -> Self:
        """Train clones of a method at several labelled fractions.

        For each repetition, the labels of some rows are hidden, as in
        :func:`~hilabel.model_selection.mask_labels_nested`: the labelled rows of a
        fraction include those of all smaller fractions.

        Parameters
        ----------
        model : hierarchical classifier
            It is cloned, and not changed.
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows, n_nodes)
            1, 0, and -1 or NaN if unknown. Unlabelled rows stay unlabelled at all
            fractions.
        fractions : iterable of float in (0, 1], default=(0.1, 0.3, 0.5, 1.0)
            Shares of the labelled rows of ``X``, without those to test on.
        test : float, or tuple of X and y, default=0.3
            The rows to test on: a share of the labelled rows, chosen anew in each
            repetition, or separate rows.
        repetitions : int, default=3
        nodes : iterable of int or str, optional
            The nodes to measure; by default, all.
        random_state : int, default=0
            Seed of the choice of rows. The randomness of the method is its own.
        report : callable, optional
            Called with the progress.

        Returns
        -------
        LabelFractionDisplay
        """
        check_integer("repetitions", repetitions, 1)
        fractions = sorted(set(fractions))
        labels = check_labels(y, getattr(_last_step(model), "hierarchy", None))
        Y, hierarchy = labels.to_array(), labels.hierarchy
        measured = range(hierarchy.n_nodes) if nodes is None else nodes
        numbers = np.array([hierarchy.node(node) for node in measured], dtype=int)
        names = (GIVEN, WITHHELD) if _learns(model) else (WITHHELD,)
        n_steps = repetitions * len(fractions)
        rows: list[dict[str, Any]] = []
        for repetition in range(repetitions):
            seed = random_state + repetition
            data = _divided(X, Y, hierarchy, test, seed, numbers)
            masked = mask_labels_nested(data.Y, fractions, random_state=seed)
            for number, (fraction, known) in enumerate(masked.items()):
                step = repetition * len(fractions) + number
                told = f"Training at {fraction:.0%}, repetition {repetition + 1}"
                about = {
                    "fraction": fraction,
                    "n_labeled": int((known != UNLABELED).any(axis=1).sum()),
                    "repetition": repetition + 1,
                }
                with progress_of_step(report, told, step, n_steps):
                    scores = [*_scores(model, data, known, hierarchy, names)]
                for name, score in scores:
                    line = {"trained_on": name, "micro_average_precision": score}
                    rows.append(about | line)
        return cls(type(_last_step(model)).__name__, pd.DataFrame(rows))

    def frame(self) -> pd.DataFrame:
        """Return a table with one row per fraction, repetition and line.

        Returns
        -------
        pandas DataFrame
            With the columns ``fraction``, ``n_labeled`` (rows), ``repetition``,
            ``trained_on`` (the line) and ``micro_average_precision``.
        """
        return self.scores.copy()

    def mean_frame(self) -> pd.DataFrame:
        """Return the means over the repetitions, with one row per fraction.

        Returns
        -------
        pandas DataFrame
            With the columns ``fraction``, ``n_labeled`` and one for each line.
        """
        wide = self.scores.pivot_table(
            index=["fraction", "n_labeled"],
            columns="trained_on",
            values="micro_average_precision",
            sort=False,
        )
        return wide.rename_axis(columns=None).reset_index()

    def plot(self) -> "Figure":
        """Draw the mean over the repetitions, and the range as a vertical line.

        Returns
        -------
        matplotlib figure
        """
        figure = new_figure(6.4, 4.2)
        axes = figure.subplots()
        measure = "micro_average_precision"
        lines = self.scores.groupby("trained_on", sort=False)
        for number, (name, part) in enumerate(lines):
            by_fraction = part.groupby("fraction")[measure]
            mean, least, most = by_fraction.mean(), by_fraction.min(), by_fraction.max()
            # Side by side, so that ranges do not cover each other.
            place = mean.index.to_numpy() * _SHIFT ** (number - (len(lines) - 1) / 2)
            range_ = np.stack([mean - least, most - mean]).clip(min=0)
            axes.errorbar(
                place,
                mean.to_numpy(),
                yerr=range_,
                label=name,
                capsize=3,
                **_LOOKS[str(name)],
            )
        fractions = np.unique(self.scores["fraction"])
        counts = self.scores.groupby("fraction")["n_labeled"].max()
        axes.set_xscale("log")
        axes.set_xticks(fractions, [f"{100 * f:g} %\n{counts[f]:,}" for f in fractions])
        axes.minorticks_off()
        axes.set_xlim(fractions[0] / 1.15, fractions[-1] * 1.15)
        axes.set(xlabel="labelled fraction, and number of labelled rows")
        axes.set_ylabel("micro average precision on left-out rows")
        n_repetitions = int(self.scores["repetition"].max())
        title = self.method
        if n_repetitions > 1:
            title += f": mean and range of {n_repetitions} repetitions"
        axes.set_title(title, fontsize="medium")
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside lower center", ncols=3, frameon=False)
        return figure


class _Divided(NamedTuple):
    """Rows to train on and rows to test on."""

    X: Any
    Y: LabelArray
    X_test: Any
    Y_test: LabelArray
    measured: IntArray  # the numbers of nodes

    def score(self, model: Any, known: LabelArray, rows: IntArray) -> float:
        """Train a clone on some of the rows and return its average precision."""
        fitted = clone(model).fit(_safe_indexing(self.X, rows), known[rows])
        scores = np.asarray(fitted.predict_proba(self.X_test))[:, self.measured]
        return float(average_precision(self.Y_test[:, self.measured], scores))


def _scores(
    model: Any,
    data: _Divided,
    known: LabelArray,
    hierarchy: Hierarchy,
    names: tuple[str, ...],
) -> Iterator[tuple[str, float]]:
    """Yield the name and score of each line at one labelled fraction."""
    is_labeled = (known != UNLABELED).any(axis=1)
    labeled = np.flatnonzero(is_labeled)
    score = None
    for name in names:
        # Without any unlabelled row, both trainings are the same.
        if score is None or not is_labeled.all():
            rows = np.arange(len(known)) if name == GIVEN else labeled
            score = data.score(model, known, rows)
        yield name, score
    yield CONSTANT, data.score(PriorClassifier(hierarchy), known, labeled)


def _divided(
    X: MatrixLike,
    Y: LabelArray,
    hierarchy: Hierarchy,
    test: float | tuple[MatrixLike, MatrixLike],
    seed: int,
    measured: IntArray,
) -> _Divided:
    if isinstance(test, tuple):
        if len(test) != 2:
            raise ParameterError(
                f"Expected test rows as (X, y), got {len(test)} parts.",
                parameter="test",
            )
        X_test, y_test = test
        Y_test = check_labels(y_test, hierarchy).to_array()
        return _Divided(X, Y, X_test, Y_test, measured)
    train, tested = split_labeled(Y, test, random_state=seed)
    X_train, X_test = _safe_indexing(X, train), _safe_indexing(X, tested)
    return _Divided(X_train, Y[train], X_test, Y[tested], measured)


def _last_step(model: Any) -> Any:
    """Return the classifier at the end of a pipeline."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _learns(model: Any) -> bool:
    """Return whether a method learns from unlabelled rows."""
    return bool(getattr(_last_step(model), "learns_from_unlabeled", False))
