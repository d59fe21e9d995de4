"""Run all ``bench_*.py`` in this folder, or the given ones, and print the ratios.

A benchmark is a module with a function ``run()`` that yields ``Comparison`` or
``Measurement`` rows. The rows are also written to ``results/``.
"""

import importlib
import pkgutil
import sys

import benchmarks
from benchmarks._results import HEADINGS, cells, save

_WIDTHS = (58, 10, 10, 7, 8)


def _print_row(values: tuple[str, ...]) -> None:
    padded = [value.ljust(width) for value, width in zip(values, _WIDTHS)]
    print(" ".join([*padded, values[-1]]).rstrip(), flush=True)


def main(wanted: list[str]) -> None:
    found = [
        module.name.removeprefix("bench_")
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name.startswith("bench_")
    ]
    unknown = set(wanted) - set(found)
    if unknown:
        sys.exit(f"No benchmark {sorted(unknown)[0]!r}; there are: {', '.join(found)}.")
    _print_row(HEADINGS)
    for name in wanted or found:
        rows = []
        for row in importlib.import_module(f"benchmarks.bench_{name}").run():
            rows.append(row)
            _print_row(cells(row))
        if rows:
            save(name, rows)


if __name__ == "__main__":
    main(sys.argv[1:])
