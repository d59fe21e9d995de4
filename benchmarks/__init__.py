"""Benchmarks: hilabel beside its rival, in one process, reported as a ratio."""
