"""The layers: an import may only go down."""

import ast
from pathlib import Path

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
    {"_text_files"},
    {
        "_engine",
        "_compat",
        "_progress",
        "_suggestions",
        "_table_options",
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
# Parts that import nothing private of another package.
ENTERED_BY_DOORS = {"cli", "tasks", "datasets", "hierarchy", "metrics", "testing"}
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


def test_imports_go_down():
    upward = [
        f"{path.relative_to(SOURCE)} must not import {part}"
        for path in FILES
        for part in hilabel_parts(path) - {part_of(path)}
        if LEVEL[part] <= LEVEL[part_of(path)]
    ]
    assert not upward


def test_confined_packages_stay_where_they_belong():
    strayed = [
        f"{path.relative_to(SOURCE)} imports {module}"
        for path in FILES
        for module in imported_modules(path)
        if part_of(path) not in CONFINED.get(module.split(".")[0], {part_of(path)})
    ]
    assert not strayed


def private_imports(path: Path) -> list[str]:
    """Return the modules and names of other packages that start with an underscore."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom):
            continue
        top, *inner = [*node.module.split("."), *(alias.name for alias in node.names)]
        if top == "hilabel" and inner[0] != part_of(path):
            is_package = (SOURCE / inner[0]).is_dir()
            if is_package and any(name.startswith("_") for name in inner[1:]):
                found.append(f"{path.relative_to(SOURCE)}: {node.module}")
    return found


def test_packages_are_entered_by_their_doors():
    inside = [path for path in FILES if part_of(path) in ENTERED_BY_DOORS]
    assert not [line for path in inside for line in private_imports(path)]


def test_no_module_is_called_utils():
    assert not [path for path in FILES if path.stem.strip("_") == "utils"]
