"""The reference is complete, and the site, where it was built, can be searched."""

import doctest
import importlib.util
import re
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).parents[1]
SITE = ROOT / "docs" / "_build" / "html"
ADDRESS = re.compile(r"https?://[^\s)>\"'`]*")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)


def load(name):
    path = ROOT / "docs" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


reference = load("make_reference")
PUBLIC = [
    (package, name)
    for package in reference.PACKAGES
    for name in reference.members(package)
]
CONSTANTS = [
    (package, name)
    for package, name in PUBLIC
    if reference.is_constant(reference.members(package)[name])
]


def test_every_public_package_has_a_page():
    assert sorted(reference.PACKAGES) == sorted(reference.public_packages())


@pytest.mark.parametrize("package", reference.PACKAGES)
def test_every_public_name_is_on_the_page_and_has_an_example(package):
    page = reference.package_page(package)
    for name in reference.members(package):
        assert re.search(rf"^   {name}$|^.. data:: {name}$|`{name} <", page, re.M), name
        assert ">>>" in reference.docstring(package, name), name


# The examples of classes and functions are run with their modules.
@pytest.mark.parametrize(("package", "name"), CONSTANTS)
def test_the_example_of_a_constant_runs(package, name):
    text = reference.constant_doc(package, name)
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(example).failed == 0


def test_addresses_of_other_sites_are_well_formed():
    texts = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")]
    found = {
        address.rstrip(".,;")
        for path in texts
        for address in ADDRESS.findall(path.read_text(encoding="utf-8"))
    }
    assert found
    for address in found:
        parts = urlsplit(address)
        assert parts.scheme == "https", address
        assert re.fullmatch(r"[\w-]+(\.[\w-]+)+", parts.netloc), address


needs_site = pytest.mark.skipif(
    not (SITE / "searchindex.js").exists(), reason="no site here: make site"
)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: apt-get install chromium"
)


@needs_site
def test_every_public_name_is_in_the_built_reference():
    for place in set(reference.PLACES.values()):
        package, _, name = place.rpartition(".")
        value = reference.members(package)[name]
        own = SITE / "reference" / "generated" / f"{place}.html"
        shared = SITE / "reference" / f"{package}.html"
        page = shared if reference.is_constant(value) else own
        assert f'id="{place}"' in page.read_text(encoding="utf-8"), "run make site"


@needs_site
def test_every_script_is_in_the_built_gallery():
    for script in (ROOT / "examples").glob("plot_*.py"):
        page = (SITE / "gallery" / f"{script.stem}.html").read_text(encoding="utf-8")
        assert f"sphx_glr_{script.stem}_001.png" in page, "run make site"


@needs_site
def test_no_page_loads_anything_from_elsewhere():
    loaded = re.compile(
        r"""<(?:script|link|img|iframe)[^>]*(?:src|href)="(https?:[^"]*)"""
    )
    for page in SITE.rglob("*.html"):
        assert not loaded.findall(page.read_text(encoding="utf-8")), page


@pytest.fixture(scope="module")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield browser
        browser.close()


@needs_site
@needs_browser
@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("SSHMCBLI", "hilabel.semi_supervised.SSHMCBLI.html"),
        ("constant predictor", "glossary.html"),
        ("choosing thresholds", "plot_thresholds.html"),
    ],
)
def test_the_search_finds(browser, words, page):
    tab = browser.new_page()
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto((SITE / "search.html").as_uri() + f"?q={words}")
    found = f"#search-results li a[href*='{page}']"
    tab.wait_for_selector(found, state="attached")
    tab.close()
    assert all(address.startswith("file:") for address in asked)


@needs_site
@needs_browser
def test_no_page_is_wider_than_a_phone(browser):
    tab = browser.new_page(viewport={"width": 390, "height": 844})
    extra = "document.documentElement.scrollWidth - window.innerWidth"
    for name in ("index", "tour", "methods", "gallery/index", "reference/index"):
        tab.goto((SITE / f"{name}.html").as_uri())
        assert tab.evaluate(extra) <= 0, name
    tab.close()
