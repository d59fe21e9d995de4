"""What a page is made of: a model and what is known of it, and rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import scipy.sparse as sp

from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.calibration import PredictionWorth, TermGroup
from hilabel.hierarchy import Hierarchy


@dataclass(frozen=True, eq=False)
class TellingFeatures:
    """The features that say most about each term.

    Attributes
    ----------
    kind : str
        What the weights are, in a few words.
    of_node : mapping of int to list of (str, float)
        By node, the strongest first.
    """

    kind: str
    of_node: Mapping[int, Sequence[tuple[str, float]]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Quality:
    """How right the model is, and on which rows that was measured.

    Attributes
    ----------
    measured_on : str
        ``"out of fold"`` or ``"on the rows given"``.
    measures : sequence of (str, float, float)
        Of each measure its name, and the value of the model and of the constant
        predictor; the higher, the better.
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
    """A model, and what is known of it.

    Attributes
    ----------
    title, method, settings : str
    hierarchy : Hierarchy
    aspects : sequence of str or None
        Of each node.
    n_positive : int array of shape (n_nodes,)
        Rows that have each term.
    frequency : ndarray of shape (n_nodes,)
        Share of the labelled rows that have it: the constant predictor.
    says : bool array of shape (n_nodes,)
        False for roots that say nothing of a row.
    thresholds : ndarray of shape (n_nodes,)
        From which probability on a term is predicted.
    overall_threshold : float
        That of terms that have none of their own.
    predicts : str
        What the model predicts, in a few words.
    facts : sequence of (str, str)
    warnings : sequence of str
    unlabeled_worth : str or None
        What unlabelled rows were worth.
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
    candidates: Sequence[Mapping[str, Any]] = ()
    quality: Quality | None = None
    features: TellingFeatures | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class AboutRows:
    """Rows, what is known of them and what the model says.

    Attributes
    ----------
    ids : sequence of str
    states : sequence of {"labelled", "unlabelled", "new"}
        What each row was in training.
    known : csr_array of bool of shape (n_rows, n_nodes)
        Labels that the rows are known to have, ancestors included.
    is_labeled : bool array of shape (n_rows,)
        Whether somebody has labelled the row, if only as having none of the terms.
    lacking : mapping of int to sequence of int
        By row, nodes that it is said not to have.
    is_held_out : bool array of shape (n_rows,)
        Whether the probabilities are of models that have not seen the row.
    is_seen : bool array of shape (n_rows,)
        Whether they are of a model that has learned its labels.
    predict : callable
        Takes row numbers, and returns probabilities of shape (n_some, n_nodes).
    explain : callable or None
        Takes row numbers and the nodes of each that are to be explained, and returns
        the evidence of each row or None, with nodes by their numbers.
    n_given : int
        Rows that there were; those looked at may be fewer.
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
