"""Write the pages of the API reference, from the ``__all__`` of the public packages.

The settings of the site (``docs/conf.py``) call it; the pages are not kept.
"""

import ast
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import Any

import hilabel

# In the order of the data; what is below all methods comes last.
PACKAGES = [
    "hilabel",
    "hilabel.hierarchy",
    "hilabel.datasets",
    "hilabel.links",
    "hilabel.model_selection",
    "hilabel.classifiers",
    "hilabel.semi_supervised",
    "hilabel.pseudo_labeling",
    "hilabel.constraints",
    "hilabel.calibration",
    "hilabel.metrics",
    "hilabel.judgement",
    "hilabel.studies",
    "hilabel.report",
    "hilabel.report.study",
    "hilabel.models",
    "hilabel.persistence",
    "hilabel.tasks",
    "hilabel.testing",
    "hilabel.exceptions",
    "hilabel.views",
    "hilabel.neighbors",
    "hilabel.networks",
    "hilabel.forests",
    "hilabel.costs",
]

INDEX = """\
API reference
=============

Everything that hilabel offers, in the order of the data. Names that are not listed here
are private and may change without notice. The parts that methods are built from come
last.

.. list-table::
   :widths: 30 70

{rows}

.. toctree::
   :hidden:

{pages}
"""

HEADING = ("Examples\n--------\n", ".. rubric:: Examples\n\n")


# What other packages of hilabel use. Users find `model_page` and `ModelPage` in
# `hilabel.report`, and methods and policies in `hilabel.classifiers`.
_PARTS = [
    "hilabel.cli",
    "hilabel.linear",
    "hilabel.local_models",
    "hilabel.report.page",
]


def public_packages() -> Iterator[str]:
    """Yield the packages and modules that anyone may import from."""
    yield "hilabel"
    for module in pkgutil.walk_packages(hilabel.__path__, "hilabel."):
        parts = module.name.split(".")
        is_private = any(part.startswith("_") for part in parts)
        # The commands are files of `hilabel.cli`, and no names to import.
        is_command = parts[:-1] == ["hilabel", "cli"]
        if not (is_private or is_command or module.name in _PARTS):
            yield module.name


def members(package: str) -> dict[str, Any]:
    """Return a mapping from the public names of a package to their values."""
    module = importlib.import_module(package)
    return {name: getattr(module, name) for name in module.__all__}


def is_constant(value: object) -> bool:
    """Return whether a value has no docstring."""
    return not (inspect.isclass(value) or inspect.isroutine(value)) or (
        # A name for a type, such as tuple[int, int].
        hasattr(value, "__origin__")
    )


def constant_doc(module: str, name: str) -> str:
    """Return the string that follows the definition of a constant."""
    text = Path(find_spec(module).origin).read_text(encoding="utf-8")
    tree = ast.parse(text)
    for node, following in pairwise(tree.body):
        targets = getattr(node, "targets", [getattr(node, "target", None)])
        is_it = name in [getattr(target, "id", None) for target in targets]
        if is_it and isinstance(following, ast.Expr):
            return inspect.cleandoc(ast.literal_eval(following.value))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    for node in imports:
        if name in [alias.name for alias in node.names]:
            return constant_doc(node.module, name)
    raise LookupError(f"{name} of {module} is not followed by a docstring.")


def docstring(package: str, name: str) -> str:
    """Return the text for a name in the reference."""
    value = members(package)[name]
    if is_constant(value):
        return constant_doc(package, name)
    return inspect.getdoc(value) or ""


def section(title: str, lines: list[str]) -> list[str]:
    """Return lines under a heading, or an empty list if there are none."""
    return [title, "-" * len(title), "", *lines, ""] if lines else []


def summary(names: list[str]) -> list[str]:
    """Return a table of names that link to their pages."""
    if not names:
        return []
    rows = [f"   {name}" for name in sorted(names, key=str.lower)]
    return [".. autosummary::", "   :toctree: generated", "", *rows]


def package_page(package: str) -> str:
    """Return the page of a package."""
    found = members(package)
    elsewhere = {name: PLACES[f"{package}.{name}"] for name in found}
    elsewhere = {n: p for n, p in elsewhere.items() if p != f"{package}.{n}"}
    own = {name: value for name, value in found.items() if name not in elsewhere}
    constants = [name for name, value in own.items() if is_constant(value)]
    rest = [name for name in own if name not in constants]
    classes = [name for name in rest if inspect.isclass(own[name])]
    functions = [name for name in rest if name not in classes]
    described = []
    for name in constants:
        # Headings cannot stand inside a directive.
        text = constant_doc(package, name).replace(*HEADING).splitlines()
        described += [f".. data:: {name}", "", *(f"   {line}" for line in text), ""]
    links = [f"- :py:obj:`{name} <{place}>`" for name, place in elsewhere.items()]
    lines = [
        package,
        "=" * len(package),
        "",
        f".. module:: {package}",
        "",
        inspect.getdoc(importlib.import_module(package)),
        "",
        *section("Classes", summary(classes)),
        *section("Functions", summary(functions)),
        *section("Constants", described),
        *section("Described elsewhere", links),
    ]
    return "\n".join(lines)


def index_page() -> str:
    """Return the page that lists the packages."""
    rows, pages = [], []
    for package in PACKAGES:
        text = inspect.getdoc(importlib.import_module(package)).partition("\n")[0]
        rows += [f"   * - :doc:`{package}`", f"     - {text}"]
        pages.append(f"   {package}")
    return INDEX.format(rows="\n".join(rows), pages="\n".join(pages))


def places() -> dict[str, str]:
    """Return the place of each name in the reference, for short and full names.

    A name that is in two packages is described in the first of them, and short names
    refer to that description.
    """
    found: dict[str, str] = {}
    first: dict[tuple[int, str], str] = {}
    for package in PACKAGES:
        for name, value in members(package).items():
            place = first.setdefault((id(value), name), f"{package}.{name}")
            found.setdefault(name, place)
            found[f"{package}.{name}"] = place
    return found


PLACES = places()


def write(folder: Path) -> None:
    """Write a page for each package, and one that lists them."""
    folder.mkdir(exist_ok=True)
    for page in folder.glob("generated/*.rst"):
        if page.stem not in PLACES.values():
            page.unlink()
    pages = {package: package_page(package) for package in PACKAGES}
    for name, text in {**pages, "index": index_page()}.items():
        path = folder / f"{name}.rst"
        # A page that stays the same is not read again.
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
