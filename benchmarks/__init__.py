"""Benchmarks: hilabel and a reference in one process, reported as a ratio."""
