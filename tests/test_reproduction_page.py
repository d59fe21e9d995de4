"""docs/reproduction.md shows the results that are in the project."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "docs" / "make_reproduction.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_reproduction", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_tables_are_those_of_the_results(script):
    written = script.PAGE.read_text(encoding="utf-8")
    made = script.page(written)
    if written != made:
        stale = sorted(set(written.splitlines()) ^ set(made.splitlines()))
        pytest.fail(
            "docs/reproduction.md is stale: run `python docs/make_reproduction.py` and "
            "commit the page. Lines that differ:\n" + "\n".join(stale)
        )


def test_a_page_without_the_place_of_a_table_is_refused(script):
    with pytest.raises(ValueError, match="<!-- ranks -->.*got 0 and 0"):
        script.page("# A page")
