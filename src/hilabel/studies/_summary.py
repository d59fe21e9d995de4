"""Summary tables of the results."""

from collections.abc import Iterable, Mapping

import pandas as pd

from hilabel.studies._measures import DEFAULT_MEASURES, MEASURES

_BLOCK = ["dataset", "fraction"]


def block_scores(
    results: pd.DataFrame,
    measure: str = DEFAULT_MEASURES[0],
    methods: Iterable[str] | None = None,
    fractions: Iterable[float] | None = None,
) -> pd.DataFrame:
    """Return a table of scores with one row per block and one column per method.

    A block is a data set at a labelled fraction.

    Parameters
    ----------
    results : DataFrame
        The table ``results`` of a study.
    measure : str, default="micro_average_precision"
    methods : iterable of str, optional
        Only these methods; by default, all in the order of the study.
    fractions : iterable of float, optional
        Only these fractions, as in ``Study.fractions``. By default, all except a
        fraction of 1 if some methods have no results there, because only supervised
        counterparts were run to compute the gap.

    Returns
    -------
    DataFrame
        Means over the repetitions, NaN if no run succeeded.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import block_scores
    >>> results = pd.DataFrame(
    ...     {
    ...         "dataset": "tree",
    ...         "fraction": 0.1,
    ...         "method": ["V1", "V1", "V2", "V2"],
    ...         "measure": "fmax",
    ...         "value": [0.25, 0.75, 0.5, 1.0],
    ...     }
    ... )
    >>> block_scores(results, "fmax")
    method             V1    V2
    dataset fraction
    tree    0.1       0.5  0.75
    """
    rows = results[results["measure"] == measure]
    chosen = list(rows["method"].unique() if methods is None else methods)
    unknown = [name for name in chosen if name not in set(rows["method"])]
    if unknown:
        raise ValueError(
            f"Expected methods with results in {measure!r}, got {unknown[0]!r}; there "
            f"are {', '.join(map(str, rows['method'].unique()))}."
        )
    table = rows.pivot_table(
        index=_BLOCK, columns="method", values="value", aggfunc="mean", sort=False
    )
    here = table.index.get_level_values("fraction")
    if fractions is not None:
        return table.loc[here.isin(list(fractions)), chosen]
    is_partial = table.isna().any(axis=1).to_numpy()
    return table.loc[~((here == 1) & is_partial), chosen]


def gap_closed(
    results: pd.DataFrame,
    supervised: Mapping[str, str],
    measure: str = DEFAULT_MEASURES[0],
) -> pd.DataFrame:
    """Return the proportion of the label gap that each method closed.

    The gap is what a supervised method gains from all labels: its score with all rows
    labelled minus its score at the given labelled fraction. The proportion closed is
    (score - supervised at this fraction) / (supervised at 100 % - supervised at this
    fraction): 0 is as good as training on the labelled rows alone, and 1 is as good as
    training with all labels. For a loss, such as ``hamming_loss``, lower is better.

    Parameters
    ----------
    results : DataFrame
        The table ``results`` of a study.
    supervised : mapping of str to str
        The supervised counterpart of each method, as in ``Study.supervised``.
    measure : str, default="micro_average_precision"

    Returns
    -------
    DataFrame with one row per data set, fraction and method, and the columns
        ``dataset``, ``fraction``, ``method``, ``score``, ``supervised_score``,
        ``full_score``, and ``gap_closed``, from means over repetitions. If all labels
        do not improve the score, there is no gap to close and ``gap_closed`` is NaN.

    Examples
    --------
    >>> import pandas as pd
    >>> from hilabel.studies import gap_closed
    >>> results = pd.DataFrame(
    ...     {
    ...         "dataset": "tree",
    ...         "fraction": [0.1, 0.1, 1.0],
    ...         "method": ["LCN", "V2", "LCN"],
    ...         "measure": "fmax",
    ...         "value": [0.5, 0.625, 1.0],
    ...     }
    ... )
    >>> gap_closed(results, {"V2": "LCN"}, "fmax")["gap_closed"].tolist()
    [0.25]
    """
    rows = results[results["measure"] == measure]
    means = rows.groupby(["dataset", "fraction", "method"], sort=False)["value"].mean()
    is_loss = measure in MEASURES and not MEASURES[measure].higher_is_better
    lines = []
    for (dataset, fraction, method), score in means.items():
        other = supervised.get(method)
        if other is None or fraction == 1:
            continue
        here = means.get((dataset, fraction, other), float("nan"))
        full = means.get((dataset, 1.0, other), float("nan"))
        gap = full - here
        has_gap = gap < 0 if is_loss else gap > 0
        share = (score - here) / gap if has_gap else float("nan")
        lines.append((dataset, fraction, method, score, here, full, share))
    columns = ["dataset", "fraction", "method", "score"]
    columns += ["supervised_score", "full_score", "gap_closed"]
    return pd.DataFrame(lines, columns=columns)
