"""A real browser for the tests of pages."""

import shutil

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")


@pytest.fixture(scope="package")
def tab():
    """Return a tab of the machine's browser; without one the test is skipped."""
    sync_api = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, NAMES)), None)
    if chromium is None:
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        tab = browser.new_page()
        tab.requests, tab.complaints = [], []
        tab.on("request", lambda request: tab.requests.append(request.url))
        tab.on("pageerror", lambda error: tab.complaints.append(str(error)))
        tab.on("console", lambda message: tab.complaints.append(message.text))
        yield tab
        browser.close()


@pytest.fixture
def visit(tab):
    """Return a function that opens a file in the tab, which must not complain."""

    def open_file(path):
        tab.goto("about:blank")
        tab.emulate_media(media="screen", color_scheme="light")
        tab.set_viewport_size({"width": 1280, "height": 800})
        tab.requests.clear()
        tab.complaints.clear()
        tab.goto(path.as_uri())
        return tab

    yield open_file
    assert tab.complaints == []
