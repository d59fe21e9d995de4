"""Words of the paper on SSHMC-BLI and of CAFA, and what hilabel calls them."""

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

METHOD_WORDS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "V1": ("SSHMCBLI", {"variant": "v1"}),
    "V2": ("SSHMCBLI", {"variant": "v2"}),
    "V3": ("SSHMCBLI", {"variant": "v3"}),
    "SSHMC-BLI V1": ("SSHMCBLI", {"variant": "v1"}),
    "SSHMC-BLI V2": ("SSHMCBLI", {"variant": "v2"}),
    "SSHMC-BLI V3": ("SSHMCBLI", {"variant": "v3"}),
    "LCN": (
        "LocalClassifierPerNode",
        {"policy": "balanced_bottom_up", "negatives_order": "siblings_first"},
    ),
    "Metz and Freitas": ("MetzFreitas", {}),
}
"""The paper's names of methods: the class, and the parameters that the name implies."""

CAFA_WORDS: Final[dict[str, str]] = {
    "Naive": "PriorClassifier",
    "BLAST": "LinkVotes",
    "DIAMOND": "LinkVotes",
    "DIAMONDScore": "LinkVotes",
}
"""The baselines of CAFA: label frequencies, and votes of proteins that are hit."""

PARAMETER_WORDS: Final[dict[str, str]] = {
    "k": "n_neighbors",
    "THR": "similarity_threshold",
    "t2label": "label_threshold",
    "n": "similarity_span",
    "maxIterations": "max_iter",
}
"""The paper's symbols, and the parameters that they stand for."""

_PARAMETERS = {word.casefold(): name for word, name in PARAMETER_WORDS.items()}


@dataclass(frozen=True)
class Meaning:
    """The method that a word names.

    Attributes
    ----------
    method : str
        The name of the class.
    parameters : dict
        Parameters that the word implies.
    origin : str
        Where the word comes from; empty for the name of the class.
    """

    method: str
    parameters: dict[str, Any] = field(default_factory=dict)
    origin: str = ""

    def __str__(self) -> str:
        implied = " and ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"{self.method} with {implied}" if implied else self.method


def plain(name: str) -> str:
    """Return a name without case, spaces and punctuation.

    >>> plain("SSHMC-BLI"), plain("Metz & Freitas")
    ('sshmcbli', 'metzandfreitas')
    """
    return "".join(filter(str.isalnum, name.casefold().replace("&", "and")))


def method_words(known: Mapping[str, str]) -> dict[str, Meaning]:
    """Return the meaning of all words, by the word without case and punctuation.

    Parameters
    ----------
    known : mapping of str to str
        The classes, and their names in the literature. A class name wins over a word of
        the paper, which wins over a name in the literature.
    """
    found = {
        plain(other): Meaning(name, origin=f"also called {other}")
        for name, other in known.items()
        if other
    }
    for word, (name, implied) in METHOD_WORDS.items():
        found[plain(word)] = Meaning(name, implied, f"{word} in the paper")
    for word, name in CAFA_WORDS.items():
        if name in known:
            found[plain(word)] = Meaning(name, origin=f"{word} in CAFA")
    for name in known:
        found[plain(name)] = Meaning(name)
    return found


def parameter_meant(word: str, own: Container[str]) -> str:
    """Return the parameter that a word stands for, among those a method has.

    A parameter of the method wins over a word; an unknown word is returned unchanged.

    >>> parameter_meant("THR", {"similarity_threshold"}), parameter_meant("k", {"k"})
    ('similarity_threshold', 'k')
    """
    meant = _PARAMETERS.get(word.casefold())
    return meant if word not in own and meant is not None and meant in own else word
