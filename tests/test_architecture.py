"""The layers and the doors: imports go down, and through public names."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "hilabel"

# From the top. A part may import parts of lower layers and itself; parts of one
# layer never import each other.
LAYERS = [
    {"__main__"},
    {"cli", "testing"},
    {"tasks"},
    {"report", "persistence"},
    {"models"},
    {"studies"},
    {"_methods", "judgement"},
    {"semi_supervised"},
    {"costs"},
    {"pseudo_labeling", "classifiers"},
    {"local_models", "views"},
    {"forests", "linear", "neighbors", "networks", "calibration"},
    {"datasets", "model_selection", "constraints", "metrics"},
    {"_validation"},
    {"__init__"},
    {"hierarchy", "links"},
    {"_label_matrix", "_score_matrix"},
    {"_table_options", "_text_files"},
    {"_warning", "_workbooks"},
    {"_unpacking"},
    {
        "_accessions",
        "_engine",
        "_compat",
        "_free_memory",
        "_matrices",
        "_method_text",
        "_number_text",
        "_peak_memory",
        "_progress",
        "_saved_types",
        "_suggestions",
        "_typing",
        "_writing",
        "exceptions",
    },
]
# Third-party packages that only some parts may import, at module level or inside.
CONFINED = {
    "matplotlib": {"report", "semi_supervised"},
    "pandas": {
        "_methods",
        "datasets",
        "metrics",
        "links",
        "classifiers",
        "semi_supervised",
        "judgement",
        "studies",
        "report",
        "persistence",
        "testing",
        "tasks",
    },
    "skops": {"persistence"},
    "jax": {"networks"},
    "optax": {"networks"},
    "click": {"cli"},
    "rich": {"cli"},
    "pooch": {"datasets"},
    "scikit_posthocs": {"studies"},
    "jinja2": {"report"},
    "filelock": {"studies"},
}
LEVEL = {part: depth for depth, parts in enumerate(LAYERS) for part in parts}
FILES = sorted(SOURCE.rglob("*.py"))


def part_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[str]:
    """Yield the dotted paths of all that a file imports, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


IMPORTS = [(path, name) for path in FILES for name in imports_of(path)]
OWN_IMPORTS = [
    (path, name) for path, name in IMPORTS if name.split(".")[0] == "hilabel"
]


def test_every_part_has_a_layer():
    assert {part_of(path) for path in FILES} <= set(LEVEL)


def test_imports_go_down():
    for path, name in OWN_IMPORTS:
        here, there = part_of(path), (*name.split("."), "__init__")[1]
        # Names such as Hierarchy or __version__ live in the package itself.
        there = there if there in LEVEL else "__init__"
        assert there == here or LEVEL[there] > LEVEL[here], f"{path} imports {name}"


def test_parts_are_entered_through_public_names_alone():
    found = set()
    for path, name in OWN_IMPORTS:
        _, part, *inner = *name.split("."), ""
        private = [place for place, step in enumerate(inner) if step.startswith("_")]
        if part != part_of(path) and (SOURCE / part).is_dir() and private:
            door = ".".join(["hilabel", part, *inner[: private[0] + 1]])
            found.add((part_of(path), door))
    assert not found


def test_confined_packages_stay_where_they_belong():
    for path, name in IMPORTS:
        allowed = CONFINED.get(name.split(".")[0])
        assert allowed is None or part_of(path) in allowed, f"{path} imports {name}"


def test_no_module_is_called_utils():
    assert not [path for path in FILES if path.stem.strip("_") == "utils"]


def test_no_two_modules_of_the_methods_have_one_name():
    methods = ("local_models", "classifiers", "pseudo_labeling", "semi_supervised")
    stems = [
        path.stem
        for path in FILES
        if part_of(path) in (*methods, "forests") and path.stem != "__init__"
    ]
    assert sorted(stems) == sorted(set(stems))
