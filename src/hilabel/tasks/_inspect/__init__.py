"""Inspect files: what is in them, all problems found, and how to fix them."""
