"""Draw the figures of the documentation in docs/figures.

Run ``make figures``, or ``python docs/make_figures.py``, and check them by eye.
"""

import re
from io import BytesIO
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from draw_policies import draw_policies
from draw_tuning import draw_tuning
from PIL import Image

from hilabel import UNLABELED
from hilabel.classifiers import (
    HierarchicalNetwork,
    PredictiveClusteringForest,
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
from hilabel.models import model_of_estimator
from hilabel.report import (
    ClusteringTreeDisplay,
    CriticalDifferenceDisplay,
    PseudoLabelDisplay,
    TrainingCurveDisplay,
    model_page,
)
from hilabel.report.study import write_study_report
from hilabel.semi_supervised import SSHMCBLI
from hilabel.studies import block_scores, read_results, run_study

FOLDER = Path(__file__).with_name("figures")
# Sharp enough for a page, but small enough for a repository.
DOTS_PER_INCH = 85
DESK = {"width": 1200, "height": 1150}
TALL = {"width": 1200, "height": 1640}
PHONE = {"width": 390, "height": 800}
# The numbers of the blocks of docs/figures_of_results.md that draw these figures.
_BLOCKS = {"pseudo_labels_any_data": 0, "label_fraction": 1, "critical_difference": 3}
STUDY = Path(__file__).parents[1] / "studies" / "results" / "paper_go"


def draw_pseudo_labels() -> None:
    """Draw the pseudo-labels of SSHMC-BLI V1 on the paper's artificial data."""
    data = make_artificial()
    model = SSHMCBLI(data.hierarchy, variant="v1", random_state=0)
    model.fit(data.X_labeled, data.Y_labeled, X_unlabeled=data.X_unlabeled)
    display = PseudoLabelDisplay.from_models(data, {"V1": model}, nodes=(1, 4))
    display.plot().savefig(FOLDER / "pseudo_labels.png", dpi=DOTS_PER_INCH)


def draw_figures_of_results() -> None:
    """Draw the figures of docs/figures_of_results.md with the code of that page."""
    page = Path(__file__).with_name("figures_of_results.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for name, number in _BLOCKS.items():
        code, _, _ = blocks[number].rpartition("display.plot()")
        names: dict[str, Any] = {}
        exec(compile(code, name, "exec"), names)
        path = FOLDER / f"{name}.png"
        names["display"].plot().savefig(path, dpi=DOTS_PER_INCH)


def draw_own_vote() -> None:
    """Draw the ranks of the variants and of a vote of one's own."""
    study = FOLDER.parents[1] / "examples" / "own_vote" / "study.toml"
    with TemporaryDirectory() as folder:
        run_study(study, folder)
        scores = block_scores(read_results(folder)["results"])
    figure = CriticalDifferenceDisplay.from_scores(scores).plot()
    figure.savefig(FOLDER / "own_vote.png", dpi=DOTS_PER_INCH)


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


def take_pictures_of_pages() -> None:
    """Take pictures of the pages of a model and of a study, on a desk and a phone.

    They need Playwright and a Chromium of the machine.
    """
    from playwright.sync_api import sync_playwright

    data = make_hierarchical_classification(
        600, 30, n_nodes=60, noise=1.0, random_state=0
    )
    forest = PredictiveClusteringForest(data.hierarchy, random_state=0)
    X, Y = pd.DataFrame(data.X).add_prefix("measurement "), data.Y.copy()
    Y[400:] = UNLABELED
    scores = out_of_fold_scores(forest, X, Y)
    model = model_of_estimator(forest.fit(X, Y), X, Y, out_of_fold=scores)
    page = model_page(model, X, title="A made-up problem")
    term, row = page.payload["terms"]["id"][20], page.payload["to_check"]["new"][0][0]
    row_id = page.payload["rows"]["id"][row]
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        page.write(folder / "model.html")
        write_study_report(STUDY, folder / "study")
        browser = playwright.chromium.launch(
            executable_path=which("chromium") or which("google-chrome"),
            args=["--no-sandbox"],
        )
        tab = browser.new_page()
        for file, address, size, picture in (
            ("model.html", f"#term={term}", TALL, "model_page"),
            ("model.html", f"#row={row_id}", DESK, "model_page_row"),
            ("model.html", f"#row={row_id}", PHONE, "model_page_phone"),
            ("study/index.html", "", DESK, "study_page"),
            ("study/index.html", "", PHONE, "study_page_phone"),
        ):
            tab.set_viewport_size(size)
            tab.goto("about:blank")
            tab.goto((folder / file).as_uri() + address)
            tab.evaluate("scrollTo(0, 0)")
            tab.wait_for_timeout(500)
            taken = Image.open(BytesIO(tab.screenshot()))
            # A page has few colours, and a palette of them takes a third of the room.
            taken.quantize(96).save(FOLDER / f"{picture}.png", optimize=True)
        browser.close()


def main() -> None:
    """Draw all figures."""
    FOLDER.mkdir(exist_ok=True)
    draw_pseudo_labels()
    draw_figures_of_results()
    draw_policies(FOLDER / "policies.png", DOTS_PER_INCH)
    draw_tuning(STUDY, FOLDER.with_name("reproduction") / "tuning.png", DOTS_PER_INCH)
    draw_own_vote()
    draw_clustering_tree()
    draw_training_curve()
    take_pictures_of_pages()


if __name__ == "__main__":
    main()
