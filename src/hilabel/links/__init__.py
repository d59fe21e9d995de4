"""Weighted links between rows: hits, interactions, citations and the like."""

from hilabel.links._links import Links

__all__ = ["Links"]
