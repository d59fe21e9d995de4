"""docs/own_variant.md shows the files of examples/own_vote."""

from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "own_variant.md").read_text(encoding="utf-8")
FOLDER = ROOT / "examples" / "own_vote"


def test_the_page_has_the_function_and_the_variants_of_the_files():
    code = (FOLDER / "distance_weighted.py").read_text(encoding="utf-8")
    study = (FOLDER / "study.toml").read_text(encoding="utf-8")
    assert code[code.index("def ") :].strip() in PAGE
    assert study[study.index("[methods.V1]") :].strip() in PAGE


def test_the_variant_has_at_most_ten_lines():
    code = (FOLDER / "distance_weighted.py").read_text(encoding="utf-8")
    assert len([line for line in code.splitlines() if line.strip()]) <= 10
