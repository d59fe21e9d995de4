"""Ontologies in OBO format, such as ``go-basic.obo``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy._hierarchy import Hierarchy

__all__ = ["Ontology", "read_obo"]


@dataclass(frozen=True)
class Ontology:
    """A hierarchy with what an OBO file says about retired identifiers.

    Attributes
    ----------
    hierarchy : Hierarchy
        One node per living term; ``names`` are identifiers, ``titles`` term names.
    replaced : mapping of str to str
        Alternative and retired identifiers that have exactly one successor.
    obsolete : frozenset of str
        Retired identifiers without a successor.
    """

    hierarchy: Hierarchy
    replaced: Mapping[str, str]
    obsolete: frozenset[str]

    def resolve(self, term: str) -> str | None:
        """Return the living identifier for ``term``, or None if there is none."""
        term = self.replaced.get(term, term)
        return term if term in self.hierarchy else None


def read_obo(
    path: str | PathLike[str], relations: Sequence[str] = ("is_a", "part_of")
) -> Ontology:
    """Read an OBO file, plain or compressed. Needs the ``go`` extra.

    Parameters
    ----------
    path : path-like
        The file.
    relations : sequence of str, default=("is_a", "part_of")
        The relations that make an edge from the object (parent) to the subject
        (child). Annotations propagate along exactly these two in the Gene Ontology.

    Returns
    -------
    Ontology

    Raises
    ------
    DatasetFormatError
        If the file is not OBO, or the terms have a cycle under ``relations``.
    """
    graph = _read_graph(Path(path))
    terms = {term: data for term, data in graph.nodes(data=True) if data}
    living = [term for term, data in terms.items() if not _is_obsolete(data)]
    alive = set(living)
    edges = dict.fromkeys(
        (parent, child)
        for child, parent, relation in graph.edges(keys=True)
        if relation in relations and child in alive and parent in alive
    )
    try:
        hierarchy = Hierarchy.from_edges(
            edges, nodes=living, titles=[terms[t].get("name", t) for t in living]
        )
    except HierarchyError as error:
        raise DatasetFormatError(f"{path}: {error}") from error
    replaced, obsolete = _retired(terms, alive)
    return Ontology(hierarchy, replaced, obsolete)


def _read_graph(path: Path) -> Any:
    try:
        import obonet
    except ImportError as error:
        raise ImportError(
            "Reading OBO files needs obonet: pip install 'hilabel[go]'."
        ) from error
    try:
        graph = obonet.read_obo(path, ignore_obsolete=False)
    except FileNotFoundError:
        raise
    except Exception as error:  # obonet raises whatever its parsing stumbled over
        raise DatasetFormatError(
            f"{path}: expected an OBO ontology, but it cannot be parsed ({error})."
        ) from error
    if not any(data for _, data in graph.nodes(data=True)):
        raise DatasetFormatError(
            f"{path}: expected an OBO ontology, but it has no [Term] stanza."
        )
    return graph


def _is_obsolete(data: Mapping[str, Any]) -> bool:
    return str(data.get("is_obsolete", "false")).lower() == "true"


def _retired(
    terms: Mapping[str, Mapping[str, Any]], alive: set[str]
) -> tuple[dict[str, str], frozenset[str]]:
    successors: dict[str, set[str]] = {}
    for term, data in terms.items():
        if term in alive:
            for other in data.get("alt_id", ()):
                successors.setdefault(other, set()).add(term)
        else:
            successors.setdefault(term, set()).update(data.get("replaced_by", ()))
    replaced = {}
    for term in successors:
        target, followed = term, {term}
        while len(successors.get(target, ())) == 1:  # a successor may be retired too
            (target,) = successors[target]
            if target in followed:
                break
            followed.add(target)
        if target in alive and term not in alive:
            replaced[term] = target
    return replaced, frozenset(set(terms) - alive - set(replaced))
