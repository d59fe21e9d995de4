"""How rows are linked; all choices have defaults."""

from dataclasses import dataclass
from typing import Final, Literal

from hilabel.exceptions import ParameterError

WAYS: Final = ("auto", "rows", "diamond", "mmseqs")
METRICS: Final = ("auto", "euclidean", "cosine", "correlation", "manhattan")
SENSITIVITIES: Final = (
    "fast",
    "sensitive",
    "more-sensitive",
    "very-sensitive",
    "ultra-sensitive",
)


@dataclass(frozen=True, kw_only=True)
class LinkChoices:
    """Options of :func:`link_rows`.

    Attributes
    ----------
    by : {"auto", "rows", "diamond", "mmseqs"}
        What makes links: ``"rows"`` links each row to its nearest rows, the others
        search sequences with the named program. ``"auto"`` searches FASTA files with
        the program that is installed, and compares the rows of other tables.
    n_links : int or None
        Maximum number of links from a row; by default, 10 nearest rows, or 100 hits.
    metric : {"auto", "euclidean", "cosine", "correlation", "manhattan"}
        The distance of rows. ``"auto"`` is the cosine distance for words, signatures
        and sequences, and the Euclidean distance of scaled columns otherwise.
    sensitivity : str
        Of DIAMOND and MMseqs2: ``"fast"``, ``"sensitive"``, ``"more-sensitive"``,
        ``"very-sensitive"`` or ``"ultra-sensitive"``.
    evalue : float
        The largest e-value of a hit.
    n_jobs : int
        Number of threads; -1 means one per processor.

    Examples
    --------
    >>> from hilabel.tasks import LinkChoices
    >>> LinkChoices(metric="cosine", n_links=5).by
    'auto'
    """

    by: Literal["auto", "rows", "diamond", "mmseqs"] = "auto"
    n_links: int | None = None
    metric: str = "auto"
    sensitivity: str = "sensitive"
    evalue: float = 0.001
    n_jobs: int = -1

    def __post_init__(self) -> None:
        for name, known in (
            ("by", WAYS),
            ("metric", METRICS),
            ("sensitivity", SENSITIVITIES),
        ):
            value = getattr(self, name)
            if value not in known:
                raise ParameterError(
                    f"Expected one of {', '.join(known)}, got {value!r}.",
                    parameter=name,
                )
        if self.n_links is not None and self.n_links < 1:
            raise ParameterError(
                f"Expected 1 link or more, got {self.n_links}.", parameter="n_links"
            )
