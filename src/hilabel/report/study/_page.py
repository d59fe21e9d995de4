"""The page about a study: a template with displays and tables."""

from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from hilabel.report._style import new_figure
from hilabel.report.page._template import render_template
from hilabel.report.study._costs import CostDisplay, cost_table
from hilabel.report.study._critical_difference import CriticalDifferenceDiagram
from hilabel.report.study._curves import (
    DepthCurves,
    FrequencyCurves,
    GapCurves,
    ScoreCurves,
)
from hilabel.report.study._findings import constant_sentence, duration_text, findings
from hilabel.report.study._look import Look, figure_style, looks_of
from hilabel.report.study._nodes import NodeWins, node_means, notable_nodes
from hilabel.report.study._panels import PanelDisplay
from hilabel.report.study._pseudo_labeling import PassCurves, pass_table
from hilabel.report.study._results import StudyResults, measure_title
from hilabel.report.study._summaries import Summaries
from hilabel.report.study._svg import inline_svg
from hilabel.report.study._tables import (
    Table,
    depth_rows,
    frequency_rows,
    node_rows,
    pass_rows,
    run_rows,
    score_rows,
)
from hilabel.report.study._verdict import (
    PUBLISHED_RANKS,
    Published,
    Verdict,
    compare_study,
    published_verdict,
)

_KEY_SIZE = (0.44, 0.17)  # inches


@dataclass(frozen=True)
class PanelView:
    """A panel of the page."""

    title: str
    svg: str


class StudyPage:
    """The contents of a study's page, computed once."""

    def __init__(self, results: StudyResults) -> None:
        self.results = results
        self.looks: dict[str, Look] = looks_of(results.methods, results.constant)

    # Results ------------------------------------------------------------------------

    @cached_property
    def verdict(self) -> Verdict | None:
        """The tests that compare all methods."""
        return compare_study(self.results)

    @cached_property
    def published(self) -> Published | None:
        """The published ranks, if the study includes the paper's methods."""
        return published_verdict(self.results)

    @cached_property
    def paper_verdict(self) -> Verdict | None:
        """The tests that compare only the paper's methods."""
        if self.published is None:
            return None
        return compare_study(self.results, list(PUBLISHED_RANKS))

    @cached_property
    def findings(self) -> list[str]:
        """The main results as sentences."""
        return findings(self.results, self.verdict, self.paper_verdict, self.published)

    @cached_property
    def summaries(self) -> Summaries:
        """The small tables of the page."""
        return Summaries(self.results, self.verdict, self.paper_verdict, self.published)

    @property
    def constant_sentence(self) -> str:
        """A sentence that compares the constant predictor with the other methods."""
        return constant_sentence(self.results, self.verdict)

    @property
    def computing_time(self) -> str:
        """The total time of all runs."""
        return duration_text(float(self.results.runs["seconds"].sum()))

    @cached_property
    def focus(self) -> str | None:
        """The method whose effect on nodes is shown: the best one with a counterpart.

        Methods that report pseudo-labels have priority.
        """
        present = set(self._node_means["method"])
        known = [
            name
            for name, other in self.results.supervised.items()
            if name in present and other in present
        ]
        with_passes = set(self.results.tables["passes"]["method"])
        candidates = [name for name in known if name in with_passes] or known
        if self.verdict is not None:
            order = list(self.verdict.comparison.mean_ranks.index)
            candidates.sort(key=lambda n: order.index(n) if n in order else len(order))
        return candidates[0] if candidates else None

    @cached_property
    def _node_means(self) -> pd.DataFrame:
        return node_means(self.results)

    # Figures and tables -------------------------------------------------------------

    @cached_property
    def displays(self) -> dict[str, PanelDisplay]:
        """Mapping from names to the figures that are not empty."""
        results, looks = self.results, self.looks
        costs = cost_table(results)
        nodes = self._node_means
        supervised = results.supervised
        displays: list[PanelDisplay] = [
            ScoreCurves.from_results(results, looks),
            GapCurves.from_results(results, looks),
            DepthCurves.from_results(results, looks),
            FrequencyCurves.from_nodes(nodes, looks),
            NodeWins.from_nodes(nodes, supervised, looks),
            PassCurves(pass_table(results), looks),
            CostDisplay(costs, looks),
        ]
        if self.verdict is not None:
            displays.append(CriticalDifferenceDiagram(self.verdict, looks))
        return {display.name: display for display in displays if display}

    @cached_property
    def tables(self) -> dict[str, Table]:
        """Mapping from names to long tables, which readers can sort and filter."""
        nodes = notable_nodes(self._node_means, self.focus, self.results.supervised)
        tables = [
            score_rows(self.results, self.verdict),
            run_rows(self.results),
            depth_rows(self.results),
            frequency_rows(FrequencyCurves.from_nodes(self._node_means, self.looks)),
            node_rows(nodes, list(self.results.methods), self.focus),
            pass_rows(self.results),
        ]
        return {table.name: table for table in tables if table}

    def panels(self, name: str) -> list[PanelView]:
        """Return the panels of a figure, ready for the page."""
        display = self.displays[name]
        views = []
        for number, panel in enumerate(display.panels):
            figure = display.plot_panel(panel)
            with figure_style():
                svg = inline_svg(figure, f"{name}-{number}", display.describe(panel))
            views.append(PanelView(panel, svg))
        return views

    def key(self, method: str) -> str:
        """Return the line and marker of a method as an SVG element for legends."""
        look = self.looks[method]
        with figure_style():
            figure = new_figure(*_KEY_SIZE)
            figure.set_layout_engine("none")
            axes = figure.add_axes((0, 0, 1, 1))
            axes.set_axis_off()
            axes.set_xlim(0, 2)
            axes.plot(
                [0, 1, 2], [0, 0, 0], **{**look.line(), "gid": None}, markevery=[1]
            )
            return inline_svg(figure, f"key-{look.number}", "")

    # The page -----------------------------------------------------------------------

    def html(self) -> str:
        """Return the self-contained page with styles, scripts, figures and tables."""
        values = {
            "title": f"{self.results.title} \N{EN DASH} study report",
            "page": self,
            "results": self.results,
            "measure": measure_title(self.results.measure),
        }
        return render_template("study", "study", values)
