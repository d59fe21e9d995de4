"""Record the decisions made in every pass, so that they can be explained later."""

from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, Self

import numpy as np

from hilabel._saved_types import Array, Count, saved_type
from hilabel._typing import BoolArray, FloatArray, IntArray
from hilabel.pseudo_labeling._packing import unpack_labels


@saved_type
class Decisions(NamedTuple):
    """Decisions about some unlabelled rows: neighbours, proposed labels, acceptance.

    Attributes
    ----------
    neighbors : int32 array of shape (n, k)
    distances : float32 array of shape (n, k)
    words : uint64 array of shape (n, n_words)
        The labels voted for, packed.
    similarity : ndarray of shape (n,)
    accepted : bool array of shape (n,)
    known : uint64 array of shape (n, n_words) or (n, 0)
        Cells known in some neighbour, packed; without columns if all are known.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import Decisions, pack_labels, unpack_labels
    >>> words = pack_labels(np.array([[True, False]]))
    >>> decisions = Decisions(
    ...     neighbors=np.array([[3, 7]]),
    ...     distances=np.array([[0.5, 0.9]]),
    ...     words=words,
    ...     similarity=np.array([0.8]),
    ...     accepted=np.array([True]),
    ...     known=words[:, :0],
    ... )
    >>> unpack_labels(decisions.words, 2)
    array([[ True, False]])
    """

    neighbors: Annotated[Any, Array("i4", ("n", "k"), 0)]
    distances: Annotated[Any, Array("f4", ("n", "k"), 0)]
    words: Annotated[Any, Array("u8", ("n", "n_words"))]
    similarity: Annotated[FloatArray, Array("f8", ("n",))]
    accepted: Annotated[BoolArray, Array("b1", ("n",))]
    known: Annotated[Any, Array("u8", ("n", "*"))]


@saved_type
@dataclass(frozen=True)
class PassRecord:
    """The decisions made in one pass about every unlabelled row.

    Most rows do not change in most passes. Therefore, only changed rows are stored, and
    the others are looked up in the record of the previous pass.

    Attributes
    ----------
    rows : int array or None
        The changed rows in ascending order; None means all rows.
    changed : Decisions
        The decisions about those rows.
    before : PassRecord or None
    n_nodes : int

    Examples
    --------
    >>> from hilabel.datasets import make_artificial
    >>> from hilabel.semi_supervised import SSHMCBLI
    >>> data = make_artificial()
    >>> model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    >>> _ = model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    >>> first = model.passes_[0]
    >>> first.n_rows, first.n_neighbors
    (330, 3)
    """

    rows: Annotated[IntArray, Array("i8", ("n",), 0)] | None
    changed: Decisions
    before: "PassRecord | None"
    n_nodes: Annotated[int, Count(1)]

    def is_sound(self) -> bool:
        """Return whether the record is consistent with that of the previous pass."""
        changed = self.changed
        if not (
            changed.words.shape[1] == -(-self.n_nodes // 64)
            and changed.known.shape[1] in (0, changed.words.shape[1])
        ):
            return False
        if self.rows is None:
            return self.before is None
        before = self.before
        return before is not None and bool(
            changed.accepted.size == self.rows.size
            and (np.diff(self.rows) > 0).all()
            and self.rows.max(initial=-1) < before.n_rows
            and before.n_nodes == self.n_nodes
            and before.n_neighbors == self.n_neighbors
            and before.changed.known.shape[1] == changed.known.shape[1]
        )

    @property
    def n_rows(self) -> int:
        """Number of unlabelled rows."""
        record = self
        while record.before is not None:
            record = record.before
        return int(record.changed.accepted.size)

    @classmethod
    def after(
        cls, before: "PassRecord | None", now: Decisions, last: Decisions, n_nodes: int
    ) -> Self:
        """Create the record of a pass from its decisions and the previous decisions."""
        if before is None or now.neighbors.shape != last.neighbors.shape:
            return cls(None, now, None, n_nodes)
        rows = rows_that_differ(
            (now.neighbors, last.neighbors),
            (now.words, last.words),
            (now.similarity, last.similarity),
            (now.accepted, last.accepted),
            (now.known, last.known),
        )
        changed = Decisions._make(field[rows] for field in now)
        return cls(rows, changed, before, n_nodes)

    @property
    def n_neighbors(self) -> int:
        """Number of neighbours that voted in this pass."""
        return int(self.changed.neighbors.shape[1])

    @property
    def neighbors(self) -> IntArray:
        """Neighbours of every row, of shape (n_unlabeled, k).

        Labelled rows are numbered from 0, unlabelled rows from ``n_labeled``.
        """
        return self._whole("neighbors")

    @property
    def distances(self) -> FloatArray:
        """Distances to the neighbours, of shape (n_unlabeled, k)."""
        return self._whole("distances")

    @property
    def words(self) -> Any:
        """Packed labels with enough votes, of shape (n_unlabeled, n_words).

        Rows that are not accepted are included.
        """
        return self._whole("words")

    @property
    def proposed(self) -> BoolArray:
        """Labels with enough votes, of shape (n_unlabeled, n_nodes).

        Rows that are not accepted are included.
        """
        return unpack_labels(self.words, self.n_nodes)

    @property
    def known_words(self) -> Any:
        """Packed ``known``; without columns if everything is known."""
        return self._whole("known")

    @property
    def known(self) -> BoolArray:
        """Nodes that are known for any neighbour, of shape (n_unlabeled, n_nodes)."""
        words = self.known_words
        if not words.shape[1]:
            return np.ones((len(words), self.n_nodes), dtype=bool)
        return unpack_labels(words, self.n_nodes)

    @property
    def similarity(self) -> FloatArray:
        """SISI of every row, of shape (n_unlabeled,).

        The value is 0 if no label got enough votes.
        """
        return self._whole("similarity")

    @property
    def accepted(self) -> BoolArray:
        """Mask of the accepted rows, of shape (n_unlabeled,)."""
        return self._whole("accepted")

    def row(self, number: int) -> Decisions:
        """Return the decisions about one row."""
        record = self
        place = number
        while record.rows is not None:
            place = int(np.searchsorted(record.rows, number))
            if place < record.rows.size and record.rows[place] == number:
                break
            assert record.before is not None  # only the first record has none
            record, place = record.before, number
        return Decisions._make(field[place] for field in record.changed)

    def proposed_row(self, number: int) -> BoolArray:
        """Return one row of ``proposed`` without unpacking the others."""
        return unpack_labels(self.row(number).words[None], self.n_nodes)[0]

    def known_row(self, number: int) -> BoolArray:
        """Return a mask of the nodes that are known for any neighbour of a row."""
        words = self.row(number).known
        if not words.size:
            return np.ones(self.n_nodes, dtype=bool)
        return unpack_labels(words[None], self.n_nodes)[0]

    def _whole(self, field: str) -> Any:
        later: list[PassRecord] = []
        record = self
        while record.rows is not None:
            later.append(record)
            assert record.before is not None  # only the first record has none
            record = record.before
        values = getattr(record.changed, field)
        if later:
            values = values.copy()
            for change in reversed(later):
                values[change.rows] = getattr(change.changed, field)
        return values


@dataclass(frozen=True)
class PseudoLabels:
    """The result of pseudo-labelling: which rows got which labels, and how.

    Attributes
    ----------
    words : uint64 array of shape (n_unlabeled, n_words)
        The labels, packed; none for rows that were not accepted.
    accepted : bool array of shape (n_unlabeled,)
        The rows that join the training set: those accepted in the second-to-last pass,
        since the last pass only confirms that nothing changes.
    passes : tuple of PassRecord
    termination_condition : {"unchanged", "cycle", "max_iter"}
    n_nodes : int
    known : uint64 array of shape (n_unlabeled, n_words) or None
        Where these labels are known, packed; None if they are known everywhere.

    Examples
    --------
    >>> import numpy as np
    >>> from hilabel.pseudo_labeling import PseudoLabels, pack_labels
    >>> words = pack_labels(np.array([[True, False], [False, False]]))
    >>> accepted = np.array([True, False])
    >>> found = PseudoLabels(words, accepted, (), "unchanged", n_nodes=2)
    >>> found.accepted_labels
    array([[ True, False]])
    """

    words: Any
    accepted: BoolArray
    passes: tuple[PassRecord, ...]
    termination_condition: str
    n_nodes: int
    known: Any = None

    @property
    def n_iter(self) -> int:
        """Number of passes."""
        return len(self.passes)

    @property
    def labels(self) -> BoolArray:
        """The labels of all unlabelled rows, of shape (n_unlabeled, n_nodes)."""
        return unpack_labels(self.words, self.n_nodes)

    @property
    def accepted_labels(self) -> BoolArray:
        """The labels of the accepted rows only."""
        return unpack_labels(self.words[self.accepted], self.n_nodes)

    @property
    def accepted_known(self) -> BoolArray | None:
        """Mask of the known labels of the accepted rows; None if all are known."""
        if self.known is None:
            return None
        return unpack_labels(self.known[self.accepted], self.n_nodes)


def rows_that_differ(*pairs: tuple[Any, Any]) -> IntArray:
    """Return the rows in which the arrays of any pair differ, in ascending order."""
    is_different = np.zeros(pairs[0][0].shape[0], dtype=bool)
    for one, other in pairs:
        # Few entries differ, so this is faster than calling any() on each short row.
        is_different[np.nonzero(one != other)[0]] = True
    return np.flatnonzero(is_different)
