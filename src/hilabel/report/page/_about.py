"""The data that a page shows: a model, its quality, and rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import scipy.sparse as sp

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.calibration import PredictionWorth, TermGroup
from hilabel.hierarchy import Hierarchy
from hilabel.report.page._picture import Picture
from hilabel.semi_supervised import PseudoLabelingSummary


@dataclass(frozen=True, eq=False)
class TellingFeatures:
    """The most important features for each term.

    Attributes
    ----------
    kind : str
        A short description of the weights.
    of_node : mapping of int to list of (str, float)
        The features of each node with their weights, strongest first.
    """

    kind: str
    of_node: Mapping[int, Sequence[tuple[str, float]]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Quality:
    """The quality of a model, and the rows on which it was measured.

    Attributes
    ----------
    measured_on : str
        ``"out of fold"`` or ``"on the rows given"``.
    measures : sequence of (str, float, float)
        The name of each measure, and its values for the model and for the constant
        predictor. Higher is better.
    worth : PredictionWorth
    term_error : ndarray of shape (n_nodes,)
    groups : sequence of TermGroup
    """

    measured_on: str
    measures: Sequence[tuple[str, float, float]]
    worth: PredictionWorth
    term_error: FloatArray
    groups: Sequence[TermGroup]


@dataclass(frozen=True, eq=False, kw_only=True)
class AboutModel:
    """A description of a model.

    Attributes
    ----------
    title, method, settings : str
    hierarchy : Hierarchy
    aspects : sequence of str or None
        The aspect of each node.
    n_positive : int array of shape (n_nodes,)
        Number of rows with each term.
    frequency : ndarray of shape (n_nodes,)
        Share of the labelled rows with each term, which the constant predictor
        predicts.
    says : bool array of shape (n_nodes,)
        False for uninformative roots.
    thresholds : ndarray of shape (n_nodes,)
        The minimum probability with which each term is predicted.
    overall_threshold : float
        The threshold of terms without their own.
    predicts : str
        What the model predicts, in a few words.
    facts : sequence of (str, str)
    warnings : sequence of str
    unlabeled_worth : str or None
        A sentence on the gain from unlabelled rows.
    pseudo_labeling : PseudoLabelingSummary or None
        None if the method does not pseudo-label rows.
    pseudo_label_picture : Picture or None
        None if the method does not, or its training rows are not known.
    candidates : sequence of mapping
    quality : Quality or None
        None if nothing was measured.
    features : TellingFeatures or None
    """

    title: str
    method: str
    settings: str
    hierarchy: Hierarchy
    aspects: Sequence[str] | None
    n_positive: IntArray
    frequency: FloatArray
    says: BoolArray
    thresholds: FloatArray
    overall_threshold: float = 0.5
    predicts: str = ""
    facts: Sequence[tuple[str, str]] = ()
    warnings: Sequence[str] = ()
    unlabeled_worth: str | None = None
    pseudo_labeling: PseudoLabelingSummary | None = None
    pseudo_label_picture: Picture | None = None
    candidates: Sequence[Mapping[str, Any]] = ()
    quality: Quality | None = None
    features: TellingFeatures | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class AboutRows:
    """Rows with their known labels and their predictions.

    Attributes
    ----------
    ids : sequence of str
    states : sequence of {"labelled", "unlabelled", "new"}
        The role of each row in training.
    known : csr_array of bool of shape (n_rows, n_nodes)
        The known labels of the rows, including ancestors.
    is_labeled : bool array of shape (n_rows,)
        Whether the row is labelled, which includes rows that are known to have no term.
    lacking : mapping of int to sequence of int
        For some rows, the nodes that they are known not to have.
    is_held_out : bool array of shape (n_rows,)
        Whether the probabilities come from models that were trained without the row.
    is_seen : bool array of shape (n_rows,)
        Whether the probabilities come from a model that was trained on its labels.
    predict : callable
        Takes row numbers and returns probabilities of shape (n_some, n_nodes).
    explain : callable or None
        Takes row numbers and the nodes to explain for each row, and returns the
        evidence for each row, or None. Nodes are given by number.
    n_given : int
        Number of given rows; not all of them may have been processed.
    """

    ids: Sequence[str]
    states: Sequence[str]
    known: sp.csr_array
    is_labeled: BoolArray
    is_held_out: BoolArray
    is_seen: BoolArray
    predict: Callable[[IntArray], FloatArray]
    explain: Callable[[IntArray, Sequence[IntArray]], Sequence[Any]] | None = None
    lacking: Mapping[int, Sequence[int]] = field(default_factory=dict)
    n_given: int = 0
