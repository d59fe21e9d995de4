"""Evaluate: how good scores and label sets are."""
