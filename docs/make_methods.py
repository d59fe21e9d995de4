"""Write docs/methods.md from the tags of the estimators.

Run ``make docs``, or ``python docs/make_methods.py``, after adding a method.
"""

import inspect
from pathlib import Path
from types import ModuleType

import hilabel.classifiers
import hilabel.semi_supervised
from hilabel.classifiers import BaseHierarchicalClassifier, MethodTags

PAGE = Path(__file__).with_name("methods.md")

TEXT = """\
<!-- Written by docs/make_methods.py from the method_tags: run `make docs`. -->

# Methods

This page lists all methods and the problems that they handle. The first argument of
each class is the hierarchy, and each class has `fit`, `predict_proba`, `predict` and
`score`. If a method cannot handle a problem, it raises an error that names the first
node or row that it cannot handle, and a method that can.

- **Hierarchy**: *tree*, every node has at most one parent; *DAG*, nodes may have
  several parents.
- **Paths** of labels per row: *SPL*, a single path; *MPL*, one or several paths.
- **Depth**: *FD*, every path reaches a leaf; *PD*, paths may end at any depth.

You can also query a class:

```python
from hilabel.semi_supervised import PCEM

PCEM.method_tags.handles("T", "SPL", "FD")  # True
PCEM.method_tags.handles("DAG", "MPL", "PD")  # False
```

## Semi-supervised: `hilabel.semi_supervised`

These methods also learn from unlabelled rows. *Inductive* methods can predict new rows;
*transductive* methods label the unlabelled rows in `fit` and store these labels as
`transduction_`. Most are both, whereas the literature often names only one of the two,
depending on which rows a study scores. A class may handle more general problems than
the original method; its documentation then says so.

{semi_supervised}

## Supervised: `hilabel.classifiers`

These methods ignore unlabelled rows. Most of them are the base classifier of a
semi-supervised method above; without unlabelled rows, the semi-supervised method is
equivalent to its base classifier.

{supervised}
"""


def public_estimators(package: ModuleType) -> list[type[BaseHierarchicalClassifier]]:
    """Return the public estimators of a package, sorted by method."""
    found = [
        value
        for value in (getattr(package, name) for name in package.__all__)
        if inspect.isclass(value)
        and issubclass(value, BaseHierarchicalClassifier)
        and not inspect.isabstract(value)
    ]
    return sorted(found, key=lambda estimator: method_name(estimator).lower())


def own_tags(estimator: type[BaseHierarchicalClassifier]) -> MethodTags:
    """Return the tags of this class; names are not inherited."""
    return vars(estimator).get("method_tags", MethodTags())


def method_name(estimator: type[BaseHierarchicalClassifier]) -> str:
    """Return the name of the method in the literature."""
    return own_tags(estimator).name or estimator.__name__


def when_to_use(estimator: type[BaseHierarchicalClassifier]) -> str:
    """Return the advice in the tags, or else the first line of the docstring."""
    return own_tags(estimator).use or inspect.getdoc(estimator).partition("\n")[0]


def table(estimators: list[type[BaseHierarchicalClassifier]]) -> str:
    """Return a Markdown table with one row per method."""
    has_approach = any(e.method_tags.semi_supervised for e in estimators)
    header = ["Method", "Hierarchy", "Paths", "Depth", "Class", "When to use it"]
    rows = [header, ["---"] * len(header)]
    for estimator in estimators:
        tags = estimator.method_tags
        rows.append(
            [
                method_name(estimator),
                {"T": "tree", "DAG": "DAG"}[tags.structure],
                tags.paths,
                tags.depth,
                f"`{estimator.__name__}`",
                when_to_use(estimator),
            ]
        )
    if has_approach:
        approaches = [approach(estimator.method_tags) for estimator in estimators]
        for row, cell in zip(rows, ["Approach", "---", *approaches]):
            row.insert(4, cell)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def approach(tags: MethodTags) -> str:
    """Describe how the method learns from unlabelled rows."""
    kinds = {"inductive": tags.inductive, "transductive": tags.transductive}
    return ", ".join(kind for kind, is_so in kinds.items() if is_so)


def page() -> str:
    """Return the whole page."""
    return TEXT.format(
        semi_supervised=table(public_estimators(hilabel.semi_supervised)),
        supervised=table(public_estimators(hilabel.classifiers)),
    )


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
