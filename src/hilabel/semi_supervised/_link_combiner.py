"""Scores by links and by columns, combined by trees that know how far to trust each."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Final

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from hilabel._compat import Interval
from hilabel._matrices import row_blocks
from hilabel._saved_types import Number
from hilabel._score_matrix import RepeatedScores, ScoreMatrix
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.classifiers import (
    BaseHierarchicalClassifier,
    BaseLinkedClassifier,
    DelegatesToFitted,
    LinkVotes,
    LocalClassifierPerNode,
    MethodTags,
    PredictiveClusteringForest,
    PriorClassifier,
    TrainingData,
    for_each_block,
    has_columns,
    links_of,
    scores_of_member,
)
from hilabel.constraints import cap_by_parents, labels_from_scores
from hilabel.forests import BoostedTrees
from hilabel.links import Links
from hilabel.model_selection import draw_folds, score_out_of_fold
from hilabel.semi_supervised._link_cells import Cells
from hilabel.semi_supervised._link_inputs import (
    LEAST_EVIDENCE,
    N_INPUTS,
    CellInputs,
    LinkInputs,
)
from hilabel.semi_supervised._link_spreading import LinkSpreading

# With fewer labelled rows or cells, trees would learn what is true of these alone.
_FEWEST_ROWS: Final = 10
_FEWEST_CELLS: Final = 500
_MIN_LEAF: Final = 50
# At least one of so many rows to learn from has no links.
_ONE_ALONE_OF: Final = 10
_ROWS_AT_ONCE: Final = 512
# New rows are scored on columns so many cells at a time.
_CELLS_AT_ONCE: Final = 2**24


@dataclass(eq=False, repr=False, kw_only=True)
class LinkCombiner(BaseLinkedClassifier, DelegatesToFitted):
    """Combine votes, spreading and a classifier, trusting links as far as they deserve.

    How well linked rows tell labels depends on the row: a strong link to a labelled row
    tells nearly everything, a few weak links hardly anything. Boosted trees, which all
    nodes share, learn this from labelled rows. For a row and a node, they are given the
    scores by :class:`~hilabel.classifiers.LinkVotes`, by these votes of the strongest
    links alone, by :class:`~hilabel.semi_supervised.LinkSpreading` and by a classifier
    on columns, their mean and the label frequency; and of the row, the sum of its
    votes, what arrives by spreading, the number of its links, the strongest one, and
    the share of links to labelled rows.

    The trees learn from inputs like those of new rows: votes and spreading leave out
    the label of the row to be scored, and no others; the classifier scores it out of
    fold. Scores are capped by those of the parents.

    Rows that no label reaches are combined likewise, from what the classifier says;
    some labelled rows serve as such rows in training, too. Without links in ``fit``, or
    with fewer than 10 labelled rows, there is the classifier alone. With few cells to
    learn from, scores are the mean of votes, spreading and classifier, or those of the
    classifier where no label arrives. Handles the same problems as ``estimator``.

    Parameters
    ----------
    hierarchy : Hierarchy or None
        None means no edges.
    estimator : hierarchical or local classifier, optional
        The classifier on columns, which may use links, too. By default, a
        :class:`~hilabel.classifiers.PredictiveClusteringForest`, or label frequencies
        if there are no columns. A local classifier is trained for each node by a
        :class:`~hilabel.classifiers.LocalClassifierPerNode`.
    others : sequence of hierarchical classifiers, optional
        More classifiers, whose scores trees are given, too: such as one on columns
        alone beside one that also uses links. Those that do not use links are left out
        if there are no columns.
    n_trees : int, default=100
    max_cells : int, default=1000000
        Trees learn from at most so many pairs of a labelled row and a node, of all
        nodes with some evidence and as many rows, drawn at random, as possible; if
        hardly any row is without links, from a tenth more.
    n_jobs, random_state
        Used by the parts that do not set them, and for drawing folds and rows.
    verbose : int, default=0

    Attributes
    ----------
    estimator_ : hierarchical classifier
    others_ : list of hierarchical classifiers
    votes_ : LinkVotes or None
    spreading_ : LinkSpreading or None
        None without links.
    trees_ : BoostedTrees or None
        None if there were too few cells.
    rest_share_ : float
        The label frequency of cells without evidence.
    hierarchy_, classes_, n_features_in_, feature_names_in_
        As in the other estimators.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.semi_supervised import LinkCombiner
    >>> family = np.arange(300) // 3 % 20  # the labels of rows of a family are equal
    >>> links = (family[:, None] == family) & ~np.eye(300, dtype=bool)
    >>> y = family[:, None] < [5, 10]
    >>> model = LinkCombiner(random_state=0).fit(None, y, links=links)
    >>> model.predict_proba(links=[links[0], links[18], 0 * links[0]]).round(1)
    array([[1.  , 1.  ],
           [0.  , 1.  ],
           [0.3, 0.5]], dtype=float32)
    """

    method_tags: ClassVar[MethodTags] = MethodTags(
        semi_supervised=True,
        partial_labels=True,
        links=True,
        name="Combined links and columns",
        summary="trusts links by row",
        use="Links and columns tell labels, links of some rows more than those of "
        "others.",
    )

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **DelegatesToFitted._parameter_constraints,
        "others": [list, tuple, None],
        "n_trees": [Interval(Integral, 1, None, closed="left")],
        "max_cells": [Interval(Integral, 1, None, closed="left")],
    }

    others: Sequence[Any] | None = None
    n_trees: int = 100
    max_cells: int = 1_000_000

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "others_": list[BaseHierarchicalClassifier],
        "votes_": LinkVotes | None,
        "spreading_": LinkSpreading | None,
        "trees_": BoostedTrees | None,
        "rest_share_": Number(0, 1),
    }

    def is_sound(self) -> bool:
        """Return whether all parts are of the same rows; used to check model files."""
        inputs, trees = self._inputs, self.trees_
        if inputs is None:
            parts = self.votes_, self.spreading_, trees
            return super().is_sound() and all(one is None for one in parts)
        return (
            super().is_sound()
            and all(
                one._is_fitted_for(self.hierarchy_)
                and one.n_linked_rows == self.n_linked_rows
                and one._link_names == self._link_names
                for one in (inputs.votes, inputs.spreading)
            )
            and all(one._is_fitted_for(self.hierarchy_) for one in self.others_)
            and (trees is None or trees.n_features == N_INPUTS + 1 + len(self.others_))
        )

    def _own_base(self, local: Any) -> BaseHierarchicalClassifier:
        if local is None:
            return PredictiveClusteringForest()
        return LocalClassifierPerNode(estimator=local, calibration="prior")

    def _refuse_unknown(self, data: TrainingData) -> None:
        for one in (self._template(), *(self.others or ())):
            one._refuse_unknown(data)

    def _fit(self, data: TrainingData) -> None:
        self.votes_: LinkVotes | None = None
        self.spreading_: LinkSpreading | None = None
        self.trees_: BoostedTrees | None = None
        self.others_: list[BaseHierarchicalClassifier] = []
        self.rest_share_ = 0.0
        if data.links is None or data.n_labeled < _FEWEST_ROWS:
            self.estimator_ = self.base_classifier().fit_checked(data)
            return
        columns = self._fit_columns(data)
        data = replace(data, fold=None)
        votes, spreading = self._link_models()
        self.votes_, self.spreading_ = votes.fit_checked(data), spreading
        spreading.fit_checked(data)
        self._combine(data, LinkInputs(votes, spreading), columns)

    def _link_models(self) -> tuple[LinkVotes, LinkSpreading]:
        hierarchy = self.hierarchy_
        return LinkVotes(hierarchy), LinkSpreading(hierarchy, n_jobs=self.n_jobs)

    def _fit_columns(self, data: TrainingData) -> list[ScoreMatrix]:
        """Fit all classifiers, and return their scores of labelled rows out of fold."""
        if data.fold is None or data.sets_rows_aside:
            data = replace(data, fold=draw_folds(data.Y, None, self.random_state))
        with_columns = has_columns(data)
        base = self.base_classifier()
        if not with_columns and not base.method_tags.links:
            base = PriorClassifier(self.hierarchy_)
        self.estimator_, scores = _scored(base, data)
        found = [scores]
        for other in self.others or ():
            if with_columns or other.method_tags.links:
                model, scores = _scored(self._prepared(other), data)
                self.others_.append(model)
                found.append(scores)
        return found

    def _prepared(self, other: Any) -> BaseHierarchicalClassifier:
        """Return one of the others with the hierarchy, seed and threads of this one."""
        same = clone(self).set_params(estimator=other)
        same.hierarchy_ = self.hierarchy_
        return same.base_classifier()

    def _combine(
        self, data: TrainingData, inputs: LinkInputs, columns: list[ScoreMatrix]
    ) -> None:
        """Grow the trees on cells of labelled rows."""
        random = check_random_state(self.random_state)
        order = random.permutation(data.n_labeled)
        cells = Cells(data.Y, self.max_cells)
        reached = []
        for block in row_blocks((order.size, 1), _ROWS_AT_ONCE):
            rows = order[block]
            found = inputs.of_labeled(data, rows, _read(columns, rows))
            n_taken = cells.take(rows, found)
            reached.append(rows[:n_taken][found.is_reached[:n_taken]])
            if n_taken < rows.size:
                break
        self.rest_share_ = cells.rest_share
        # Some rows also serve as rows without links, if hardly any is one.
        n_alone = cells.n_rows // _ONE_ALONE_OF
        n_alone -= cells.n_rows - sum(one.size for one in reached)
        if n_alone > 0:
            rows = np.concatenate(reached)[:n_alone]
            for block in row_blocks((rows.size, 1), _ROWS_AT_ONCE):
                part = rows[block]
                none = Links.none(self._link_names, part.size, data.n_rows)
                cells.take(
                    part, inputs.of_new(none, _read(columns, part)), limited=False
                )
        X, y = cells.joined()
        if y.size >= _FEWEST_CELLS and y.any() and not y.all():
            self.trees_ = BoostedTrees.grow(
                X, y, n_trees=self.n_trees, min_leaf=_MIN_LEAF
            )

    @property
    def _inputs(self) -> LinkInputs | None:
        if self.votes_ is None or self.spreading_ is None:
            return None
        return LinkInputs(self.votes_, self.spreading_)

    def _predict_scores(self, X: Any) -> FloatArray:
        links, inputs = links_of(X), self._inputs
        if links is None or inputs is None:
            return scores_of_member(self.estimator_, X)
        found = np.empty((X.shape[0], self.classes_.size), dtype=np.float32)
        models = self.estimator_, *self.others_
        for block in row_blocks(found.shape, _CELLS_AT_ONCE):
            near, scores = links[block], found[block]
            columns = np.empty((len(models), *scores.shape), dtype=np.float32)
            for place, model in enumerate(models):
                columns[place] = scores_of_member(model, X[block])

            def score(
                rows: slice, near: Any = near, scores: Any = scores, on: Any = columns
            ) -> None:
                scores[rows] = self._combined(inputs.of_new(near[rows], on[:, rows]))

            for_each_block(score, len(scores), self.n_jobs)
        return found

    def _combined(self, inputs: CellInputs) -> FloatArray:
        found, trees, rest = inputs.mean, self.trees_, np.float32(self.rest_share_)
        if trees is not None:
            # Cells without evidence rank below all others, in the order of their mean.
            found = found * (rest / LEAST_EVIDENCE)
            rows, nodes = np.nonzero(inputs.has_evidence)
            for part in row_blocks((rows.size, N_INPUTS)):
                cells = rows[part], nodes[part]
                found[cells] = rest + (1 - rest) * trees.predict(
                    inputs.of_cells(*cells)
                )
        else:
            found[~inputs.is_reached] = inputs.on_columns[~inputs.is_reached]
        return cap_by_parents(np.clip(found, 0, 1), self.hierarchy_)

    def _predict_labels(self, X: Any) -> BoolArray:
        return labels_from_scores(self._predict_scores(X), self.hierarchy_)


def _scored(
    base: BaseHierarchicalClassifier, data: TrainingData
) -> tuple[BaseHierarchicalClassifier, ScoreMatrix]:
    """Return a trained classifier, and its scores of labelled rows out of fold."""
    if isinstance(base, PriorClassifier):
        # Frequencies without a row's own fold would tell what its label is.
        prior = data.prior.astype(np.float32)[np.newaxis]
        scores = RepeatedScores(prior, np.zeros(data.n_labeled, dtype=np.intp))
        return base.fit_checked(replace(data, fold=None)), scores
    found = score_out_of_fold(base, data)
    trained = found.model
    if trained is None:
        trained = base.fit_checked(replace(data, fold=None))
    return trained, found.scores


def _read(scores: Sequence[ScoreMatrix], rows: IntArray) -> FloatArray:
    return np.stack([one.read(rows) for one in scores]).astype(np.float32, copy=False)
