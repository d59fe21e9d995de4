"""``hilabel demo``: the paper's artificial data, on the screen."""

import click
from rich.console import Console
from rich.table import Table
from rich.tree import Tree

from hilabel.datasets import ArtificialData, make_artificial
from hilabel.hierarchy import Hierarchy

__all__ = ["demo"]


@click.command()
def demo() -> None:
    """Show the paper's artificial data with its hierarchy and problem type.

    Example: hilabel demo
    """
    data = make_artificial()
    console = Console()
    console.print("[bold]The artificial data of the SSHMC-BLI paper[/bold]")
    console.print(_rows_table(data))
    console.print(_hierarchy_tree(data.hierarchy))
    structure, paths, depth = data.hierarchy.problem_type(data.Y_labeled)
    console.print(
        f"Problem type: [bold]({structure}, {paths}, {depth})[/bold]  "
        f"({_MEANING[structure]}, {_MEANING[paths]}, {_MEANING[depth]})"
    )


_MEANING = {
    "T": "tree",
    "DAG": "directed acyclic graph",
    "SPL": "a single path of labels per row",
    "MPL": "several paths of labels per row",
    "FD": "every path reaches a leaf",
    "PD": "paths may end anywhere",
}


def _rows_table(data: ArtificialData) -> Table:
    table = Table("rows", "number", "features", "labels per row")
    for title, X, Y in (
        ("labelled", data.X_labeled, data.Y_labeled),
        ("unlabelled", data.X_unlabeled, None),
        ("test", data.X_test, data.Y_test),
    ):
        labels = "unknown" if Y is None else f"{Y.sum(axis=1).mean():.2f}"
        table.add_row(title, str(X.shape[0]), str(X.shape[1]), labels)
    return table


def _hierarchy_tree(hierarchy: Hierarchy) -> Tree:
    """Draw the graph as a tree; a node with two parents stands under both."""
    top = Tree(repr(hierarchy))

    def add(branch: Tree, node: int) -> None:
        parents = hierarchy.parents(node)
        shared = f"  [dim]({parents.size} parents)[/dim]" if parents.size > 1 else ""
        below = branch.add(f"{hierarchy.titles[node]}{shared}")
        for child in hierarchy.children(node):
            add(below, int(child))

    for root in hierarchy.roots:
        add(top, int(root))
    return top
