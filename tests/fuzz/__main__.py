"""``python -m fuzz --cases 10000 --seed 1``: change files, read them, report."""

import argparse
import importlib.util
import sys
import time

KINDS = ("models", "readers")


def main(cases, seed, kinds):
    """Run so many cases of each kind; return how many failed."""
    n_failed = 0
    for kind in kinds:
        start = time.perf_counter()
        failures = importlib.import_module(f"fuzz.{kind}").run(cases, seed)
        took = time.perf_counter() - start
        sys.stdout.write(
            f"{kind}: {cases} cases, {len(failures)} failed, {took:.0f} s\n"
        )
        sys.stdout.writelines(f"  {failure}\n" for failure in failures)
        n_failed += len(failures)
    return n_failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--kinds",
        nargs="+",
        choices=KINDS,
        default=[kind for kind in KINDS if importlib.util.find_spec(f"fuzz.{kind}")],
    )
    sys.exit(min(main(**vars(parser.parse_args())), 1))
