"""Encode the parts of words in columns of short names, such as titles and lemmas.

A name has too few words to tell which rows are alike, but words share parts: *-ology*
in a field of science, *-aceae* in a family of plants. Parts are runs of letters, so
they need no knowledge of the language.
"""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar, Final, Self

import numpy as np
import pandas as pd
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from hilabel._saved_types import Array, Words, saved_type
from hilabel._typing import FloatArray, IntArray

MOST_PARTS: Final = 2**15
"""Maximum number of columns for the parts of words of one column."""

# Names have at most this many words each, at the median; longer texts have enough
# words, and their parts would be most of the values of the table.
_MOST_WORDS: Final = 6
# A column of the parts of words has half the weight of its words.
_WEIGHT: Final = 0.5
# On WordNet's lemmas, runs of four letters keep 85 % of the gain of runs of three to
# five (micro average precision .836, .842, .843), with less than half the values. With
# mined negatives, .852 becomes .860 in 1.4 times the time.
_LENGTH: Final = 4
# A part in fewer rows says little about other rows.
_FEWEST_ROWS: Final = 5
# Letters alone: parts of numbers and codes mean nothing.
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def is_short_name(column: pd.Series) -> bool:
    """Return whether the texts of a column are names of a few words."""
    n_words = column.str.count(_WORD)
    present = n_words[n_words > 0]
    return len(present) > 0 and bool(present.median() <= _MOST_WORDS)


@saved_type
class WordParts(TransformerMixin, BaseEstimator):
    """Encode the parts of words as columns, each row with a fixed norm.

    A part is a run of four letters, where the start and the end of a word count as
    letters. Parts that occur in a single word say no more than the word, so they are
    dropped, as are whole words and rare parts. Weights are those of
    :class:`~sklearn.feature_extraction.text.TfidfVectorizer` with ``sublinear_tf``,
    times 0.5.

    Attributes
    ----------
    parts_ : object ndarray of shape (n_parts,)
        In alphabetical order; spaces stand for the start and the end of a word.
    idf_ : ndarray of shape (n_parts,)
        The weights of parts: the fewer rows have them, the larger.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.datasets._tables.word_parts import WordParts
    >>> parts = WordParts().fit(pd.Series(["biology", "geology", "red"] * 5))
    >>> parts.get_feature_names_out().tolist()
    ['~logy~', '~ogy', '~olog~']
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    _saved_attributes: ClassVar[dict[str, Any]] = {
        "parts_": Words("n_parts"),
        "idf_": Array("f8", ("n_parts",), 0),
    }

    def fit(self, X: pd.Series, y: Any = None) -> Self:
        """Learn the parts of the words of a column.

        Parameters
        ----------
        X : Series of str
        y : ignored

        Returns
        -------
        self
        """
        words, in_rows = _words_of(X)
        number: dict[str, int] = {}
        in_words = _parts_of(words, number, may_grow=True)
        parts = np.array([*number, ""], dtype=object)[:-1]
        in_several = np.bincount(in_words.indices, minlength=parts.size) >= 2
        n_rows = np.bincount((in_rows @ in_words).indices, minlength=parts.size)
        kept = np.flatnonzero(in_several & (n_rows >= _FEWEST_ROWS))
        kept = kept[np.argsort(parts[kept], kind="stable")]
        if kept.size > MOST_PARTS:
            most = np.argsort(-n_rows[kept], kind="stable")[:MOST_PARTS]
            kept = kept[np.sort(most)]
        self.parts_ = parts[kept]
        self.idf_ = np.log((1 + len(X)) / (1 + n_rows[kept])) + 1
        return self

    def transform(self, X: pd.Series) -> sp.csr_array:
        """Return the weights of the parts in each text.

        Parameters
        ----------
        X : Series of str

        Returns
        -------
        csr_array of shape (n_rows, n_parts)
        """
        check_is_fitted(self)
        number = {part: at for at, part in enumerate(self.parts_)}
        words, in_rows = _words_of(X)
        counts = sp.csr_array(in_rows @ _parts_of(words, number, may_grow=False))
        weights = (1 + np.log(counts.data)) * self.idf_[counts.indices]
        row = np.repeat(np.arange(len(X)), np.diff(counts.indptr))
        norm = np.sqrt(np.bincount(row, weights**2, minlength=len(X)))
        weights *= _WEIGHT / norm[row]
        return sp.csr_array((weights, counts.indices, counts.indptr), counts.shape)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the parts, with a tilde where the word goes on.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of shape (n_parts,) of str
        """
        check_is_fitted(self)
        return np.array([_shown(part) for part in self.parts_], dtype=object)

    def is_sound(self) -> bool:
        """Return whether all parts are different."""
        return len({*self.parts_}) == len(self.parts_)


def has_parts(column: pd.Series) -> bool:
    """Return whether a column has short names whose words share parts."""
    return is_short_name(column) and WordParts().fit(column).parts_.size > 0


def _words_of(column: pd.Series) -> tuple[list[str], sp.csr_array]:
    """Return all words of a column, and how often each row has each word."""
    number: dict[str, int] = {}
    found = [
        [number.setdefault(word, len(number)) for word in _WORD.findall(text.lower())]
        for text in column
    ]
    return [*number], _counted(found, len(number))


def _parts_of(
    words: list[str], number: dict[str, int], *, may_grow: bool
) -> sp.csr_array:
    """Return how often each word has each part.

    ``number`` is the column of each part; if it may grow, new parts get a column.
    """
    if may_grow:
        found = [
            [number.setdefault(part, len(number)) for part in _runs(word)]
            for word in words
        ]
    else:
        found = [
            [number[part] for part in _runs(word) if part in number] for word in words
        ]
    return _counted(found, len(number))


def _runs(word: str) -> Iterator[str]:
    """Yield the runs of letters of a word, but not the whole word."""
    padded = f" {word} "
    if len(padded) > _LENGTH:
        for start in range(len(padded) - _LENGTH + 1):
            yield padded[start : start + _LENGTH]


def _counted(found: list[list[int]], n_columns: int) -> sp.csr_array:
    """Return a matrix of how often each list has each number."""
    ends = np.cumsum([0, *map(len, found)])
    columns: IntArray = np.fromiter(chain.from_iterable(found), np.int64, ends[-1])
    ones: FloatArray = np.ones(columns.size)
    counts = sp.csr_array((ones, columns, ends), shape=(len(found), n_columns))
    counts.sum_duplicates()
    return counts


def _shown(part: str) -> str:
    start = "" if part.startswith(" ") else "~"
    end = "" if part.endswith(" ") else "~"
    return f"{start}{part.strip()}{end}"
