"""The page of a model in a real browser: it says nothing on the console, and works."""

import csv
import io
import re
from urllib.parse import quote

import pytest
from page_cases import N_PLANTS, ODD_NAMES, TERMS, small_payload

from hilabel.report.page._template import render

sync_api = pytest.importorskip("playwright.sync_api")
expect = sync_api.expect
PHONE = {"width": 390, "height": 800}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    path.write_text(render(small_payload()), encoding="utf-8")
    return path


@pytest.fixture
def page(visit, file):
    page = visit(file)
    yield page
    assert page.requests == [file.as_uri()], "a request left the page"


def address(**parts):
    return "#" + "&".join(f"{key}={quote(value)}" for key, value in parts.items())


def go(page, hash):
    page.evaluate("hash => { location.hash = hash }", hash)


def go_to_term(page, name):
    go(page, address(term=f"T:{TERMS.index(name)}"))


def box(page, name):
    """Return the box of a term in the tree."""
    labels = page.get_by_role("treeitem")
    return labels.filter(has=page.locator("title", has_text=name)).first


def cells(page, table, column):
    return page.locator(f"#table-{table} tbody td:nth-child({column})")


# The first screen ---------------------------------------------------------------------


def test_the_first_screen_tells_how_good_the_model_is(page):
    assert page.title() == "Fish & <others>"
    scores = page.locator("#scores")
    expect(scores.locator(".better")).to_have_text("\u25b2 0.200 better")
    expect(scores.locator(".worse")).to_have_text("\u25bc 0.100 worse")
    main = page.locator("main")
    for text in (
        "5 terms are not measured.",
        "Decision: a row gets a term from probability 0.50 on.",
        "Unlabelled rows: they gave nothing.",
        "Of 100 rows 4 are here.",
        "measured",
        "n_estimators=7",
        "Impute: nothing is missing",
        "1 of 3 candidates was not tried: network (JAX is not installed; it takes "
        "about 62 s).",
    ):
        expect(main).to_contain_text(text)
    expect(page.locator("#precision-recall .curve path")).to_have_count(4)
    expect(cells(page, "candidates", 1)).to_have_text(
        ["forest", "neighbours", "network"]
    )


def test_what_pseudo_labelling_did_is_told_pass_by_pass(page):
    section = page.locator("#pseudo-labels")
    expect(section).to_contain_text("2 of 3 unlabelled rows received labels")
    expect(cells(page, "pseudo-labels", 2)).to_have_text(["1,200", "1,201"])
    expect(cells(page, "pseudo-labels", 3)).to_have_text(["0.980", "0.900"])
    expect(section.get_by_role("status")).to_have_text("1\u20132 of 2 passes")
    picture = section.get_by_role("img", name="n1: <2 rows>")
    assert picture.evaluate("image => image.naturalWidth") == 1
    expect(section.locator("figcaption")).to_have_text("In 2 axes.")


def test_a_curve_is_brought_out(page):
    figure = page.locator("#precision-recall")
    figure.get_by_role("button", name="depth 1").click()
    expect(figure.locator("svg.chart .faded")).to_have_count(1)
    figure.get_by_role("button", name="depth 1").click()
    expect(figure.locator("svg.chart .faded")).to_have_count(0)


# The hierarchy ------------------------------------------------------------------------


def test_a_search_finds_terms_and_rows_and_goes_there(page):
    field = page.locator("#search")
    field.fill("FLY")
    options = page.get_by_role("option")
    expect(options.locator(".hit-name")).to_have_text(["flyers", "flying fish"])
    field.press("ArrowDown")
    field.press("Enter")
    expect(page.locator(".panel h2")).to_have_text("flying fish")
    field.fill("t:3")
    expect(options.first).to_contain_text("fish")
    field.fill("eel")
    options.first.click()
    expect(page.locator(".row-panel h2")).to_have_text("eel")
    field.fill("no such name")
    expect(page.locator(".hits")).to_contain_text("No term or row")


def test_a_term_shows_all_its_parents_and_ancestors_as_links(page):
    go_to_term(page, "flying fish")
    panel = page.locator(".panel")
    lists = panel.locator("section", has=page.locator(".links-list"))
    expect(lists.nth(0).get_by_role("link")).to_have_text(["fish", "flyers"])
    above = ["living", "animals", "fish", "flyers"]
    expect(lists.nth(1).get_by_role("link")).to_have_text(above)
    expect(panel).to_contain_text("worse than the frequency")
    expect(panel).to_contain_text("0.250, its own, chosen on its rows")
    expect(panel.locator(".rows-of .long-name")).to_have_text(["exocoetus", "eel"])
    panel.get_by_role("link", name="animals").click()
    expect(page.locator(".panel h2")).to_have_text("animals")


def test_clicks_open_terms_and_the_handle_closes_them(page):
    go(page, "#hierarchy")
    plants, plant = box(page, "plants"), box(page, "plant 0")
    expect(plant).to_have_count(0)
    plants.click()
    expect(plant).to_be_visible()
    expect(plants).to_have_attribute("aria-selected", "true")
    expect(page.locator(".panel h2")).to_have_text("plants")
    plants.locator(".handle").click()
    expect(plant).to_have_count(0)
    expect(plants).to_have_attribute("aria-expanded", "false")


def test_many_children_are_shown_a_few_at_a_time(page):
    go_to_term(page, "plants")
    box(page, "plants").click()
    fit = page.locator(".tree").get_by_role("button", name="Fit")
    plants = page.get_by_role("treeitem", name=re.compile(r"^plant \d"))
    fit.click()
    expect(plants).to_have_count(12)
    page.get_by_role("treeitem", name="18 more, with fewer rows").click()
    fit.click()
    expect(plants).to_have_count(N_PLANTS)


def test_the_tree_is_walked_with_keys(page):
    go_to_term(page, "plants")
    focused = page.locator(".node:focus .name")
    box(page, "plants").focus()
    for key, name in (
        ("ArrowRight", "plants"),  # opens it
        ("ArrowRight", "plant 0"),
        ("ArrowDown", "plant 1"),
        ("ArrowLeft", "plants"),
        ("ArrowLeft", "plants"),  # closes it
        ("ArrowUp", "flyers"),
        ("Home", "living"),
        ("End", "plants"),
        ("a", "animals"),
        ("ArrowDown", "fish"),
        ("Enter", "fish"),
    ):
        page.keyboard.press(key)
        expect(focused).to_have_text(name)
    expect(page.locator(".panel h2")).to_have_text("fish")


def test_the_tree_can_be_an_outline_and_zoomed(page):
    go(page, "#hierarchy")
    before = box(page, "animals").bounding_box()
    page.get_by_role("button", name="As an outline").click()
    page.get_by_role("button", name="Zoom in").click()
    after = box(page, "animals").bounding_box()
    assert after["height"] > before["height"]
    expect(page.get_by_role("button", name="As a diagram")).to_be_visible()


def test_the_weakest_branches_come_first(page):
    strong, weak = page.locator("#glance .extremes").all()
    expect(strong.get_by_role("link")).to_have_text(["plants"])
    expect(weak.get_by_role("link")).to_have_text(["animals"])
    go(page, "#hierarchy")
    expect(page.locator("#weakest li a")).to_have_text(["animals"])
    expect(page.locator("#strongest li a")).to_have_text(["plants"])
    expect(cells(page, "branches", 1)).to_have_text(["animals", "plants"])


# Rows and what to check ---------------------------------------------------------------


def test_a_row_shows_its_terms_in_different_marks(page):
    go(page, "#rows")
    page.locator("#table-rows").get_by_role("link", name="cod").click()
    graph = page.locator(".subgraph")
    for name, mark in (
        ("animals", "known"),
        ("flyers", "doubted"),
        ("flying fish", "negative"),
    ):
        cell = graph.locator(f"a.{mark}", has=page.locator("title", has_text=name))
        expect(cell.first).to_be_visible()
    expect(graph.locator(".doubted .glyph")).to_have_text("!")
    expect(graph.locator(".doubted .facts")).to_have_text("0.100")
    expect(graph.locator(".edge")).to_have_count(4)


def test_a_row_says_why_it_got_a_term(page):
    go(page, address(row="exocoetus", term=f"T:{TERMS.index('flying fish')}"))
    why = page.locator(".why")
    passes = (
        "its probability of 0.600 exceeds its own threshold of 0.250 by 0.350. At this "
        "threshold, 75\u00a0% of the rows that get this term have it, and 50\u00a0% of "
        "the rows that have it get it."
    )
    expect(why.locator(".verdict")).to_have_text(f"Predicted: {passes}")
    speaks_for, against = why.locator(".sides > div").all()
    for text in (
        "Its probability of 0.600 is 12 times its frequency of 5.0 %.",
        "90 % of the predictions with this or a higher probability",
        "1 of 2 neighbours with labels has it: <u>x</u> (distance 0.5)",
        "share of the neighbours\u2019 votes is 33 %",
    ):
        expect(speaks_for).to_contain_text(text)
    for text in (
        "1 of 2 neighbours with labels lacks it: cod.",
        "It is rare: 5 labelled",
    ):
        expect(against).to_contain_text(text)
    expect(why.locator(".meter .value")).to_have_text("0.700")
    expect(page.locator(".decisions li")).to_have_text(
        [
            "fish: added to the log odds: gills +2, fins \u22120.25",
            "fins > 0.5 (the row has 0.75; 1,200 training rows came this far)",
            "<b>wings</b> > 1 (the row has no value; 30 training rows came this far)",
        ]
    )


def test_a_near_row_has_a_term_through_one_under_it(page):
    go(page, address(row="exocoetus", term=f"T:{TERMS.index('flyers')}"))
    through = "<u>x</u> (through its descendant flying fish; distance 0.5)"
    expect(page.locator(".why")).to_contain_text(through)
    go(page, address(row="exocoetus", term=f"T:{TERMS.index('fish')}"))
    added = "Added to the log odds: gills +2, fins \u22120.25."
    expect(page.locator(".why")).to_contain_text(added)


def test_a_row_says_what_is_missing_to_a_threshold_and_what_is_implied(page):
    go(page, address(row="eel", term=f"T:{TERMS.index('flying fish')}"))
    why = page.locator(".why")
    expect(why.locator(".verdict")).to_contain_text("is 0.200 below its own threshold")
    go(page, address(row="eel", term=f"T:{TERMS.index('flyers')}"))
    expect(why.locator(".verdict")).to_contain_text("Predicted through a descendant")
    expect(page.locator(".subgraph .implied .glyph")).to_have_text("\N{UPWARDS ARROW}")
    none = "\N{EN DASH}"
    expect(cells(page, "row_terms", 5)).to_have_text([none, none, "0.100", "0.200"])


def test_the_lists_to_check_lead_to_rows(page):
    go(page, "#check")
    # In the order that Python gave them.
    expect(cells(page, "new", 2)).to_have_text(["exocoetus", "eel"])
    expect(cells(page, "surprising", 3)).to_have_text(["flyers"])
    expect(cells(page, "new", 4)).to_have_text(["2.15", "0.86"])
    expect(cells(page, "label_next", 2)).to_have_text(["exocoetus", "eel"])
    expect(page.locator("main")).to_contain_text("Begin with list 1")
    page.locator("#table-new").get_by_role("link", name="why?").first.click()
    expect(page.locator(".why h3")).to_have_text("Why flying fish?")


def test_the_picture_of_a_row_fits_its_frame_and_zooms(page):
    go(page, address(row="exocoetus"))
    frame = page.locator(".subgraph").bounding_box()
    inside = page.locator(".subgraph .cell")
    before = [one.bounding_box() for one in inside.all()]
    assert len(before) == 4
    for one in before:
        assert frame["x"] <= one["x"]
        assert one["x"] + one["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= one["y"]
        assert one["y"] + one["height"] <= frame["y"] + frame["height"]
    page.locator(".movable").get_by_role("button", name="Zoom in").click()
    assert inside.first.bounding_box()["width"] > before[0]["width"]
    page.locator(".movable").get_by_role("button", name="Fit").click()
    assert inside.first.bounding_box()["width"] == before[0]["width"]


# Tables -------------------------------------------------------------------------------


def test_tables_sort_filter_and_download(page):
    go(page, "#hierarchy")
    table = page.locator("#table-terms")
    sort = table.get_by_role("button", name="quality")
    sort.click()
    expect(cells(page, "terms", 1).first).to_have_text("flying fish")
    sort.click()
    expect(cells(page, "terms", 1).first).to_have_text("fish")
    table.get_by_role("searchbox").fill("fly")
    expect(cells(page, "terms", 1)).to_have_text(["flyers", "flying fish"])
    table.get_by_label("depth").select_option("3")
    with page.expect_download() as download:
        table.get_by_role("button", name="Download CSV").click()
    assert download.value.suggested_filename == "terms.csv"
    text = download.value.path().read_text(encoding="utf-8")
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["name"] == "flying fish"
    assert float(row["average_precision"]) == 0.03
    table.get_by_role("searchbox").fill("no such text")
    expect(table.locator(".pager")).to_contain_text("No matches.")


# Any name, any reader -----------------------------------------------------------------


def test_names_of_all_kinds_are_shown_as_text(page):
    for name in ODD_NAMES:
        go_to_term(page, name)
        heading = page.locator(".panel h2")
        assert heading.evaluate("e => e.textContent") == name
        drawn = page.locator(".node[aria-selected=true] .name")
        shown = drawn.text_content().removesuffix("\N{HORIZONTAL ELLIPSIS}")
        assert shown
        assert name.startswith(shown)
        page.locator("#search").fill(name[:20])
        hit = page.get_by_role("option").locator(".hit-name").last
        assert hit.evaluate("e => e.textContent") == name
    go(page, address(row=ODD_NAMES[0]))
    expect(page.locator(".row-panel h2")).to_have_text(ODD_NAMES[0])
    assert page.title() == "Fish & <others>"
    assert page.locator("main script, main b b, main u").count() == 0


def test_dark_follows_the_reader_and_the_button(page):
    color = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(color)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(color) != light
    page.get_by_role("button", name="Light colours").click()
    assert page.evaluate(color) == light
    page.emulate_media(color_scheme="light", media="print")
    page.evaluate("document.documentElement.dataset.theme = 'dark'")
    assert page.evaluate(color) != "rgb(15, 17, 21)"
    expect(page.locator("#bar")).to_be_hidden()


def test_it_can_be_read_on_a_phone(page):
    page.set_viewport_size(PHONE)
    too_wide = "document.documentElement.scrollWidth > window.innerWidth"
    for place in ("#model", "#hierarchy", "#rows", "#check", address(row="exocoetus")):
        go(page, place)
        page.wait_for_timeout(30)
        assert not page.evaluate(too_wide), place
    go(page, "#check")  # a wide table says so, and its links stay in view
    expect(page.locator("#table-new .scroll-hint")).to_be_visible()
    for name in ("why?", "exocoetus"):
        link = page.locator("#table-new").get_by_role("link", name=name).first
        place = link.bounding_box()
        assert 0 <= place["x"] < place["x"] + place["width"] <= PHONE["width"]
    go_to_term(page, ODD_NAMES[2])
    assert not page.evaluate(too_wide)
    expect(page.get_by_role("button", name="As a diagram")).to_be_visible()


def test_back_goes_back(page):
    page.get_by_role("link", name="Hierarchy", exact=True).click()
    box(page, "animals").click()
    expect(page.locator(".panel h2")).to_have_text("animals")
    page.go_back()
    expect(page.locator(".panel")).to_have_count(0)
    page.go_back()
    expect(page.locator("#scores")).to_be_visible()


def test_a_page_that_knows_little_shows_that(visit, tmp_path):
    payload = small_payload()
    for name, column in payload["terms"].items():
        if name in ("ap", "reliable", "calibration_error", "precision", "recall"):
            payload["terms"][name] = [None] * len(column)
    payload["terms"]["features"] = None
    payload["rows"] = {name: [] for name in payload["rows"]}
    payload["to_check"] = {name: [] for name in payload["to_check"]}
    payload["measured_on"] = payload["summary"]["unlabeled"] = None
    nothing = {"precision_recall": [], "reliability": []}
    payload["summary"] |= {"scores": [], "candidates": [], "curves": nothing}
    file = tmp_path / "little.html"
    file.write_text(render(payload), encoding="utf-8")
    page = visit(file)
    expect(page.locator("#method")).to_be_visible()
    expect(page.locator("#glance, #scores, #tried")).to_have_count(0)
    go_to_term(page, "fish")
    expect(page.locator(".panel")).to_contain_text("not measured")
    go(page, "#rows")
    expect(page.locator("main")).to_contain_text("created without rows")
    go(page, "#check")
    expect(page.locator("main")).to_contain_text("There are none.")
