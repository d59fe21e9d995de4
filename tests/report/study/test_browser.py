"""The page in a real browser: it says nothing on the console, and it works."""

import base64

import pytest
from browser import Browser, find_browser

from hilabel.report.study._results import StudyResults
from hilabel.studies import block_scores

pytestmark = pytest.mark.skipif(
    find_browser() is None, reason="no Chromium here: apt-get install chromium"
)

# Rows of the table of scores that are to be seen, as text.
SHOWN = """
[...document.querySelectorAll("#rows-scores tbody tr")]
  .map(row => [...row.cells].map(cell => cell.textContent))
"""
PICK = """
(() => {
  const labels = [...document.querySelectorAll("#rows-scores label")];
  const label = labels.find(label => label.firstChild.textContent === %r);
  const select = label.querySelector("select");
  select.value = %r;
  select.dispatchEvent(new Event("change"));
})()
"""
SORT = """
(() => {
  const heads = [...document.querySelectorAll("#%s thead th")];
  heads.find(head => head.textContent === %r).querySelector("button").click();
})()
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def page(browser, tiny_report):
    browser.complaints.clear()
    browser.requests.clear()
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    browser.open(str(tiny_report))
    yield browser
    assert browser.complaints == []


def test_only_the_page_itself_is_asked_for(page, tiny_report):
    assert page.requests == [f"file://{tiny_report}"]
    assert page.evaluate("document.title") == "results \N{EN DASH} study report"


def test_filters_leave_the_rows_that_fit(page, tiny_store):
    blocks = block_scores(StudyResults.read(tiny_store).tables["results"])
    page.evaluate(PICK % ("data set", "dag"))
    page.evaluate(PICK % ("method", "V2"))
    rows = page.evaluate(SHOWN)
    assert [row[:3] for row in rows] == [["dag", "20 %", "V2"], ["dag", "50 %", "V2"]]
    assert [row[4] for row in rows] == [f"{v:.3f}" for v in blocks.loc["dag", "V2"]]
    count = page.evaluate(
        "document.querySelector('#rows-scores .pager span').innerText"
    )
    assert count.endswith("of 2 rows")


def test_a_search_finds_text_and_can_find_nothing(page):
    search = """
    (() => {
      const input = document.querySelector("#rows-scores input");
      input.value = %r;
      input.dispatchEvent(new Event("input"));
      return document.querySelectorAll("#rows-scores tbody tr").length;
    })()
    """
    assert page.evaluate(search % "CONSTANT") == 4
    assert page.evaluate(search % "no such text") == 0


def test_long_tables_are_sorted_both_ways_over_all_their_pages(page, tiny_store):
    results = StudyResults.read(tiny_store).tables["results"]
    rows = results[results["measure"] == "micro_average_precision"]
    means = rows.groupby(["dataset", "fraction", "method"])["value"].mean()
    for extreme in (means.min(), means.max()):
        page.evaluate(SORT % ("rows-scores", "micro AP"))
        assert page.evaluate(SHOWN)[0][4] == f"{extreme:.3f}"


def test_missing_values_come_last_in_both_directions(page):
    for _ in range(2):
        page.evaluate(SORT % ("rows-scores", "gap closed"))
        page.evaluate(
            "document.querySelectorAll('#rows-scores .pager button')[1].click()"
        )
        assert page.evaluate(SHOWN)[-1][7] == "\N{EN DASH}"


def test_small_tables_are_sorted_too(page):
    first = "document.querySelector('#table-ranks tbody td:nth-child(2)').textContent"
    column = "#table-ranks tbody tr"
    ranks = f"""
    [...document.querySelectorAll("{column}")].map(row => +row.cells[1].textContent)
    """
    page.evaluate(SORT % ("table-ranks", "mean rank"))
    page.evaluate(SORT % ("table-ranks", "mean rank"))
    values = page.evaluate(ranks)
    assert values == sorted(values, reverse=True)
    assert float(page.evaluate(first)) == max(values)


def test_a_panel_leads_to_its_rows(page):
    page.evaluate("document.querySelector('#figure-scores .panel-title a').click()")
    page.evaluate("new Promise(done => setTimeout(done, 50))")
    assert {row[0] for row in page.evaluate(SHOWN)} == {"tree"}


def test_every_link_to_rows_finds_some(page):
    links = page.evaluate(
        "[...document.querySelectorAll('figure a[href^=\"#rows\"]')].map(a => a.hash)"
    )
    assert len(links) > 8
    for link in links:
        page.evaluate(f"void (location.hash = {link!r})")
        page.evaluate("new Promise(done => setTimeout(done, 20))")
        table = link[1:].split("?")[0]
        script = f"document.querySelectorAll('#{table} tbody tr').length"
        assert page.evaluate(script) > 0, link


def test_a_method_is_brought_out_in_all_figures(page):
    page.evaluate("document.querySelector('.legend button[data-series=\"2\"]').click()")
    faded = "[...document.querySelectorAll('.series.faded')].map(e => e.classList[1])"
    assert set(page.evaluate(faded)) == {"series-0", "series-1", "series-3"}
    page.evaluate("document.querySelector('.legend button[data-series=\"2\"]').click()")
    assert page.evaluate(faded) == []


def test_dark_follows_the_reader_and_the_button(page):
    background = "getComputedStyle(document.body).backgroundColor"
    line = """
    getComputedStyle(document.querySelector('#figure-scores .series-1 path')).stroke
    """
    light = page.evaluate(background), page.evaluate(line)
    features = [{"name": "prefers-color-scheme", "value": "dark"}]
    page.call("Emulation.setEmulatedMedia", features=features)
    dark = page.evaluate(background), page.evaluate(line)
    assert not set(light) & set(dark)
    page.evaluate("document.getElementById('theme').click()")
    assert (page.evaluate(background), page.evaluate(line)) == light


def test_it_prints_in_light_colours_even_if_read_in_the_dark(page):
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    page.call("Emulation.setEmulatedMedia", media="print")
    ink = page.evaluate("getComputedStyle(document.body).color")
    assert ink == "rgb(29, 32, 39)"
    shown = "getComputedStyle(document.querySelector('.controls')).display"
    assert page.evaluate(shown) == "none"
    document = base64.b64decode(page.call("Page.printToPDF")["data"])
    assert document.startswith(b"%PDF")
    assert document.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("width", [360, 800, 1600])
def test_the_page_never_scrolls_sideways(page, width):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    page.call("Emulation.setDeviceMetricsOverride", **size)
    extra = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(extra) <= 0
