"""``python -m fuzz --cases 10000 --seed 1``: change files, read them, report."""

import argparse
import importlib
import sys
import time

# Of so many cases, one is of this kind: those of some take a second and more.
KINDS = {
    "models": 1,
    "readers": 1,
    "odd_numbers": 3,
    "hierarchies": 300,
    "command_line": 50,
    "full_disk": 50,
    "kills": 50,
}


def main(cases, seed, kinds):
    """Run so many cases, or a share, of each kind; return how many failed."""
    n_failed = 0
    for kind in kinds:
        start = time.perf_counter()
        n_cases = -(-cases // KINDS[kind])
        failures = importlib.import_module(f"fuzz.{kind}").run(n_cases, seed)
        took = time.perf_counter() - start
        sys.stdout.write(
            f"{kind}: {n_cases} cases, {len(failures)} failed, {took:.0f} s\n"
        )
        sys.stdout.writelines(f"  {failure}\n" for failure in failures)
        n_failed += len(failures)
    return n_failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    sys.exit(min(main(**vars(parser.parse_args())), 1))
