"""The small tables on a page: ranks, tests, costs, failures and methods."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd

from hilabel.report.study._costs import cost_table
from hilabel.report.study._findings import constant_losses, p_text
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._pseudo_labeling import stop_reasons
from hilabel.report.study._results import StudyResults, measure_title
from hilabel.report.study._tables import (
    Column,
    Table,
    fraction_column,
    numbers,
    settings_text,
    texts,
    value_text,
)
from hilabel.report.study._verdict import Published, Verdict, measure_ranks
from hilabel.studies import FriedmanResult

_VERSIONS = ("hilabel", "commit", "python", "numpy", "scipy", "scikit_learn")


@dataclass(frozen=True, eq=False)
class Summaries:
    """Tables that fit on a screen, each computed on demand."""

    results: StudyResults
    verdict: Verdict | None
    paper_verdict: Verdict | None
    published: Published | None

    def ranks(self) -> Table:
        """Return mean ranks, mean scores and, if available, the published ranks."""
        assert self.verdict is not None
        ranks = self.verdict.comparison.mean_ranks
        frame = ranks.rename("rank").rename_axis("method").reset_index()
        frame["score"] = frame["method"].map(self.verdict.blocks.mean())
        score = f"mean {measure_title(self.results.measure)}"
        columns = [*texts(method="method"), *numbers(3, rank="mean rank", score=score)]
        if self.paper_verdict is not None and self.published is not None:
            six = self.paper_verdict.comparison.mean_ranks
            frame["six"] = frame["method"].map(six)
            frame["published"] = frame["method"].map(self.published.ranks)
            columns += numbers(3, six="among the paper's six")
            columns += numbers(3, published="published rank")
        return Table("ranks", "Mean ranks, 1 is best", columns, frame)

    def tests(self) -> Table:
        """Return the results of Friedman's test, with one column per set of methods."""
        assert self.verdict is not None
        sides = {"all methods": _test_cells(self.verdict)}
        if self.paper_verdict is not None and self.published is not None:
            sides["the paper's six"] = _test_cells(self.paper_verdict)
            sides["published"] = _friedman_cells(
                self.published.friedman, self.published.critical_difference
            )
        frame = pd.DataFrame(sides).rename_axis("test").reset_index()
        columns = [Column(str(key), str(key)) for key in frame.columns]
        columns[0] = Column("test", "")
        return Table("tests", "Are the methods different?", columns, frame)

    def pairs(self) -> Table:
        """Return the difference in ranks and the p-values for each pair of methods.

        Nemenyi's test is only for methods among which Friedman's finds a difference.
        """
        assert self.verdict is not None
        comparison = self.verdict.comparison
        ranks = comparison.mean_ranks
        rows = [
            {
                "better": first,
                "worse": second,
                "difference": ranks[second] - ranks[first],
                "verdict": "significant"
                if self.verdict.differ(first, second)
                else "not significant",
                "nemenyi": comparison.nemenyi.loc[first, second],
                "wilcoxon": comparison.wilcoxon.loc[first, second],
            }
            for first, second in combinations(ranks.index, 2)
        ]
        columns = texts(better="better rank", worse="worse rank")
        columns += numbers(3, difference="difference of ranks")
        if self.verdict.is_different:
            columns += texts(verdict="by critical difference")
            columns += numbers(4, nemenyi="p (Nemenyi)")
        columns += numbers(4, wilcoxon="p (Wilcoxon, Holm)")
        return Table("pairs", "Pairs of methods", columns, pd.DataFrame(rows))

    def measure_ranks(self) -> Table:
        """Return the mean rank of each method for every measure."""
        assert self.verdict is not None
        frame = measure_ranks(self.results, self.verdict)
        titles = {str(measure): measure_title(str(measure)) for measure in frame}
        columns = [*texts(method="method"), *numbers(2, **titles)]
        frame = frame.rename_axis("method").reset_index()
        return Table("measure_ranks", "Mean ranks by every measure", columns, frame)

    def constant(self) -> Table:
        """Return how often the constant predictor beats each method."""
        frame = constant_losses(self.results)
        columns = texts(method="method")
        if not frame.empty:
            frame["datasets"] = _of(frame["lost_datasets"], frame["n_datasets"])
            frame["blocks"] = _of(frame["lost_blocks"], frame["n_blocks"])
            columns += texts(datasets="data sets lost", blocks="blocks lost")
        caption = "Losses to the constant predictor"
        return Table("constant", caption, columns, frame)

    def gaps(self) -> Table:
        """Return the proportion of the label gap closed at each labelled fraction."""
        gaps = self.results.gaps.dropna(subset="gap_closed")
        wide = gaps.pivot_table(
            index="method", columns="fraction", values="gap_closed", aggfunc="median"
        )
        known = [name for name in self.results.methods if name in wide.index]
        wide = wide.loc[known]
        totals = self.results.gap_totals(["method", "fraction"])
        columns = texts(method="method")
        for fraction in wide.columns:
            title = f"{100 * fraction:g} % labelled"
            columns.append(Column(str(fraction), f"{title}, median", "percent"))
            columns.append(Column(f"{fraction} total", f"{title}, total", "percent"))
            wide[f"{fraction} total"] = totals.xs(fraction, level="fraction")
        wide.columns = wide.columns.map(str)
        caption = "Share of the label gap closed: median of data sets, and all together"
        return Table("gaps", caption, columns, wide.reset_index())

    def costs(self) -> Table:
        """Return the running time and memory use of each method."""
        columns = [
            *texts(method="method"),
            *numbers(n_runs="runs"),
            *numbers(2, seconds="median s", seconds_low="minimum s"),
            *numbers(2, seconds_high="maximum s"),
            *numbers(1, total_seconds="total s", saved_seconds="saved s"),
            *numbers(memory="median MiB", memory_high="maximum MiB"),
        ]
        frame = cost_table(self.results)
        return Table("cost", "Seconds and memory of a run", columns, frame)

    def stops(self) -> Table:
        """Return why the passes of each method ended."""
        frame = stop_reasons(self.results)
        columns = texts(method="method", unit="counted")
        columns += numbers(1, n_passes="mean passes")
        reasons = frame.columns.drop([c.key for c in columns], errors="ignore")
        columns += numbers(**{reason: reason.replace("_", " ") for reason in reasons})
        return Table("stops", "Why passes ended", columns, frame)

    @staticmethod
    def node_wins(display: PanelDisplay) -> Table:
        """Return the number of nodes on which each method beats its counterpart."""
        columns = texts(method="method", counterpart="compared with")
        columns += numbers(better="nodes better", equal="equal", worse="worse")
        caption = "Nodes compared with the supervised counterpart"
        return Table("node_wins", caption, columns, display.frame())

    def failures(self) -> Table:
        """Return the runs that failed."""
        columns = [
            *texts(dataset="data set"),
            fraction_column(self.results.failed["fraction"]),
            *texts(method="method"),
            *numbers(repetition="rep."),
            *texts(error="error", run="run"),
        ]
        return Table("failures", "Failed runs", columns, self.results.failed)

    def missing(self) -> Table:
        """Return the number of missing runs, with one column per method."""
        frame = self.results.missing
        frame = frame[frame["n_missing"] > 0]
        counts = _of(frame["n_missing"], frame["n_planned"])
        wide = frame.assign(counts=counts).pivot_table(
            index="dataset", columns="method", values="counts", aggfunc="first"
        )
        datasets, methods = frame["dataset"].unique(), frame["method"].unique()
        wide = wide.reindex(index=datasets, columns=methods).reset_index()
        columns = [*texts(dataset="data set"), *map(Column, methods, methods)]
        return Table("missing", "Runs that are missing", columns, wide)

    def grid_failures(self) -> Table:
        """Return each grid point that failed, with the number of its runs."""
        grid = self.results.tables["grid"]
        failed = grid[grid["error"] != ""]
        groups = failed.groupby(["method", "params"], sort=False)
        frame = groups.agg(n_runs=("run", "size"), error=("error", "first"))
        frame = frame.reset_index()
        frame["params"] = frame["params"].map(settings_text)
        columns = texts(method="method", params="grid point")
        columns += [*numbers(n_runs="runs"), *texts(error="first error")]
        return Table("grid_failures", "Failed grid points", columns, frame)

    def warnings(self) -> Table:
        """Return each warning once, with the number of runs that issued it."""
        runs = self.results.runs
        given = runs.assign(warning=runs["warnings"].str.split("\n")).explode("warning")
        given = given[given["warning"] != ""]
        groups = given.groupby(["method", "warning"], sort=False)
        frame = groups.size().rename("n_runs").reset_index()
        columns = texts(method="method") + numbers(n_runs="runs")
        columns += texts(warning="warning")
        return Table("warnings", "Warnings", columns, frame)

    def methods(self) -> Table:
        """Return the settings that the study file defines for each method."""
        specs = self.results.study.methods if self.results.study else ()
        rows = [
            {
                "method": spec.name,
                "class_name": spec.class_name,
                "params": _settings(spec.params),
                "grid": _settings(spec.grid),
                "features": f"imputation {spec.preprocessing.imputation}, "
                f"scaling {spec.preprocessing.scaling}",
                "supervised": self.results.supervised.get(spec.name, ""),
            }
            for spec in specs
        ]
        columns = texts(method="method", class_name="class", params="parameters")
        columns += texts(grid="tuned over", features="features")
        columns += texts(supervised="compared with")
        return Table("methods", "Methods", columns, pd.DataFrame(rows))

    def versions(self) -> dict[str, str]:
        """Return the software versions used for the runs."""
        runs = self.results.runs
        found = {
            name.replace("_", "-"): ", ".join(v for v in runs[name].unique() if v)
            for name in _VERSIONS
        }
        return {name: text for name, text in found.items() if text}


def _test_cells(verdict: Verdict) -> dict[str, str]:
    comparison = verdict.comparison
    return _friedman_cells(comparison.friedman, comparison.critical_difference)


def _friedman_cells(friedman: FriedmanResult, difference: float) -> dict[str, str]:
    k, n = friedman.n_methods, friedman.n_blocks
    davenport = f"{friedman.f_statistic:.1f} ({p_text(friedman.f_p)})"
    if math.isnan(friedman.f_statistic):
        davenport = "undefined: all blocks rank the methods alike"
    return {
        "methods, blocks": f"{k}, {n}",
        "Friedman χ²": f"{friedman.chi_square:.2f} ({p_text(friedman.chi_square_p)})",
        "Iman-Davenport F": davenport,
        "critical difference (Nemenyi, 5 %)": f"{difference:.4f}",
    }


def _of(counts: pd.Series, totals: pd.Series) -> pd.Series:
    return counts.astype(str) + " of " + totals.astype(str)


def _settings(values: dict[str, Any]) -> str:
    return ", ".join(f"{key} = {_setting(value)}" for key, value in values.items())


def _setting(value: Any) -> str:
    if isinstance(value, list):  # the values of a grid
        return f"[{', '.join(map(_setting, value))}]"
    return value_text(value)
