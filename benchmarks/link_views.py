"""What links between rows add to linear learners, with a tenth of the rows labelled.

WordNet's nouns have few links of meaning (a half has none), and proteins have hits of
each other. "Links to labelled rows" is the control: what the same views give without
any unlabelled row. Scores are micro average precision on the rows of the test, whose
labels no model has seen; weights were chosen on a fifth of the labelled rows.

``HILABEL_DATA=... python -m benchmarks.link_views`` takes about ten minutes on two
cores, and writes ``results/link_views.md``.
"""

import resource
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np

from benchmarks._link_data import LinkedSet, proteins, wordnet
from benchmarks._results import write_table
from hilabel.classifiers import LinearClassifier
from hilabel.semi_supervised import ViewsClassifier
from hilabel.views import LinkIds, LinkLabels, LinkMeans, NeighborColumns

HEADINGS = ("set", "columns", "logistic", "mined", "mean of both", "seconds")


def logistic(C: float) -> LinearClassifier:
    return LinearClassifier(C=C, scale=False, n_jobs=-1, random_state=0)


def mined() -> LinearClassifier:
    return LinearClassifier(
        loss="squared_hinge",
        negatives="mined",
        C=1.0,
        scale=False,
        n_jobs=-1,
        random_state=0,
    )


def of_wordnet() -> list[tuple[str, ...]]:
    near = NeighborColumns(n_jobs=-1)
    jobs = {
        "words": ([], False),
        "and means over links to labelled rows": ([LinkMeans()], True),
        "and means over links": ([LinkMeans()], False),
        "and means of the nearest rows": ([near], False),
        "and both means": ([near, LinkMeans()], False),
    }
    return [*_measured("WordNet", wordnet(), jobs, [logistic(30.0), mined()])]


def of_proteins() -> list[tuple[str, ...]]:
    ids, votes = LinkIds(), LinkLabels()
    jobs: dict[str, tuple[list[Any], bool]] = {
        "pairs and triples of amino acids": ([], False),
        "and means over links to labelled rows": ([LinkMeans(2)], True),
        "and means over links": ([LinkMeans(2)], False),
        "and ids of linked rows": ([ids], False),
        "and votes of linked rows": ([votes], False),
        "and means and ids": ([LinkMeans(2), ids], False),
        "and means, ids and votes": ([LinkMeans(2), ids, votes], False),
    }
    return [*_measured("proteins", proteins(), jobs, [logistic(10.0)])]


def _measured(
    name: str,
    rows: LinkedSet,
    jobs: dict[str, tuple[list[Any], bool]],
    learners: Sequence[LinearClassifier],
) -> Iterator[tuple[str, ...]]:
    constant = f"{rows.quality(rows.constant()):.3f}"
    yield name, "label frequencies, the same for all rows", constant, "", "", ""
    for columns, (views, labeled_only) in jobs.items():
        scores, seconds = [], []
        for learner in learners:
            model = ViewsClassifier(
                estimator=learner, views=views, labeled_only=labeled_only, n_jobs=-1
            )
            start = time.perf_counter()
            scores.append(rows.scores(model))
            seconds.append(f"{time.perf_counter() - start:.0f}")
        found = [f"{rows.quality(one):.3f}" for one in scores]
        if len(scores) > 1:
            found.append(f"{rows.quality(np.mean(scores, axis=0)):.3f}")
        found += [""] * (3 - len(found))
        row = (name, columns, *found, " + ".join(seconds))
        print(*row, sep=" | ", flush=True)
        yield row
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    yield name, f"most memory of all of these: {peak:.1f} GiB", "", "", "", ""


def main() -> None:
    """Measure both sets, each in its own process, and write the table."""
    rows = []
    for job in (of_wordnet, of_proteins):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            rows += pool.submit(job).result()
    print(write_table("link_views", HEADINGS, rows))


if __name__ == "__main__":
    main()
