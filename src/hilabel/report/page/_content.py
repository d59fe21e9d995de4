"""What a page shows: a model, its quality, and rows."""

from dataclasses import dataclass
from typing import Any, Self

from hilabel._score_matrix import ScoreMatrix
from hilabel.judgement import Decision, Judgement
from hilabel.models import TableModel
from hilabel.report._pseudo_labels import has_pseudo_labels
from hilabel.report.page._bounds import CELLS_AT_ONCE, ROWS_LOOKED_AT
from hilabel.report.page._features import ImportantFeatures, important_features
from hilabel.report.page._given_rows import GivenRows, stored_rows
from hilabel.report.page._picture import Picture, pseudo_label_picture


@dataclass(frozen=True, eq=False, kw_only=True)
class PageContent:
    """What a page shows.

    Attributes
    ----------
    model : TableModel
    title : str
    judgement : Judgement or None
        The quality on labelled rows that were given, if the model was trained on none
        of them, or else as measured in training; None if nothing was measured.
    features : ImportantFeatures or None
    picture : Picture or None
        The pseudo-labels, if there are any and the training rows are available.
    rows : GivenRows or None
    n_given : int
        Number of given rows; not all of them may be looked at.
    """

    model: TableModel
    title: str
    judgement: Judgement | None = None
    features: ImportantFeatures | None = None
    picture: Picture | None = None
    rows: GivenRows | None = None
    n_given: int = 0

    @classmethod
    def of(cls, model: TableModel, rows: GivenRows | None, title: str = "") -> Self:
        """Collect what a page about a model shows.

        Parameters
        ----------
        model : TableModel
        rows : GivenRows or None
            By default, the labelled training rows, if they were scored out of fold.
        title : str, optional
        """
        if rows is None:
            rows = GivenRows.scored_in_training(model)
        source = model.record.files.get("features")
        method = model.record.method
        return cls(
            model=model,
            title=title or (f"{method} on {source}" if source else method),
            judgement=_judgement(model, rows),
            features=important_features(model, rows),
            picture=_picture(model, rows),
            rows=None if rows is None else rows.first(ROWS_LOOKED_AT),
            n_given=0 if rows is None else len(rows),
        )

    @property
    def decision(self) -> Decision:
        """The rule that decides which terms a row gets, and how it was measured."""
        return (
            self.model.decision if self.judgement is None else self.judgement.decision
        )


def _judgement(model: TableModel, rows: GivenRows | None) -> Judgement | None:
    """Return the quality on the given labelled rows, if any, or else from training."""
    if rows is None or rows.labels is None:
        return model.judgement
    unseen = rows.unseen
    labels = rows.labels[unseen]
    has_seen_some = bool((rows.has_labels & rows.was_labeled).any())
    if not labels.of_nodes(model.informative).positive.nnz or (
        has_seen_some and model.judgement is not None
    ):
        return model.judgement
    scores = ScoreMatrix(labels.shape)
    for part in scores.row_blocks(CELLS_AT_ONCE):
        scores.write(part, rows.probabilities(unseen[part]))
    return model.judge(labels, scores)


def _picture(model: TableModel, rows: GivenRows | None) -> Picture | None:
    """Return the picture of the pseudo-labels, if the training rows are available."""
    estimator: Any = model.estimator
    if not has_pseudo_labels(estimator):
        return None
    # Some methods store their training rows; for others, they may be among those given.
    if rows is None or stored_rows(model) is not None:
        return pseudo_label_picture(estimator)
    return pseudo_label_picture(estimator, rows.all_training_rows)
