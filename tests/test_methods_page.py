"""docs/methods.md says what the estimators say of themselves, now."""

import importlib.util
import inspect
from pathlib import Path

import pytest

import hilabel.classifiers
import hilabel.semi_supervised
from hilabel.classifiers import BaseHierarchicalClassifier, MethodTags, PriorClassifier

SCRIPT = Path(__file__).parents[1] / "docs" / "make_methods.py"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("make_methods", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cells(line):
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_page_is_what_the_estimators_say(script):
    written = script.PAGE.read_text(encoding="utf-8")
    if written != script.page():
        old, new = set(written.splitlines()), set(script.page().splitlines())
        stale = "\n".join(sorted(old ^ new))
        pytest.fail(
            "docs/methods.md is stale: run `python docs/make_methods.py` and commit "
            f"the page. Lines that differ:\n{stale}"
        )


def test_every_public_estimator_has_one_row(script):
    packages = (hilabel.classifiers, hilabel.semi_supervised)
    public = {
        name
        for package in packages
        for name in package.__all__
        if isinstance(getattr(package, name), type)
        and issubclass(getattr(package, name), BaseHierarchicalClassifier)
        and not inspect.isabstract(getattr(package, name))
    }
    lines = script.page().splitlines()
    for name in public:
        assert sum(f"| `{name}` |" in line for line in lines) == 1, name


def test_semi_supervised_methods_are_in_the_semi_supervised_package(script):
    for estimator in script.public_estimators(hilabel.semi_supervised):
        assert estimator.method_tags.semi_supervised, estimator
    for estimator in script.public_estimators(hilabel.classifiers):
        assert not estimator.method_tags.semi_supervised, estimator


def test_row_repeats_the_tags(script):
    class Told(PriorClassifier):
        """Do something."""

        method_tags = MethodTags(
            structure="T",
            paths="SPL",
            depth="PD",
            semi_supervised=True,
            transductive=True,
            name="T-OLD",
            use="Never.",
        )

    header, _, row = script.table([Told]).splitlines()
    assert dict(zip(cells(header), cells(row))) == {
        "Method": "T-OLD",
        "Hierarchy": "tree",
        "Paths": "SPL",
        "Depth": "PD",
        "Approach": "inductive, transductive",
        "Class": "`Told`",
        "When to use it": "Never.",
    }


def test_class_without_tags_of_its_own_gets_its_name_and_its_summary(script):
    class Silent(PriorClassifier):
        """Do something else.

        At length.
        """

    header, _, row = script.table([Silent]).splitlines()
    told = dict(zip(cells(header), cells(row)))
    assert told["Method"] == "Silent"
    assert told["When to use it"] == "Do something else."
    assert told["Hierarchy"] == "DAG"


# The table of related work in the paper on SSHMC-BLI, and the references that it cites.
PAPER = """
STML        - -   -  inductive    2405.00184
STHC        D MPL PD inductive    2405.00184
MetzFreitas T SPL FD inductive    Extending hierarchical classification, 2009
HMCSSLP     T MPL PD inductive    Applying semi-supervised learning in, 2014
HMCSSRAkEL  T MPL PD inductive    Applying semi-supervised learning in, 2014
HMCSSBR     T MPL PD inductive    Applying the self-training semi-supervised, 2014
PCEM        T SPL FD inductive    Efficient Path Prediction, 2019
SSLPCT      D MPL PD transductive Semi-supervised predictive clustering trees, 2022
SSHCBLI     T SPL FD inductive    Semi-supervised hierarchical classification, 2022
SSHMCBLI    D MPL PD inductive    Algorithm 1
"""


@pytest.mark.parametrize("line", PAPER.strip().splitlines(), ids=lambda t: t.split()[0])
def test_tags_and_citations_agree_with_the_table_of_the_paper(line):
    name, structure, paths, depth, approach, cited = line.split(maxsplit=5)
    method = getattr(hilabel.semi_supervised, name)
    tags = method.method_tags
    assert getattr(tags, approach)
    if structure != "-":  # STML ignores the hierarchy
        assert tags.handles({"T": "T", "D": "DAG"}[structure], paths, depth)
    _, _, references = inspect.getdoc(method).partition("References")
    references = " ".join(references.split())
    for part in cited.split(", "):
        assert part in references
