"""The layers: an import may only go down."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "hilabel"

# From the top. A part may import parts of lower layers and itself; parts of one
# layer never import each other.
LAYERS = [
    {"__main__"},
    {"cli", "testing"},
    {"tasks"},
    {"report", "persistence"},
    {"studies"},
    {"semi_supervised"},
    {"pseudo_labeling", "classifiers"},
    {"forests", "neighbors"},
    {"datasets", "model_selection", "constraints", "metrics"},
    {"_validation"},
    {"__init__"},
    {"hierarchy", "_warning"},
    {
        "_engine",
        "_compat",
        "_progress",
        "_saved_types",
        "_typing",
        "_writing",
        "exceptions",
    },
]
# Third-party packages that only some parts may import, at module level or inside.
CONFINED = {
    "matplotlib": {"report", "semi_supervised"},
    "pandas": {
        "datasets",
        "metrics",
        "classifiers",
        "semi_supervised",
        "studies",
        "report",
        "testing",
        "tasks",
    },
    "skops": {"persistence"},
    "click": {"cli"},
    "rich": {"cli"},
    "obonet": {"hierarchy"},
    "iterstrat": {"model_selection"},
    "pooch": {"datasets"},
    "scikit_posthocs": {"studies"},
    "jinja2": {"report"},
}
LEVEL = {part: depth for depth, parts in enumerate(LAYERS) for part in parts}
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    relative = path.relative_to(SOURCE)
    return relative.parts[0].removesuffix(".py")


def imported_modules(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            found.add(node.module)
            if node.module == "hilabel":
                found.remove(node.module)
                found |= {f"hilabel.{alias.name}" for alias in node.names}
    return found


def hilabel_parts(path: Path) -> set[str]:
    parts = set()
    for module in imported_modules(path):
        if module.split(".")[0] == "hilabel":
            name = module.split(".")[1]
            # Names such as Hierarchy or __version__ live in the package itself.
            parts.add(name if name in LEVEL else "__init__")
    return parts


def test_every_part_has_a_layer():
    assert {part_of(path) for path in FILES} <= set(LEVEL)


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_imports_go_down(path):
    here = part_of(path)
    for part in hilabel_parts(path) - {here}:
        assert LEVEL[part] > LEVEL[here], f"{here} must not import {part}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SOURCE)))
def test_confined_packages_stay_where_they_belong(path):
    for module in imported_modules(path):
        allowed = CONFINED.get(module.split(".")[0])
        assert allowed is None or part_of(path) in allowed, f"{path} imports {module}"


def test_no_module_is_called_utils():
    assert not [path for path in FILES if path.stem.strip("_") == "utils"]
