"""Write the tables of docs/reproduction.md from the results of the studies.

Run ``make docs``, or ``python docs/make_reproduction.py``, after running the studies
again. The text around the tables is written by hand.
"""

import json
import re
from itertools import combinations
from pathlib import Path

from hilabel.report.study._findings import constant_losses, duration_text
from hilabel.report.study._results import StudyResults
from hilabel.report.study._summaries import Summaries
from hilabel.report.study._verdict import (
    PUBLISHED_RANKS,
    compare_study,
    published_verdict,
)

PAGE = Path(__file__).with_name("reproduction.md")
RESULTS = Path(__file__).parents[1] / "studies" / "results"
VARIANTS = ("V1", "V2", "V3")
K, THR = (3, 4, 5), (0.3, 0.5, 0.7)  # the paper's grid
SIX = ("V2", "V1", "V3", "LCN", "STHC", "STML")  # in the published order


def ranks(results: StudyResults) -> str:
    """Return the mean ranks of the paper's six methods, published and ours."""
    verdict = compare_study(results, SIX)
    assert verdict is not None
    ours = verdict.comparison.mean_ranks
    lines = [
        (name, f"{PUBLISHED_RANKS[name]:.3f}", f"{ours[name]:.3f}", f"{score:.4f}")
        for name, score in verdict.blocks.mean()[list(SIX)].items()
    ]
    return _table(("method", "published rank", "our rank", "our mean AP"), lines)


def tests(results: StudyResults) -> str:
    """Return Friedman's test and the critical difference, published and ours."""
    six = compare_study(results, SIX)
    summaries = Summaries(
        results, compare_study(results), six, published_verdict(results)
    )
    frame = summaries.tests().frame.set_index("test")
    lines = [
        (test, row["published"], row["the paper's six"], row["all methods"])
        for test, row in frame.iterrows()
    ]
    return _table(("", "published", "ours, the six", "ours, all nine"), lines)


def pairs(results: StudyResults) -> str:
    """Return the verdict of Nemenyi's test for each pair, published and ours."""
    verdict, published = compare_study(results, SIX), published_verdict(results)
    assert verdict is not None
    assert published is not None
    ranks = verdict.comparison.mean_ranks
    lines = []
    for first, second in combinations(SIX, 2):
        gap = published.ranks[second] - published.ranks[first]
        our_gap = ranks[second] - ranks[first]
        lines.append(
            (
                f"{first}, {second}",
                _verdict(first, second, gap, gap >= published.critical_difference),
                _verdict(first, second, our_gap, verdict.differ(first, second)),
            )
        )
    return _table(("pair", "published", "ours"), lines)


def scores(results: StudyResults) -> str:
    """Return the mean score of every method at each fraction, best first."""
    return _by_fraction(results, results.measure)


def macro(results: StudyResults) -> str:
    """Return the same for macro average precision, with methods in the same order."""
    return _by_fraction(results, "macro_average_precision")


def _by_fraction(results: StudyResults, measure: str) -> str:
    means = results.blocks(measure).groupby(level="fraction").mean()
    order = results.blocks().mean().sort_values(ascending=False).index
    lines = [(name, *(f"{value:.4f}" for value in means[name])) for name in order]
    return _table(("method", *(f"{100 * f:g} %" for f in means.index)), lines)


def datasets(results: StudyResults) -> str:
    """Return the mean score of every method on each data set."""
    means = results.blocks().groupby(level="dataset", sort=False).mean()
    lines = [
        (name, *(f"{value:.3f}" for value in row)) for name, row in means.iterrows()
    ]
    return _table(("data set", *means.columns), lines)


def constant(results: StudyResults) -> str:
    """Return in how many blocks and on how many sets the constant predictor wins."""
    lines = [
        (
            row["method"],
            f"{row['lost_blocks']} of {row['n_blocks']}",
            f"{row['lost_datasets']} of {row['n_datasets']}",
        )
        for row in constant_losses(results).to_dict("records")
    ]
    headings = ("method", "blocks below the constant", "data sets below the constant")
    return _table(headings, lines)


def gaps(results: StudyResults) -> str:
    """Return the median share of the label gap closed at each fraction."""
    frame = results.gaps.dropna(subset="gap_closed")
    wide = frame.pivot_table(
        index="method", columns="fraction", values="gap_closed", aggfunc="median"
    )
    wide = wide.loc[[name for name in results.methods if name in wide.index]]
    lines = [(name, *(_share(share) for share in row)) for name, row in wide.iterrows()]
    return _table(("method", *(f"{100 * f:g} %" for f in wide.columns)), lines)


def cycles(results: StudyResults) -> str:
    """Return how often the pseudo-labels of each variant alternate, and how many."""
    lines = []
    for name in VARIANTS:
        runs = results.runs[results.runs["method"] == name]
        passes = results.tables["passes"]
        passes = passes[passes["method"] == name]
        lengths = passes["iteration"] - passes["repeats"]
        again = passes[(lengths > 1).fillna(False).astype(bool)]
        # Without the last pass if it was the first with a larger k: its labels are
        # not used.
        is_grown = passes["n_neighbors"] > passes.groupby("run")["n_neighbors"].shift()
        last = passes[~is_grown.fillna(False)].groupby("run")["iteration"].max()
        found = again[again["iteration"] == again["run"].map(last)].set_index("run")
        unlabeled = runs.set_index("run")["n_unlabeled"]
        lengths = found["iteration"] - found["repeats"]
        rows = found["n_changed_rows"] / unlabeled.loc[found.index]
        labels = found["n_changed_labels"] / found["n_changed_rows"]
        lines.append(
            (
                name,
                f"{(runs['stop_reason'] == 'unchanged').sum()} of {len(runs)}",
                str(again["run"].nunique()),
                ", ".join(
                    f"{n} of {length} passes"
                    for length, n in lengths.value_counts().sort_index().items()
                )
                or "none",
                f"{100 * rows.median():.0f} %" if len(found) else "",
                f"{labels.median():.1f}" if len(found) else "",
            )
        )
    headings = (
        "variant",
        "labels settled",
        "labels returned in some pass",
        "cycles at the end",
        "unlabelled rows that alternate (median)",
        "labels per such row",
    )
    return _table(headings, lines)


def chosen(results: StudyResults) -> str:
    """Return how often tuning chose each number of neighbours and each threshold."""
    lines = []
    for name in VARIANTS:
        runs = results.runs[results.runs["method"] == name]
        points = [json.loads(text) for text in runs["params"]]
        lines.append(
            (
                name,
                *(str(sum(p["n_neighbors"] == k for p in points)) for k in K),
                *(
                    str(sum(p["similarity_threshold"] == t for p in points))
                    for t in THR
                ),
            )
        )
    headings = (
        "variant",
        *(f"k = {k}" for k in K),
        *(f"THR = {threshold}" for threshold in THR),
    )
    return _table(headings, lines)


def times(results: StudyResults) -> str:
    """Return the times of the runs of each method."""
    runs = results.runs
    lines = []
    for name in results.methods:
        chosen = runs[runs["method"] == name]
        seconds, saved = chosen["seconds"], chosen["seconds_saved"].sum()
        lines.append(
            (
                name,
                str(len(chosen)),
                f"{seconds.median():.1f} s",
                duration_text(seconds.sum()),
                duration_text(saved),
            )
        )
    lines.append(
        (
            "all",
            str(len(runs)),
            "",
            duration_text(runs["seconds"].sum()),
            duration_text(runs["seconds_saved"].sum()),
        )
    )
    headings = ("method", "runs", "median", "all runs", "saved by sharing")
    return _table(headings, lines)


def tries(results: StudyResults) -> str:
    """Return the scores for choices that the paper does not state."""
    blocks = results.blocks()
    means = blocks.groupby(level="fraction").mean()
    ahead = (blocks["LCN"] < blocks.T).T.sum()
    lines = [
        (
            name,
            *(f"{value:.4f}" for value in means[name]),
            f"{ahead[name]} of {len(blocks)}",
        )
        for name in blocks.columns
    ]
    fractions = [f"{100 * f:g} %" for f in means.index]
    return _table(("method", *fractions, "blocks above LCN"), lines)


def unstratified(results: StudyResults) -> str:
    """Return the same with labelled rows chosen at random."""
    return tries(results)


TABLES = {
    "paper_go": (
        ranks,
        tests,
        pairs,
        scores,
        macro,
        datasets,
        constant,
        gaps,
        cycles,
        chosen,
        times,
    ),
    "profiles": (tries,),
    "unstratified": (unstratified,),
}


def page(text: str) -> str:
    """Return the page with updated tables."""
    for study, makers in TABLES.items():
        results = StudyResults.read(RESULTS / study)
        for make in makers:
            text = _put(text, make.__name__, make(results))
    return text


def _put(text: str, name: str, table: str) -> str:
    start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    if text.count(start) != 1 or text.count(end) != 1:
        raise ValueError(
            f"{PAGE.name}: expected one {start} and one {end}, the place of the table "
            f"{name!r}; got {text.count(start)} and {text.count(end)}."
        )
    pattern = f"{re.escape(start)}.*?{re.escape(end)}"
    whole = f"{start}\n{table}\n{end}"
    return re.sub(pattern, lambda _: whole, text, flags=re.DOTALL)


def _verdict(first: str, second: str, gap: float, is_different: bool) -> str:
    better = first if gap > 0 else second
    return f"{better} better by {abs(gap):.3f}" if is_different else "not significant"


def _share(share: float) -> str:
    """Return a share as a percentage, bounded if the gap is tiny."""
    if abs(share) > 10:
        return "over 1,000 %" if share > 0 else "below -1,000 %"
    return f"{100 * share:.0f} %"


def _table(headings: tuple[str, ...], lines: list[tuple[str, ...]]) -> str:
    rows = [headings, ("---",) * len(headings), *lines]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
