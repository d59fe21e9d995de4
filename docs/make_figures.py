"""Draw the figures of the documentation in docs/figures.

Run ``make figures``, or ``python docs/make_figures.py``, and check them by eye.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from hilabel.classifiers import (
    HierarchicalNetwork,
    PredictiveClusteringTree,
    PriorClassifier,
)
from hilabel.datasets import (
    load_table,
    make_artificial,
    make_hierarchical_classification,
    write_example,
)
from hilabel.metrics import average_precision
from hilabel.model_selection import out_of_fold_scores
from hilabel.report import (
    ClusteringTreeDisplay,
    PseudoLabelDisplay,
    TrainingCurveDisplay,
)
from hilabel.semi_supervised import SSHMCBLI

FOLDER = Path(__file__).with_name("figures")
# Sharp enough for a page, but small enough for a repository.
DOTS_PER_INCH = 85


def draw_pseudo_labels() -> None:
    """Draw the pseudo-labels of SSHMC-BLI V1 on the paper's artificial data."""
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    display = PseudoLabelDisplay.from_models(data, {"V1": model}, nodes=(1, 4))
    display.plot().savefig(FOLDER / "pseudo_labels.png", dpi=DOTS_PER_INCH)


def draw_clustering_tree() -> None:
    """Draw one tree for all categories of the example shop."""
    with TemporaryDirectory() as folder:
        files = write_example(folder, "shop")
        shop = load_table(
            files["features"], files["labels"], files["hierarchy"]
        ).dataset
    X = pd.DataFrame(shop.X, columns=shop.feature_names)
    tree = PredictiveClusteringTree(shop.hierarchy, max_depth=2, min_samples_leaf=5)
    tree.fit(X, shop.Y)
    display = ClusteringTreeDisplay.from_estimator(tree)
    display.plot().savefig(FOLDER / "clustering_tree.png", dpi=DOTS_PER_INCH)


def draw_training_curve() -> None:
    """Draw training curves of networks of three shapes on synthetic data."""
    data = make_hierarchical_classification(
        600, 30, n_nodes=25, noise=1.0, random_state=0
    )
    X, Y, hierarchy = data.X, data.Y, data.hierarchy
    model = HierarchicalNetwork(
        hierarchy, n_members=6, batch_size=64, max_steps=1000, random_state=0
    ).fit(X, Y)
    constant = out_of_fold_scores(PriorClassifier(hierarchy), X, Y, random_state=0)
    display = TrainingCurveDisplay.from_estimator(
        model, constant=average_precision(Y, constant)
    )
    display.plot().savefig(FOLDER / "training_curve.png", dpi=DOTS_PER_INCH)


def main() -> None:
    """Draw all figures."""
    FOLDER.mkdir(exist_ok=True)
    draw_pseudo_labels()
    draw_clustering_tree()
    draw_training_curve()


if __name__ == "__main__":
    main()
