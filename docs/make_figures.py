"""Draw the figures of the documents, in docs/figures.

Run ``make figures``, or ``python docs/make_figures.py``, and look at them.
"""

from pathlib import Path

from hilabel.classifiers import PredictiveClusteringTree
from hilabel.datasets import make_artificial
from hilabel.report import ClusteringTreeDisplay, PseudoLabelDisplay
from hilabel.semi_supervised import SSHMCBLI

FOLDER = Path(__file__).with_name("figures")
# Sharp enough for a page, and small enough for a repository.
DOTS_PER_INCH = 90


def draw_pseudo_labels() -> None:
    """Draw what SSHMC-BLI V1 makes of the paper's artificial data."""
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    display = PseudoLabelDisplay.from_models(data, {"V1": model}, nodes=(1, 4))
    display.plot().savefig(FOLDER / "pseudo_labels.png", dpi=DOTS_PER_INCH)


def draw_clustering_tree() -> None:
    """Draw one tree for the same data, all of whose labels are known."""
    data = make_artificial()
    tree = PredictiveClusteringTree(data.hierarchy, max_depth=3, random_state=0)
    tree.fit(data.X_test, data.Y_test)
    display = ClusteringTreeDisplay.from_estimator(tree)
    display.plot().savefig(FOLDER / "clustering_tree.png", dpi=DOTS_PER_INCH)


def main() -> None:
    """Draw all of them."""
    FOLDER.mkdir(exist_ok=True)
    draw_pseudo_labels()
    draw_clustering_tree()


if __name__ == "__main__":
    main()
