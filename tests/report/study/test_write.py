"""The page and the files beside it."""

import re
from html.parser import HTMLParser

import pytest

from hilabel.exceptions import StudyStoreError
from hilabel.report.study import write_study_report
from hilabel.report.study._results import StudyResults
from hilabel.studies import block_scores, compare_ranks, gap_closed

FIGURES = {"scores", "gap", "depth", "frequency", "node_wins", "passes", "costs"}


class Outline(HTMLParser):
    """What a page is made of."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.headings, self.images = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.append(given["id"])
        if tag in {"a", "use", "link", "img", "script"}:
            self.links += [given[key] for key in ("href", "src") if key in given]
        if re.fullmatch(r"h\d", tag):
            self.headings.append(int(tag[1]))
        if given.get("role") == "img":
            self.images.append(given["aria-label"])


@pytest.fixture(scope="module")
def text(tiny_report):
    return tiny_report.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def outline(text):
    return Outline(text)


def test_figures_lie_beside_the_page_in_both_formats(tiny_report):
    names = FIGURES | {"critical_difference"}
    found = {path.name for path in (tiny_report.parent / "figures").iterdir()}
    assert found == {f"{name}.{kind}" for name in names for kind in ("png", "svg")}


def test_ranks_tests_and_gaps_are_those_of_the_statistics(text, tiny_store):
    results = StudyResults.read(tiny_store).tables["results"]
    comparison = compare_ranks(block_scores(results))
    for rank in comparison.mean_ranks:
        assert f">{rank:.3f}</td>" in text
    assert f"{comparison.friedman.chi_square:.2f} (p" in text
    assert f"{comparison.friedman.f_statistic:.1f} (p" in text
    assert f"{comparison.critical_difference:.4f}" in text
    gaps = gap_closed(results, {"V1": "LCN"})
    for share in gaps.groupby("fraction")["gap_closed"].median():
        assert f"{100 * share:.0f} %".replace("-", "\N{MINUS SIGN}") in text


def test_nothing_is_fetched_from_elsewhere(outline, tiny_report):
    for link in outline.links:
        assert link.startswith(("#", "data:")) or (tiny_report.parent / link).is_file()


def test_links_inside_the_page_arrive(outline):
    inside = {link[1:].split("?")[0] for link in outline.links if link[0] == "#"}
    assert inside <= set(outline.ids)
    assert len(outline.ids) == len(set(outline.ids))


def test_headings_have_no_gaps_and_figures_say_what_they_show(outline):
    assert outline.headings[0] == 1
    steps = zip(outline.headings, outline.headings[1:])
    assert all(later <= earlier + 1 for earlier, later in steps)
    told = [alt for alt in outline.images if alt]
    assert len(told) >= len(FIGURES)


def test_a_second_report_of_the_same_results_is_the_same(text, tiny_store, tmp_path):
    assert write_study_report(tiny_store, tmp_path).read_text(encoding="utf-8") == text


def test_an_empty_folder_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(StudyStoreError, match="this table of results"):
        write_study_report(tmp_path, tmp_path / "report")
    assert not (tmp_path / "report").exists()
