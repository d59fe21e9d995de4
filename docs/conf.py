"""Settings of the site: ``make site`` builds it from these pages and the code.

The packages of ``hilabel[site]`` contain everything needed, so the site can be built
and read offline.
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from matplotlib.figure import Figure
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

import hilabel

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import make_reference  # noqa: E402, it lies beside this file

project = "hilabel"
author = "The hilabel developers"
copyright = author
version = release = hilabel.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
# The gallery has functions among its settings, which cannot be kept.
suppress_warnings = ["config.cache"]

# Markdown, as it is read on the pages of a repository too.
myst_heading_anchors = 4

# The reference: signatures without types, which the sections of parameters describe.
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
# Sections that are known and in order, summaries that end, parameters that exist.
numpydoc_validation_checks = {"GL03", "GL06", "GL07", "SS01", "SS03", "SS05", "PR02"}
add_module_names = False
# Pages of other projects are not looked up, so that no network is needed.
nitpick_ignore_regex = [(r"py:.*", r"sklearn\..*")]


def save_figures(block: Any, names: dict[str, Any], gallery: dict[str, Any]) -> str:
    """Save the figures created by a block of an example, and return their RST.

    Figures of displays are not registered with pyplot, so all variables are searched.
    """
    found = []
    for value in names["example_globals"].values():
        if isinstance(value, Figure) and not hasattr(value, "in_gallery"):
            value.in_gallery = True
            found.append(next(names["image_path_iterator"]))
            value.savefig(found[-1], dpi=100)
    return figure_rst(found, gallery["src_dir"])


class InOrder:
    """Sort the examples in the order of this list; others come last."""

    names = (
        "paper_picture",
        "gene_ontology",
        "product_titles",
        "images_network",
        "unlabelled_rows",
        "clustering_tree",
        "explain_pseudo_label",
        "thresholds",
        "calibration",
        "grid_search",
        "study",
        "own_method",
        "cluster",
    )

    def __init__(self, folder: str) -> None:
        """Accept a folder, which is ignored."""

    def __call__(self, name: str) -> tuple[int, str]:
        """Return the sort key of a script."""
        stem = Path(name).stem.removeprefix("plot_")
        place = self.names.index(stem) if stem in self.names else len(self.names)
        return place, stem


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "within_subsection_order": InOrder,
    "backreferences_dir": "gallery/backreferences",
    "doc_module": ("hilabel",),
    "reference_url": {"hilabel": None},
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": True,
    "capture_repr": (),
    "image_scrapers": (save_figures,),
}

html_theme = "pydata_sphinx_theme"
html_title = "hilabel"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_sidebars = {
    name: [] for name in ("index", "install", "tour", "whats_new", "glossary")
}
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": False,
    "navigation_depth": 2,
    "show_toc_level": 2,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "pygments_light_style": "tango",
    "pygments_dark_style": "monokai",
}

LEFT_OUT = r"set_\w+_request|get_metadata_routing|set_output|is_sound"

# In the repository, pages link to files. On the site, each of these has its page.
LINKS = [
    (re.compile(r"\]\(\.\./examples/(plot_\w+)\.py\)"), r"](gallery/\1.rst)"),
    (re.compile(r"\]\(\.\./examples/?\)"), "](gallery/index.rst)"),
    (re.compile(r"\]\(\.\./benchmarks/results/"), "](benchmarks/"),
    (re.compile(r"\]\(\.\./ARCHITECTURE\.md"), "](architecture.md"),
    (re.compile(r"\]\(\.\./CONTRIBUTING\.md"), "](contributing.md"),
    (re.compile(r"\]\(\.\./CHANGELOG\.md"), "](whats_new.md"),
]


def follow_links(app: Sphinx, docname: str, source: list[str]) -> None:
    """Redirect links to files in the repository to their pages on the site."""
    for pattern, page in LINKS:
        source[0] = pattern.sub(page, source[0])


def copy_benchmarks() -> None:
    """Copy the benchmark tables, so that they become pages of the site."""
    folder = HERE / "benchmarks"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "benchmarks" / "results", folder)
    title = "# Benchmarks"
    text = "The tables that `make bench` writes, one page for each script."
    pages = "```{toctree}\n:maxdepth: 1\n:glob:\n\n*\n```"
    page = "\n\n".join([title, text, pages]) + "\n"
    (folder / "index.md").write_text(page, encoding="utf-8")


def link_names(app: Sphinx, doctree: nodes.document) -> None:
    """Link names in code, such as ``SSHMCBLI``, to the reference."""
    if app.env.docname.startswith(("reference/", "gallery/")):
        return
    for literal in list(doctree.findall(nodes.literal)):
        name = re.match(r"[\w.]*", literal.astext())[0]
        target = make_reference.PLACES.get(name)
        alone = literal.astext() in (name, f"{name}()")
        if target and alone and not isinstance(literal.parent, nodes.reference):
            link = pending_xref(
                refdomain="py",
                reftype="obj",
                reftarget=target,
                refdoc=app.env.docname,
                refexplicit=True,
            )
            literal.replace_self(link)
            link += literal


def leave_out(
    app: Sphinx, what: str, name: str, member: Any, skip: bool, options: Any
) -> bool | None:
    """Return whether to omit a member from the reference.

    Omitted are the methods that every estimator inherits from scikit-learn, a check of
    model files, and the fields of named tuples, which are described in the class.
    """
    is_field = str(getattr(member, "__doc__", "")).startswith("Alias for field number")
    return True if is_field or re.fullmatch(LEFT_OUT, name) else None


def setup(app: Sphinx) -> None:
    """Write the pages generated from the code before Sphinx reads any page."""
    make_reference.write(HERE / "reference")
    copy_benchmarks()
    app.connect("autodoc-skip-member", leave_out)
    app.connect("source-read", follow_links)
    app.connect("doctree-read", link_names)
