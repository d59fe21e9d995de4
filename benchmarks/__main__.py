"""Run every ``bench_*.py`` of this folder, or those named, and print the ratios.

A benchmark is a module with a function ``run()`` that yields ``Comparison`` rows.
"""

import importlib
import pkgutil
import sys

import benchmarks


def main(wanted: list[str]) -> None:
    found = [
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name.startswith("bench_")
    ]
    names = [name for name in found if not wanted or name[len("bench_") :] in wanted]
    print(f"{'work':<52} {'ours':>9} {'rival':>9} {'ratio':>7}  rival")
    for name in names:
        for row in importlib.import_module(f"benchmarks.{name}").run():
            print(
                f"{row.work:<52} {row.seconds:>8.3f}s {row.rival_seconds:>8.3f}s "
                f"{row.ratio:>6.1f}x  {row.rival}"
            )


if __name__ == "__main__":
    main(sys.argv[1:])
