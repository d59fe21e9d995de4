"""Write docs/methods.md from what the estimators say of themselves.

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

Which methods there are, and which problems each of them handles. All take the
hierarchy first and share `fit`, `predict_proba`, `predict` and `score`; what a method
cannot handle, it refuses with an error that names the first node or row and another
method.

- **Hierarchy**: *tree*, every node has one parent at most; *DAG*, also several.
- **Paths** of labels per row: *SPL*, a single one; *MPL*, one or several.
- **Depth**: *FD*, every path reaches a leaf; *PD*, paths may end anywhere.

A class answers the same for itself:

```python
from hilabel.semi_supervised import PCEM

PCEM.method_tags.handles("T", "SPL", "FD")  # True
PCEM.method_tags.handles("DAG", "MPL", "PD")  # False
```

## Semi-supervised: `hilabel.semi_supervised`

They learn from unlabelled rows too. *Inductive* methods predict rows that were not
there in training; *transductive* ones keep the labels they gave to the unlabelled rows
as `transduction_`. The problems are those that the class here handles, which may be
more than the method's source does; its documentation says so.

{semi_supervised}

## Supervised: `hilabel.classifiers`

They ignore unlabelled rows. Most are the base of a semi-supervised method above, which
is just that base when no row is unlabelled.

{supervised}
"""


def public_estimators(package: ModuleType) -> list[type[BaseHierarchicalClassifier]]:
    """Return the estimators that a package offers, sorted by method."""
    found = [
        value
        for value in (getattr(package, name) for name in package.__all__)
        if inspect.isclass(value)
        and issubclass(value, BaseHierarchicalClassifier)
        and not inspect.isabstract(value)
    ]
    return sorted(found, key=lambda estimator: method_name(estimator).lower())


def own_tags(estimator: type[BaseHierarchicalClassifier]) -> MethodTags:
    """Return the tags written for this class; a name is not for inheriting."""
    return vars(estimator).get("method_tags", MethodTags())


def method_name(estimator: type[BaseHierarchicalClassifier]) -> str:
    """Return what the literature calls the method."""
    return own_tags(estimator).name or estimator.__name__


def when_to_use(estimator: type[BaseHierarchicalClassifier]) -> str:
    """Return the advice of the tags, or else what the class says it is."""
    return own_tags(estimator).use or inspect.getdoc(estimator).partition("\n")[0]


def table(estimators: list[type[BaseHierarchicalClassifier]]) -> str:
    """Return a Markdown table with a row for each method."""
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
    """Return the kinds of learning from unlabelled rows, in words."""
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
