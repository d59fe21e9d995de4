"""Ontologies in OBO format, such as ``go-basic.obo``."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from hilabel._saved_types import saved_type
from hilabel._text_files import read_text
from hilabel._typing import FilePath
from hilabel.exceptions import DatasetFormatError, HierarchyError
from hilabel.hierarchy._hierarchy import Hierarchy

# The only tags read here. Definitions and synonyms, most of the Gene Ontology's
# bytes, are never parsed, which halves the time.
_TAGS = frozenset(
    {"id", "name", "alt_id", "is_a", "relationship", "is_obsolete", "replaced_by"}
    | {"namespace"}
)
# Of the header, what a term without a namespace belongs to, the first that there is.
_DEFAULTS = ("default-namespace", "ontology")


@saved_type
@dataclass(frozen=True)
class Ontology:
    """A hierarchy with what its file says about retired identifiers.

    Attributes
    ----------
    hierarchy : Hierarchy
        One node per living term; ``names`` are identifiers, ``titles`` term names.
    replaced : mapping of str to str
        Alternative and retired identifiers that have exactly one living successor.
    obsolete : frozenset of str
        Retired identifiers without a successor, or with several.
    separator : str
        What joins the steps of names that are paths, such as ``food/drinks/tea``; ""
        if they are none. Where it is given, the end of a path stands for the whole if
        no other path ends so.
    aspects : mapping of str to str
        Of an OBO file, the namespace of each living term, such as
        ``biological_process``; its roots only stand for these. Otherwise empty.

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
        """Say whether successors and aspects are those of terms that live."""
        return all(new in self.hierarchy for new in self.replaced.values()) and all(
            name in self.aspects for name in self.hierarchy.names if self.aspects
        )

    def of(self, hierarchy: Hierarchy) -> "Ontology":
        """Return the same of a part of the hierarchy; see ``Hierarchy.restrict``."""
        return Ontology(
            hierarchy,
            {old: new for old, new in self.replaced.items() if new in hierarchy},
            self.obsolete,
            self.separator,
            {name: self.aspects[name] for name in hierarchy.names if self.aspects},
        )

    def resolve(self, term: str) -> str | None:
        """Return the living identifier for ``term``, or None if there is none."""
        term = self.replaced.get(term, term)
        if term in self.hierarchy:
            return term
        paths = self.paths_ending_in(term)
        return paths[0] if len(paths) == 1 else None

    def knows(self, term: str) -> bool:
        """Say whether the file has ``term``, living or retired."""
        return term in self.obsolete or self.resolve(term) is not None

    def paths_ending_in(self, term: str) -> list[str]:
        """Return the names that are paths and end in ``term``.

        Spaces around the separator do not matter. A path that is ``term`` from its
        beginning is the only one.
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
        """Return the longest beginning of a path that is a name, or None.

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
        return [step.strip() for step in name.split(self.separator.strip())]

    @cached_property
    def _paths_by_last_step(self) -> dict[str, list[str]]:
        paths: dict[str, list[str]] = {}
        for name in self.hierarchy.names:
            paths.setdefault(self._steps(name)[-1], []).append(name)
        return paths


def read_obo(
    path: FilePath, relations: Sequence[str] = ("is_a", "part_of")
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
        A relation to a term that the file does not define, or that is retired, makes
        no edge.

    Raises
    ------
    DatasetFormatError
        If the file is not OBO, defines a term twice, or has a cycle under
        ``relations``. The message names file and line, or the cycle.

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
    if isinstance(relations, str):
        relations = (relations,)
    terms, graph, default = _read_graph(path)
    living = [
        term
        for term, data in terms.items()
        if str(data.get("is_obsolete", "false")).lower() != "true"
    ]
    if not living:
        raise DatasetFormatError(f"{path}: all {len(terms)} terms are obsolete.")
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
    aspects = {term: str(terms[term].get("namespace", default)) for term in living}
    return Ontology(hierarchy, replaced, obsolete, aspects=aspects)


def _read_graph(path: FilePath) -> tuple[dict[str, Any], Any, str]:
    """Return what is said of each term, obonet's graph, and the usual namespace."""
    try:
        import obonet
    except ImportError as error:
        raise ImportError(
            "Reading OBO files needs obonet: pip install 'hilabel[go]'."
        ) from error
    line_of, stanzas, default = _scan(path, read_text(path))
    if not line_of:
        raise DatasetFormatError(
            f"{path}: expected an OBO ontology, but it has no [Term] stanza."
        )
    try:
        graph = obonet.read_obo(io.StringIO(stanzas), ignore_obsolete=False)
    except Exception as error:  # obonet raises whatever its parsing stumbled over
        raise DatasetFormatError(
            f"{path}: expected an OBO ontology, but it cannot be parsed ({error})."
        ) from error
    # The graph also has, without data, the terms that are only referred to.
    return {term: graph.nodes[term] for term in line_of}, graph, default


def _scan(path: FilePath, text: str) -> tuple[dict[str, int], str, str]:
    """Return the line of each term, their tags for obonet, the usual namespace.

    The text gets a header of its own: without one obonet logs through the root
    logger, which would configure logging for the whole program.
    """
    line_of: dict[str, int] = {}
    kept = ["ontology: terms"]
    defaults: dict[str, str] = {}
    stanza, without_id = "", 0
    for number, raw in enumerate([*text.split("\n"), "[End]"], start=1):
        line = raw.strip()
        if line.startswith("["):
            if without_id:
                raise DatasetFormatError(
                    f"{path}, line {without_id}: expected an id in the [Term] stanza, "
                    "got none."
                )
            stanza = line
            if stanza == "[Term]":
                without_id = number
                kept += ["", stanza]
            continue
        tag, _, value = line.partition(":")
        if stanza == "[Term]" and tag in _TAGS:
            if tag == "id":
                _note_line(line_of, _bare(value), number, path)
                without_id = 0
            kept.append(_checked(tag, value, number, path))
        elif not stanza and tag in _DEFAULTS:
            defaults[tag] = value.strip()
    default = next((defaults[tag] for tag in _DEFAULTS if tag in defaults), "")
    return line_of, "\n".join(kept) + "\n", default


def _bare(value: str) -> str:
    """Return a value without its trailing modifier and comment."""
    return value.split(" !")[0].split(" {")[0].strip()


def _note_line(line_of: dict[str, int], term: str, number: int, path: FilePath) -> None:
    if term in line_of:
        raise DatasetFormatError(
            f"{path}, line {number}: term {term!r} is already defined in line "
            f"{line_of[term]}; define each term once."
        )
    line_of[term] = number


def _checked(tag: str, value: str, number: int, path: FilePath) -> str:
    if tag in ("name", "namespace"):
        return f"{tag}: {value.strip()}"
    parts = _bare(value).split()
    expected = 2 if tag == "relationship" else 1
    if len(parts) != expected:
        raise DatasetFormatError(
            f"{path}, line {number}: expected {tag!r} with {expected} word(s), got "
            f"{value.strip()!r}."
        )
    return f"{tag}: {' '.join(parts)}"


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
    for term in sorted(successors.keys() - alive):
        target, followed = term, {term}
        # A successor may be retired too, and careless files send one in circles.
        while target not in alive and len(successors.get(target, ())) == 1:
            (target,) = successors[target]
            if target in followed:
                break
            followed.add(target)
        if target in alive:
            replaced[term] = target
    return replaced, frozenset(successors.keys() - alive - replaced.keys())
