"""Ontologies in OBO format, such as ``go-basic.obo``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hilabel._saved_types import saved_type
from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy._hierarchy import Hierarchy
from hilabel.hierarchy._stanzas import Rules, Term, read_stanzas


@saved_type
@dataclass(frozen=True)
class Ontology:
    """A hierarchy and the obsolete identifiers in its file.

    Attributes
    ----------
    hierarchy : Hierarchy
        One node per current term; ``names`` are identifiers, ``titles`` term names.
    replaced : mapping of str to str
        Alternative and obsolete identifiers with exactly one current replacement.
    obsolete : frozenset of str
        Obsolete identifiers without a replacement, or with several.
    separator : str
        Separator of the steps if names are paths, such as ``food/drinks/tea``; ""
        otherwise. With a separator, the end of a path may replace the whole path if no
        other path has the same end.
    aspects : mapping of str to str
        For an OBO file, the namespace of each current term, such as
        ``biological_process``; its roots represent the namespaces. Otherwise empty.

    Examples
    --------
    >>> from hilabel.hierarchy import Hierarchy, Ontology
    >>> ontology = Ontology(Hierarchy(["new"]), {"old": "new"}, frozenset({"gone"}))
    >>> ontology.resolve("old"), ontology.resolve("new"), ontology.resolve("gone")
    ('new', 'new', None)
    """

    hierarchy: Hierarchy
    replaced: Mapping[str, str]
    obsolete: frozenset[str]
    separator: str = ""
    aspects: Mapping[str, str] = field(default_factory=dict)

    def is_sound(self) -> bool:
        """Return whether the ontology is consistent.

        All replacements must exist, and either all terms or none must have aspects.
        """
        return all(new in self.hierarchy for new in self.replaced.values()) and all(
            name in self.aspects for name in self.hierarchy.names if self.aspects
        )

    def of(self, hierarchy: Hierarchy) -> "Ontology":
        """Return the ontology of a subset of the nodes; see ``Hierarchy.restrict``."""
        return Ontology(
            hierarchy,
            {old: new for old, new in self.replaced.items() if new in hierarchy},
            self.obsolete,
            self.separator,
            {name: self.aspects[name] for name in hierarchy.names if self.aspects},
        )

    def resolve(self, term: str) -> str | None:
        """Return the current identifier for ``term``, or None if there is none."""
        term = self.replaced.get(term, term)
        if term in self.hierarchy:
            return term
        paths = self.paths_ending_in(term)
        return paths[0] if len(paths) == 1 else None

    def knows(self, term: str) -> bool:
        """Return whether the file contains ``term``, either current or obsolete."""
        return term in self.obsolete or self.resolve(term) is not None

    def paths_ending_in(self, term: str) -> list[str]:
        """Return the names that are paths ending in ``term``.

        Spaces around the separator are ignored, as is a separator at the start or the
        end. If ``term`` is itself a whole path, only this path is returned.
        """
        if not self.separator:
            return []
        steps = self._steps(term)
        paths = [
            name
            for name in self._paths_by_last_step.get(steps[-1], ())
            if self._steps(name)[-len(steps) :] == steps
        ]
        whole = [name for name in paths if len(self._steps(name)) == len(steps)]
        return whole or paths

    def known_part(self, path: str) -> str | None:
        """Return the longest proper prefix of a path that names a node, or None.

        >>> from hilabel.hierarchy import Hierarchy, Ontology
        >>> shop = Hierarchy.from_paths([["food", "tea"]], "/")
        >>> Ontology(shop, {}, frozenset(), "/").known_part("food/tea/green/loose")
        'food/tea'
        """
        steps = self._steps(path) if self.separator else []
        for length in range(len(steps) - 1, 0, -1):
            beginning = self.separator.join(steps[:length])
            if beginning in self.hierarchy:
                return beginning
        return None

    def _steps(self, name: str) -> list[str]:
        steps = [step.strip() for step in name.split(self.separator.strip())]
        filled = [at for at, step in enumerate(steps) if step]
        return steps[filled[0] : filled[-1] + 1] if filled else [""]

    @cached_property
    def _paths_by_last_step(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for name in self.hierarchy.names:
            paths.setdefault(self._steps(name)[-1], []).append(name)
        return paths


def read_obo(
    path: FilePath,
    relations: Sequence[str] = ("is_a", "part_of"),
    *,
    lenient: bool = False,
    most_unpacked: float | None = None,
) -> Ontology:
    """Read a plain or compressed OBO file.

    Parameters
    ----------
    path : path-like
        The file.
    relations : sequence of str, default=("is_a", "part_of")
        The relations that become an edge from the object (parent) to the subject
        (child). Annotations propagate along exactly these two in the Gene Ontology.
    lenient : bool, default=False
        Skip invalid lines, with a warning that counts them and shows the first. These
        are: a second id in a stanza, a stanza without an id or with the id of an
        earlier one, a relation to a term that is obsolete or missing, an unknown tag or
        stanza, and text that is not a tag with a value.
    most_unpacked : float, optional
        As in :func:`~hilabel.datasets.read_features`.

    Returns
    -------
    Ontology

    Raises
    ------
    DatasetFormatError
        If the file is not OBO, if it has an invalid line and ``lenient`` is False, if
        ``relations`` form a cycle, or if it unpacks to too much. The message names file
        and line, or the cycle.

    Examples
    --------
    >>> import tempfile
    >>> from hilabel.hierarchy import read_obo
    >>> text = '''format-version: 1.2
    ...
    ... [Term]
    ... id: X:1
    ... name: process
    ...
    ... [Term]
    ... id: X:2
    ... name: growth
    ... alt_id: X:9
    ... is_a: X:1 ! process
    ... '''
    >>> with tempfile.NamedTemporaryFile("w", suffix=".obo") as file:
    ...     _ = file.write(text)
    ...     file.flush()
    ...     ontology = read_obo(file.name)
    >>> ontology.hierarchy
    Hierarchy(2 nodes, 1 edge, 1 root, depth 2, tree)
    >>> ontology.resolve("X:9")
    'X:2'
    """
    relations = (relations,) if isinstance(relations, str) else tuple(relations)
    text, rules = read_text(path, most_unpacked), Rules(path, lenient)
    # Checked first, since every line of another kind of file would be invalid.
    terms, default = read_stanzas(text, rules) if "[Term]" in text else ({}, "")
    if not terms:
        raise DatasetFormatError(
            "expected an OBO ontology, but it has no [Term] stanza.", source=path
        )
    living = [name for name, term in terms.items() if not term.is_obsolete]
    if not living:
        raise DatasetFormatError(f"all {len(terms)} terms are obsolete.", source=path)
    edges = _edges(terms, relations, rules)
    rules.tell()
    titles = [terms[name].first("name", name) for name in living]
    try:
        hierarchy = Hierarchy.from_edges(edges, nodes=living, titles=titles)
    except HierarchyError as error:
        raise DatasetFormatError(str(error), source=path) from error
    replaced, obsolete = _retired(terms)
    aspects = {name: terms[name].first("namespace", default) for name in living}
    return Ontology(hierarchy, replaced, obsolete, aspects=aspects)


def _edges(
    terms: Mapping[str, Term], relations: Sequence[str], rules: Rules
) -> list[tuple[str, str]]:
    """Return the distinct (parent, child) pairs among current terms."""
    edges: dict[tuple[str, str], None] = {}
    for child, term in terms.items():
        if term.is_obsolete:
            continue
        for line, relation, parent in term.relations():
            if relation not in relations:
                continue
            if parent not in terms or terms[parent].is_obsolete:
                state = "is obsolete" if parent in terms else "the file does not define"
                rules.break_at(line, f"{child!r} {relation} {parent!r}, which {state}.")
            else:
                edges[parent, child] = None
    return list(edges)


def _retired(terms: Mapping[str, Term]) -> tuple[dict[str, str], frozenset[str]]:
    alive = {name for name, term in terms.items() if not term.is_obsolete}
    successors: dict[str, set[str]] = {}
    for name, term in terms.items():
        if name in alive:
            for other in term.all("alt_id"):
                successors.setdefault(other, set()).add(name)
        else:
            successors.setdefault(name, set()).update(term.all("replaced_by"))
    replaced = {}
    for old in sorted(successors.keys() - alive):
        target, followed = old, {old}
        # A replacement may be obsolete too, and replacements may form a cycle.
        while target not in alive and len(successors.get(target, ())) == 1:
            (target,) = successors[target]
            if target in followed:
                break
            followed.add(target)
        if target in alive:
            replaced[old] = target
    return replaced, frozenset(successors.keys() - alive - replaced.keys())
