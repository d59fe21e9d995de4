"""Generate sentences about the main results of a study."""

import pandas as pd

from hilabel.report.study._results import StudyResults, measure_title
from hilabel.report.study._verdict import Published, Verdict
from hilabel.studies import stale_sentence

MINUS = "\N{MINUS SIGN}"
# More names would make a sentence unreadable.
_NAMED_METHODS = 6


def findings(
    results: StudyResults,
    verdict: Verdict | None,
    paper: Verdict | None,
    published: Published | None,
) -> list[str]:
    """Return the main results, each described in one or two sentences."""
    said = [_rank_sentence(results, verdict)]
    said.append(constant_sentence(results, verdict))
    said.append(_gap_sentence(results))
    said.append(_published_sentence(paper, published))
    said.append(_completeness_sentence(results))
    said.append(_stale_sentence(results))
    return [sentence for sentence in said if sentence]


def constant_losses(results: StudyResults) -> pd.DataFrame:
    """Return how often each method loses to the constant predictor.

    The table has one row for every method except the constant predictor. Its columns
    ``n_datasets`` and ``n_blocks`` count the data sets and blocks in which both have a
    score; ``lost_datasets`` and ``lost_blocks`` count those in which the method loses.
    For data sets, the means over fractions are compared. The table is empty if the
    study has no constant predictor.
    """
    blocks = results.blocks()
    if results.constant not in blocks:
        return pd.DataFrame()
    sign = 1 if results.higher_is_better(results.measure) else -1
    rows = []
    for method in blocks.columns.drop(results.constant):
        lead = (sign * (blocks[results.constant] - blocks[method])).dropna()
        by_dataset = lead.groupby(level="dataset").mean()
        rows.append(
            {
                "method": method,
                "lost_datasets": int((by_dataset > 0).sum()),
                "n_datasets": len(by_dataset),
                "lost_blocks": int((lead > 0).sum()),
                "n_blocks": len(lead),
            }
        )
    return pd.DataFrame(rows)


def constant_sentence(results: StudyResults, verdict: Verdict | None) -> str:
    """Return a sentence that compares the constant predictor with other methods."""
    losses = constant_losses(results)
    if losses.empty:
        return ""
    rows = losses.to_dict("records")
    beaten = [
        f"{row['method']} on {row['lost_datasets']} of {row['n_datasets']}"
        for row in rows
        if row["lost_datasets"]
    ]
    rest = [row["method"] for row in rows if not row["lost_datasets"]]
    start = f"The constant predictor ({results.constant}), which ignores the features,"
    place = ""
    if verdict is not None and results.constant in verdict.comparison.mean_ranks:
        order = list(verdict.comparison.mean_ranks.index)
        rank = verdict.comparison.mean_ranks[results.constant]
        number = order.index(results.constant) + 1
        place = f" Its mean rank is {rank:.3f}, place {number} of {len(order)}."
    if not beaten:
        return f"{start} beats no other method on any data set.{place}"
    if len(rest) > _NAMED_METHODS:
        rest = [f"any of the other {len(rest)} methods"]
    never = f"; it never beats {joined(rest, 'or')}" if rest else ""
    return f"{start} beats {joined(beaten)} data sets{never}.{place}"


def joined(words: list[str], last: str = "and") -> str:
    """Join words into a list such as "a, b and c".

    Examples
    --------
    >>> from hilabel.report.study._findings import joined
    >>> joined(["a"]), joined(["a", "b", "c"])
    ('a', 'a, b and c')
    """
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def duration_text(seconds: float) -> str:
    """Format a duration in a suitable unit.

    Examples
    --------
    >>> from hilabel.report.study._findings import duration_text
    >>> duration_text(7.31), duration_text(150), duration_text(9000)
    ('7.3 s', '2.5 min', '2.5 h')
    """
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"


def percent_text(share: float, digits: int = 0) -> str:
    """Format a fraction as a percentage, with a true minus sign.

    Examples
    --------
    >>> from hilabel.report.study._findings import percent_text
    >>> percent_text(0.253), percent_text(0.0712, 1)
    ('25 %', '7.1 %')
    """
    return f"{100 * share:.{digits}f} %".replace("-", MINUS)


def p_text(p: float) -> str:
    """Format a p-value.

    Examples
    --------
    >>> from hilabel.report.study._findings import p_text
    >>> p_text(0.0312), p_text(1e-9)
    ('p = 0.031', 'p < 0.001')
    """
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _rank_sentence(results: StudyResults, verdict: Verdict | None) -> str:
    if verdict is None:
        return (
            "There are too few blocks (a data set at a labelled fraction) with a score "
            "of every method for ranks and tests."
        )
    ranks = verdict.comparison.mean_ranks
    best = str(ranks.index[0])
    measure = measure_title(results.measure)
    n_blocks = verdict.comparison.friedman.n_blocks
    start = (
        f"By {measure}, {best} ranks best: mean rank {ranks.iloc[0]:.3f} among "
        f"{len(ranks)} methods over {n_blocks} blocks."
    )
    p = p_text(verdict.comparison.friedman.chi_square_p)
    if not verdict.is_different:
        return f"{start} But the methods do not differ significantly (Friedman, {p})."
    same = [str(m) for m in ranks.index[1:] if not verdict.differ(best, str(m))]
    if not same:
        return f"{start} It differs significantly from every other method (Nemenyi)."
    same_text = joined(same, "or")
    return f"{start} It does not differ significantly from {same_text} (Nemenyi)."


def _gap_sentence(results: StudyResults) -> str:
    gaps = results.gaps.dropna(subset="gap_closed")
    gaps = gaps[gaps["method"].isin(results.semi_supervised)]
    if gaps.empty:
        return ""
    medians = gaps.groupby("method", sort=False)["gap_closed"].median()
    medians = medians.sort_values(ascending=False)
    best, worst = str(medians.index[0]), str(medians.index[-1])
    total = percent_text(results.gap_totals("method")[best])
    share = f"{percent_text(medians.iloc[0])} (median over blocks; {total} in total)"
    gap = f"the gap to {results.supervised[best]} with all labels"
    if medians.iloc[0] <= 0:
        return (
            f"No method that uses unlabelled rows closes {gap}: the best, {best}, "
            f"closes {share}."
        )
    start = f"Of the methods that use unlabelled rows, {best} closes most of {gap}"
    if best == worst:
        return f"{start}: {share}."
    return f"{start}: {share}; {worst} closes least, {percent_text(medians.iloc[-1])}."


def _published_sentence(paper: Verdict | None, published: Published | None) -> str:
    if paper is None or published is None:
        return ""
    ours = list(paper.comparison.mean_ranks.index)
    theirs = sorted(published.ranks, key=lambda name: published.ranks[name])
    same = "the same as" if ours == theirs else "not"
    return (
        f"Among the paper's six methods, the order is {', '.join(ours)}; it is {same} "
        f"the published one, {', '.join(theirs)}."
    )


def _completeness_sentence(results: StudyResults) -> str:
    n_failed, n_left = len(results.failed), results.n_planned - len(results.runs)
    said = []
    if n_left > 0:
        said.append(
            f"{n_left} of {results.n_planned} runs have not finished yet "
            f"({_where_missing(results)})"
        )
    if n_failed:
        said.append(f"{n_failed} of {len(results.runs)} finished runs failed")
    return f"{joined(said)}; their results are missing." if said else ""


def _where_missing(results: StudyResults) -> str:
    """Return the methods and data sets of which runs are missing."""
    groups = results.missing[results.missing["n_missing"] > 0]
    parts = []
    for kind, title in (("method", "methods"), ("dataset", "data sets")):
        names = list(groups[kind].unique())
        is_all = len(names) == results.missing[kind].nunique()
        is_short = len(names) <= _NAMED_METHODS
        some = joined(names) if is_short else f"{len(names)} {title}"
        parts.append(f"all {title}" if is_all else some)
    return " on ".join(parts)


def _stale_sentence(results: StudyResults) -> str:
    if not results.stale:
        return ""
    told = ". ".join(stale_sentence(method, n) for method, n in results.stale.items())
    return f"{told}. 'hilabel study run' computes stale results again."
