"""Parse the stanzas of an OBO file; invalid lines raise an error or are counted.

Silently skipping a line could drop a term or an edge, so every line must be valid.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from hilabel._typing import FilePath
from hilabel._warning import warn_user
from hilabel.exceptions import DatasetFormatError

# The number of words after each tag that is read; None means any text.
_WORDS: Final[dict[str, int | None]] = {
    "id": 1,
    "name": None,
    "namespace": None,
    "alt_id": 1,
    "is_a": 1,
    "relationship": 2,
    "is_obsolete": 1,
    "replaced_by": 1,
}
_ONCE: Final = frozenset({"id", "name", "namespace", "is_obsolete"})
# Definitions and synonyms, which make up most of the Gene Ontology, are never parsed.
_SKIPPED: Final = frozenset(
    [
        "builtin",
        "comment",
        "consider",
        "created_by",
        "creation_date",
        "def",
        "disjoint_from",
        "equivalent_to",
        "expand_assertion_to",
        "expand_expression_to",
        "intersection_of",
        "is_anonymous",
        "property_value",
        "subset",
        "synonym",
        "union_of",
        "xref",
        "broad_synonym",
        "exact_synonym",
        "narrow_synonym",
        "related_synonym",
        "use_term",
        "xref_analog",
        "xref_unk",
    ]
)
_STANZAS: Final = ("[Term]", "[Typedef]", "[Instance]")
# Header tags with the default namespace, in order of preference.
_DEFAULTS: Final = ("default-namespace", "ontology")
# Blanks before the value are kept: in "id: {x}", which has no value, they start a
# modifier.
_TAG_AND_VALUE: Final = re.compile(r"([\w-]+):(.*)")
# The number of invalid lines that a message shows.
_NAMED: Final = 3


@dataclass
class Term:
    """The tags in a term's stanza, with their values and line numbers."""

    line: int
    values: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def first(self, tag: str, default: str = "") -> str:
        """Return the value of a tag that occurs once."""
        return self.values[tag][0][1] if tag in self.values else default

    def all(self, tag: str) -> list[str]:
        """Return the values of a tag that may be repeated."""
        return [value for _, value in self.values.get(tag, ())]

    def relations(self) -> Iterator[tuple[int, str, str]]:
        """Yield the line number, the type and the other term of each relation."""
        for line, parent in self.values.get("is_a", ()):
            yield line, "is_a", parent
        for line, value in self.values.get("relationship", ()):
            yield line, *value.split()  # type: ignore[misc]

    @property
    def is_obsolete(self) -> bool:
        """Whether the term is obsolete."""
        return self.first("is_obsolete") == "true"


@dataclass
class Rules:
    """How to handle an invalid line: raise an error or count it."""

    path: FilePath
    lenient: bool
    broken: list[str] = field(default_factory=list)

    def break_at(self, line: int, what: str) -> None:
        """Raise an error for a line, or record that it was skipped."""
        if not self.lenient:
            raise DatasetFormatError(
                f"{what} Fix the line, or read the file leniently to skip and count "
                "such lines.",
                source=self.path,
                line=line,
                parameter="lenient",
            )
        self.broken.append(f"line {line}: {what}")

    def tell(self) -> None:
        """Warn about the skipped lines."""
        if self.broken:
            n_more = len(self.broken) - _NAMED
            more = f" And {n_more} more." if n_more > 0 else ""
            warn_user(
                f"{self.path}: {len(self.broken)} line(s) skipped: "
                f"{' '.join(self.broken[:_NAMED])}{more}"
            )


def read_stanzas(text: str, rules: Rules) -> tuple[dict[str, Term], str]:
    """Return a mapping from ids to terms, and the default namespace."""
    terms: dict[str, Term] = {}
    defaults: dict[str, str] = {}
    stanza = ""
    term = Term(0)
    for number, raw in enumerate(text.split("\n"), start=1):
        line = raw.strip()
        if not line or line.startswith("!"):
            continue
        if line.startswith("["):
            if stanza == "[Term]":
                _keep(term, terms, rules)
            stanza, term = _bare(line), Term(number)
            if stanza not in _STANZAS:
                rules.break_at(
                    number, f"expected {', '.join(_STANZAS)}, got {stanza!r}."
                )
            continue
        found = _TAG_AND_VALUE.fullmatch(line)
        if found is None:
            rules.break_at(number, f"expected 'tag: value', got {line[:40]!r}.")
            continue
        tag, value = found[1], found[2]
        if stanza == "[Term]":
            _add(term, number, tag, value, rules)
        elif not stanza and tag in _WORDS:
            rules.break_at(number, f"expected {tag!r} in a stanza, got it outside.")
        elif not stanza and tag in _DEFAULTS:
            defaults[tag] = value.strip()
    if stanza == "[Term]":
        _keep(term, terms, rules)
    return terms, next((defaults[tag] for tag in _DEFAULTS if tag in defaults), "")


def _keep(term: Term, terms: dict[str, Term], rules: Rules) -> None:
    """Add a term when its stanza ends."""
    name = term.first("id")
    if not name:
        rules.break_at(term.line, "expected an id in the [Term] stanza, got none.")
    elif name in terms:
        rules.break_at(
            term.values["id"][0][0],
            f"term {name!r} is already defined in line "
            f"{terms[name].values['id'][0][0]}; define each term once.",
        )
    else:
        terms[name] = term


def _add(term: Term, number: int, tag: str, value: str, rules: Rules) -> None:
    """Add a line from a stanza to the term."""
    if tag in _SKIPPED:
        return
    if tag not in _WORDS:
        rules.break_at(number, f"expected a tag of a term, got {tag!r}.")
        return
    n_words = _WORDS[tag]
    words = value.strip() if n_words is None else " ".join(_bare(value).split())
    if n_words is not None and len(words.split()) != n_words:
        what = f"expected {tag!r} with {n_words} word(s), got {value.strip()!r}."
        rules.break_at(number, what)
        return
    if tag in _ONCE and tag in term.values:
        rules.break_at(
            number,
            f"expected one {tag!r} in a stanza, got {words!r} after "
            f"{term.first(tag)!r}; the line [Term] may be missing.",
        )
        return
    if tag == "is_obsolete" and words not in ("true", "false"):
        rules.break_at(number, f"expected 'true' or 'false', got {words!r}.")
        return
    term.values.setdefault(tag, []).append((number, words))


def _bare(value: str) -> str:
    """Return a value without trailing modifiers and comments."""
    return value.split(" !")[0].split(" {")[0].strip()
