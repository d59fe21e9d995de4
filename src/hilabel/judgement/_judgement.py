"""What is known about the quality of a method, as plain values."""

from dataclasses import dataclass, replace
from typing import Annotated, Final, Literal, Self

from hilabel._saved_types import Array, Count, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.calibration import TermGroup
from hilabel.judgement._decision import Decision
from hilabel.judgement._quality import Quality
from hilabel.metrics import PrecisionByProbability
from hilabel.semi_supervised import Candidate, LinkGain, UnlabeledGain

OUT_OF_FOLD: Final = "out of fold"
TEST_ROWS: Final = "on the rows given"


@saved_type
@dataclass(frozen=True, eq=False, kw_only=True)
class Judgement:
    """The quality of a method on rows that its models have not seen.

    Everything that is printed, drawn or written about quality comes from here. All
    measures leave out uninformative roots, and are of the same rows and folds.

    Attributes
    ----------
    method : str
    measured_on : {"out of fold", "on the rows given"}
    is_own : bool
        Whether the method scored the rows while it was trained; otherwise, a model was
        trained for each fold.
    n_rows, n_folds : int
        Number of labelled rows that are measured, and of folds.
    n_others : int
        Number of other labelled rows: if some rows are set aside to be measured, those
        that the measured models were trained on.
    informative : bool array of shape (n_nodes,)
        The nodes that are measured.
    raw : Quality
        Of the scores as the method computes them. On the rows given, only the
        probabilities of the model are measured, so that both are the same.
    calibrated : Quality or None
        Of the calibrated probabilities; None if calibration is not kept.
    constant : Quality
        Of label frequencies, which ignore the features.
    error, raw_error : float
        Mean error of the probabilities of at least 0.1, and before calibration; NaN if
        there are none, or if that was not measured.
    overall_error : float
        Mean error of all probabilities, most of which are near 0.
    why_not_calibrated : str
        The reason why calibration is not kept, if it is not.
    decision : Decision
        The rule for which nodes a row gets.
    constant_decision : Decision
        The best rule for label frequencies.
    n_positive, n_known : int array of shape (n_nodes,)
        Number of rows with each node, and of those in which it is known; 0 for
        uninformative nodes.
    node_error : ndarray of shape (n_nodes,)
        Calibration error of each node; NaN if it was not measured.
    reliable : bool array of shape (n_nodes,)
        Whether the raw scores of a node rank rows better than by chance.
    precision : PrecisionByProbability
        The share of right predictions among those that are at least as probable.
    groups : tuple of TermGroup
        Curves of all nodes together, and depth by depth; empty without a label.
    constant_group : TermGroup or None
        The curve of the constant predictor for all nodes together.
    gain : UnlabeledGain or None
        What unlabelled rows gave, if this was measured.
    link_gain : LinkGain or None
        What links between rows gave, if this was measured.
    unlabeled : float or None
        Micro average precision on the unlabelled rows of the training table, if these
        are calibrated separately.
    candidates : tuple of Candidate
        What the method tried, and what it skipped and why.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from hilabel.datasets import TableFiles, write_example
    >>> from hilabel.tasks import FitChoices, fit_table
    >>> with TemporaryDirectory() as folder:
    ...     paths = write_example(folder, "shop")
    ...     files = TableFiles(paths["features"], paths["labels"], paths["hierarchy"])
    ...     judgement = fit_table(files, FitChoices(effort="fast")).judgement
    >>> judgement.quality.micro > judgement.constant.micro, judgement.is_no_better
    (True, False)
    """

    method: str
    measured_on: Literal["out of fold", "on the rows given"]
    is_own: bool
    n_rows: Annotated[int, Count()]
    n_folds: Annotated[int, Count()]
    n_others: Annotated[int, Count()]
    informative: Annotated[BoolArray, Array("b1", ("n_nodes",))]
    raw: Quality
    calibrated: Quality | None
    constant: Quality
    error: float
    raw_error: float
    overall_error: float
    why_not_calibrated: str
    decision: Decision
    constant_decision: Decision
    n_positive: Annotated[IntArray, Array("i8", ("n_nodes",), 0)]
    n_known: Annotated[IntArray, Array("i8", ("n_nodes",), 0)]
    node_error: Annotated[FloatArray, Array("f8", ("n_nodes",), 0, 1.001, gaps=True)]
    reliable: Annotated[BoolArray, Array("b1", ("n_nodes",))]
    precision: PrecisionByProbability
    groups: tuple[TermGroup, ...]
    constant_group: TermGroup | None
    gain: UnlabeledGain | None = None
    link_gain: LinkGain | None = None
    unlabeled: float | None = None
    candidates: tuple[Candidate, ...] = ()

    def is_sound(self) -> bool:
        """Return whether all parts are about the same nodes."""
        return self.decision.threshold.size == self.informative.size

    @property
    def quality(self) -> Quality:
        """Of the probabilities that predictions have: calibrated, if that is kept."""
        return self.raw if self.calibrated is None else self.calibrated

    @property
    def node_quality(self) -> FloatArray:
        """Average precision of each node; NaN if it was not measured."""
        return self.quality.by_node

    @property
    def n_informative(self) -> int:
        """Number of nodes that are measured."""
        return int(self.informative.sum())

    @property
    def n_reliable(self) -> int:
        """Number of measured nodes that are predicted better than by chance."""
        return int((self.reliable & self.informative).sum())

    @property
    def is_no_better(self) -> bool:
        """Whether the method is no better than the constant predictor.

        After calibration, a model that cannot distinguish between rows scores about the
        same as the constant predictor, sometimes slightly higher. A method therefore
        only counts as better if at least one node is reliable.
        """
        is_above = self.quality.micro > self.constant.micro
        return not (is_above and self.n_reliable > 0)

    def with_gain(self, gain: UnlabeledGain | None) -> Self:
        """Return the same judgement with the gain from unlabelled rows."""
        return replace(self, gain=gain)
