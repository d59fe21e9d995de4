"""The page in a real browser: it says nothing on the console, and it works."""

import pytest

from hilabel.report.study._results import StudyResults
from hilabel.studies import block_scores

sync_api = pytest.importorskip("playwright.sync_api")


@pytest.fixture
def page(visit, tiny_report):
    return visit(tiny_report)


def shown(page):
    """Return the rows of the table of scores that are to be seen, as text."""
    return [
        row.locator("td").all_text_contents()
        for row in page.locator("#rows-scores tbody tr").all()
    ]


def sort(page, table, column):
    page.locator(f"#{table} thead").get_by_role("button", name=column).click()


def test_only_the_page_itself_is_asked_for(page, tiny_report):
    assert page.requests == [tiny_report.as_uri()]
    assert page.title() == "results \N{EN DASH} study report"


def test_filters_leave_the_rows_that_fit(page, tiny_store):
    blocks = block_scores(StudyResults.read(tiny_store).tables["results"])
    scores = page.locator("#rows-scores")
    scores.get_by_label("data set").select_option("dag")
    scores.get_by_label("method").select_option("V2")
    rows = shown(page)
    assert [row[:3] for row in rows] == [["dag", "20 %", "V2"], ["dag", "50 %", "V2"]]
    assert [row[4] for row in rows] == [f"{v:.3f}" for v in blocks.loc["dag", "V2"]]
    assert scores.locator(".pager span").inner_text().endswith("of 2 rows")


def test_a_search_finds_text_and_can_find_nothing(page):
    for text, n_rows in (("CONSTANT", 4), ("no such text", 0)):
        page.locator("#rows-scores input").fill(text)
        assert len(shown(page)) == n_rows


def test_long_tables_are_sorted_both_ways_over_all_their_pages(page, tiny_store):
    results = StudyResults.read(tiny_store).tables["results"]
    rows = results[results["measure"] == "micro_average_precision"]
    means = rows.groupby(["dataset", "fraction", "method"])["value"].mean()
    for extreme in (means.min(), means.max()):
        sort(page, "rows-scores", "micro AP")
        assert shown(page)[0][4] == f"{extreme:.3f}"


def test_missing_values_come_last_in_both_directions(page):
    for _ in range(2):
        sort(page, "rows-scores", "gap closed")
        following = page.locator("#rows-scores .pager button").nth(1)
        if following.is_enabled():
            following.click()
        assert shown(page)[-1][7] == "\N{EN DASH}"


def test_small_tables_are_sorted_too(page):
    for _ in range(2):
        sort(page, "table-ranks", "mean rank")
    ranks = page.locator("#table-ranks tbody td:nth-child(2)").all_text_contents()
    assert ranks == sorted(ranks, key=float, reverse=True)


def test_a_panel_leads_to_its_rows(page):
    page.locator("#figure-scores .panel-title a").first.click()
    sync_api.expect(page.locator("#rows-scores tbody tr")).to_have_count(9)
    assert {row[0] for row in shown(page)} == {"tree"}


def test_every_link_to_rows_finds_some(page):
    links = page.locator("figure a[href^='#rows']")
    assert links.count() > 8
    for link in links.all():
        link.evaluate("link => link.click()")
        table = link.get_attribute("href").split("?")[0]
        sync_api.expect(page.locator(f"{table} tbody tr")).not_to_have_count(0)


def test_a_method_is_brought_out_in_all_figures(page):
    button = page.locator(".legend button[data-series='2']").first
    faded = "[...document.querySelectorAll('.series.faded')].map(e => e.classList[1])"
    button.click()
    assert set(page.evaluate(faded)) == {"series-0", "series-1", "series-3"}
    button.click()
    assert page.evaluate(faded) == []


def test_dark_follows_the_reader_and_the_button(page):
    colors = """[
      getComputedStyle(document.body).backgroundColor,
      getComputedStyle(document.querySelector('#figure-scores .series-1 path')).stroke
    ]"""
    light = page.evaluate(colors)
    page.emulate_media(color_scheme="dark")
    assert not set(light) & set(page.evaluate(colors))
    page.locator("#theme").click()
    assert page.evaluate(colors) == light


def test_it_prints_in_light_colours_even_if_read_in_the_dark(page):
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.emulate_media(media="print")
    sync_api.expect(page.locator("body")).to_have_css("color", "rgb(29, 32, 39)")
    assert not page.locator(".controls").first.is_visible()
    document = page.pdf()
    assert document.startswith(b"%PDF")
    assert document.rstrip().endswith(b"%%EOF")


def test_the_page_never_scrolls_sideways(page):
    extra = "document.documentElement.scrollWidth - window.innerWidth"
    for width in (360, 800, 1600):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(extra) <= 0, width
