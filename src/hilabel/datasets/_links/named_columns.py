"""Find the columns of a file of links by their names."""

from collections.abc import Mapping, Sequence
from typing import Final

from hilabel._suggestions import closest, did_you_mean
from hilabel._typing import FilePath
from hilabel.datasets._links.layout import LinkColumns
from hilabel.exceptions import DatasetFormatError, LinkError

# Names of columns in headers, in lower case.
_NAMES: Final[dict[str, set[str]]] = {
    "source": {
        "source",
        "from",
        "query",
        "query_id",
        "qseqid",
        "protein1",
        "node1",
        "gene1",
        "id1",
        "citing",
        "id_1",
    },
    "target": {
        "target",
        "to",
        "subject",
        "subject_id",
        "sseqid",
        "protein2",
        "node2",
        "gene2",
        "id2",
        "cited",
        "id_2",
    },
    "weight": {
        "weight",
        "score",
        "combined_score",
        "bitscore",
        "bits",
        "bit_score",
        "strength",
    },
    "identity": {"pident", "fident", "identity", "percent_identity"},
    "kind": {"kind", "type", "relation", "relationship", "interaction", "edge_type"},
}


def roles_of(header: Sequence[str]) -> LinkColumns:
    """Return the first column with a usual name for each role."""
    found: LinkColumns = {}
    for place, cell in enumerate(header):
        word = cell.strip().lower().replace(" ", "_")
        for role, names in _NAMES.items():
            if word in names:
                found.setdefault(role, place)
    return found


def named_places(
    path: FilePath, header: Sequence[str], columns: Mapping[str, str]
) -> LinkColumns:
    """Return the places of the columns that the user names."""
    roles = set(columns)
    if not {"source", "target"} <= roles <= set(_NAMES):
        raise LinkError(
            "Expected the columns of source and target and, optionally, weight, "
            f"identity and kind, got {', '.join(columns) or 'none'}.",
            parameter="columns",
        )
    for name in columns.values():
        if name not in header:
            raise DatasetFormatError(
                f"expected one of the columns {', '.join(header)}, got {name!r}."
                f"{did_you_mean(closest(name, header))}",
                source=path,
                parameter="columns",
            )
    return {role: list(header).index(name) for role, name in columns.items()}
