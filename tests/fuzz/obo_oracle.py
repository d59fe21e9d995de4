"""A second, strict and simple reader of OBO files: terms and edges, or None.

It knows nothing of the other: a file that both take has to mean the same to both.
"""

KNOWN = (
    *("id", "name", "namespace", "alt_id", "def", "comment", "subset", "synonym"),
    *("xref", "is_a", "relationship", "is_obsolete", "replaced_by", "consider"),
)
RELATIONS = ("is_a", "part_of")


def terms_and_edges(text):
    """Return the living terms, and (parent, child) pairs; None if a line is odd."""
    stanzas, kind = [], "header"
    for line in (line.strip() for line in text.split("\n")):
        if line == "" or line[0] == "!":
            continue
        if line[0] == "[":
            kind = line.split(" !")[0].split(" {")[0].strip()
            if kind not in ("[Term]", "[Typedef]", "[Instance]"):
                return None
            if kind == "[Term]":
                stanzas.append([])
            continue
        tag, colon, value = line.partition(":")
        if not colon:
            return None
        if kind == "header" and tag in ("id", "is_a", "relationship"):
            return None
        if kind == "[Term]":
            if tag not in KNOWN:
                return None
            value = value.split(" !")[0].split(" {")[0].split()
            stanzas[-1].append((tag, value))
    names = [[v for tag, v in lines if tag == "id"] for lines in stanzas]
    if not all(len(ids) == 1 and len(ids[0]) == 1 for ids in names):
        return None
    names = [ids[0][0] for ids in names]
    retired = {
        name
        for name, lines in zip(names, stanzas, strict=True)
        if ("is_obsolete", ["true"]) in lines
    }
    living = set(names) - retired
    if len(set(names)) < len(names):
        return None
    edges = set()
    for name, lines in zip(names, stanzas, strict=True):
        for tag, value in lines:
            if tag == "relationship" and len(value) == 2 and value[0] in RELATIONS:
                edges.add((value[1], name))
            elif tag == "is_a":
                edges.add((" ".join(value), name))
    edges = {(parent, name) for parent, name in edges if name in living}
    if not all(parent in living for parent, _ in edges):
        return None
    return living, edges
