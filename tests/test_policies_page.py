"""docs/policies.md shows the numbers that the benchmark wrote."""

from pathlib import Path

ROOT = Path(__file__).parents[1]


def table(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line.startswith(("| 10 %", "| 50 %"))]


def test_the_table_of_orders_is_that_of_the_benchmark():
    written = table("docs/policies.md")
    assert len(written) == 10
    assert written == table("benchmarks/results/negatives_order.md")
