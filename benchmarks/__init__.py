"""Benchmarks: hilabel and a reference run in one process; the result is a ratio."""
