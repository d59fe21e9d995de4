"""Split: who is labelled, who is test."""
