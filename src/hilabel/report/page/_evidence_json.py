"""The evidence for a row as plain values, with the terms numbered as on the page."""

from collections.abc import Iterable
from typing import Any

from hilabel.report.page._bounds import LABELS, TESTS, VOTES
from hilabel.report.page._evidence import Evidence
from hilabel.report.page._term_numbers import TermNumbers


def plain_evidence(evidence: Evidence, numbers: TermNumbers) -> dict[str, Any]:
    """Return the evidence for a row; terms that are not on the page are left out."""

    def numbered(pairs: Iterable[tuple[int, Any]]) -> list[list[Any]]:
        found = ([numbers.one(node), value] for node, value in pairs)
        return [pair for pair in found if pair[0] >= 0]

    path = evidence.path.to_dict("records")
    is_tree = "decision" in evidence.path
    return {
        "neighbors": [
            {
                "id": one.id,
                "distance": one.distance,
                "labels": numbers.of(one.labels[:LABELS]),
                "labels_given": one.labels_given,
                "found_by": one.found_by,
                "shares_leaves": one.shares_leaves,
            }
            for one in evidence.neighbors
        ],
        "votes": numbered((one.node, one.share) for one in evidence.votes[:VOTES]),
        "splits": path if is_tree else [],
        "tests": [] if is_tree else path[:TESTS],
        "path_of": evidence.path_of,
        "contributions": numbered(
            (one.node, one.parts) for one in evidence.contributions
        ),
        "contributions_of": evidence.contributions_of,
        "members": [
            {"name": one.name, "share": one.share, "scores": numbered(one.scores)}
            for one in evidence.members
        ],
    }
