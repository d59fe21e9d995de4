"""From raw files to predictions through the real command, as a user would go."""

import json

import numpy as np
import pandas as pd
import pytest

from hilabel.datasets import load_go, read_hierarchy
from hilabel.metrics import average_precision

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
FEW_TREES = ["--set", "estimator__n_estimators=10"]


def done_well(done):
    """Return the standard output of a command that ended well and quietly."""
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout
    return done.stdout


def assert_consistent(predictions, hierarchy):
    """Check that every predicted term comes with its parents, as probable at least."""
    for _, rows in predictions.groupby("id"):
        probability = dict(zip(rows["term"], rows["probability"], strict=True))
        for term, value in probability.items():
            for parent in hierarchy.parents(term):
                assert probability[hierarchy.names[parent]] >= value


def test_genes_from_obo_gaf_and_csv(command, tmp_path):
    def hilabel(*args):
        return done_well(command(*args, cwd=tmp_path))

    written = hilabel("demo", "--write-files", "example").split()
    features, labels, hierarchy = written
    data = [features, "--labels", labels, "--hierarchy", hierarchy]

    told = hilabel("inspect", *data)
    assert "(DAG, MPL, PD)" in told
    assert "2 (G9998, G9999)" in told
    assert "1 (GO:9000001 -> GO:0000001)" in told
    assert "1 (GO:9000002)" in told

    # The table is cut in two: genes that train, and genes that come later.
    table = pd.read_csv(tmp_path / features)
    table[:300].to_csv(tmp_path / "known.csv", index=False)
    table[300:].to_csv(tmp_path / "new.csv", index=False)
    fit = ["fit", "known.csv", *data[1:], "--method", "SSHMCBLI", *FEW_TREES]
    told = hilabel(*fit, "--seed", 3, "-o", "genes.hilabel", "--details")
    assert "rows: 300" in told
    assert "constant predictor" in told
    assert "method: SSHMCBLI" in told

    hilabel("predict", "genes.hilabel", "new.csv", "--roots", "-o", "terms.tsv")
    terms = pd.read_csv(tmp_path / "terms.tsv", sep="\t")
    assert set(terms["status"]) == {"new"}
    assert set(terms["id"]) == set(table["gene"][300:])
    assert terms["name"].str.startswith("function ").all()
    assert_consistent(terms, read_hierarchy(tmp_path / hierarchy).hierarchy)

    told = json.loads(
        hilabel("evaluate", "new.csv", *data[1:], "-m", "genes.hilabel", "--json")
    )
    measures = {row["measure"]: row for row in told["measures"]}
    micro = measures["micro average precision"]
    assert micro["model"] > micro["constant"]

    annotated = (tmp_path / labels).read_text()
    gene = next(gene for gene in table["gene"][:300] if gene not in annotated)
    told = json.loads(
        hilabel("explain", "genes.hilabel", gene, "--json", "--png", "why.png")
    )
    assert told["id"] == gene
    assert len(told["neighbors"]) == 3
    assert (tmp_path / "why.png").read_bytes().startswith(PNG_SIGNATURE)


def test_cellcycle_from_tables(command, tmp_path, data_home):
    def hilabel(*args):
        return done_well(command(*args, cwd=tmp_path, HILABEL_DATA=str(data_home)))

    hilabel("datasets", "convert", "GO/cellcycle", "tables", "--min-count", 200)
    files = {path.name for path in (tmp_path / "tables").iterdir()}
    assert files == {
        "features.csv",
        "labels.tsv",
        "hierarchy.csv",
        "test_features.csv",
        "test_labels.tsv",
    }
    # One annotated gene in five is kept; the others become unlabelled rows.
    labels = pd.read_csv(tmp_path / "tables" / "labels.tsv", sep="\t")
    number = labels["id"].str.removeprefix("row").astype(int)
    labels[number % 5 == 0].to_csv(tmp_path / "few.csv", index=False)
    told = hilabel(
        "fit",
        "tables/features.csv",
        "--labels",
        "few.csv",
        "--hierarchy",
        "tables/hierarchy.csv",
        "--min-count",
        20,
        "--folds",
        2,
        "--method",
        "PredictiveClusteringForest",
    )
    assert "rows: 2473, 494 labelled, 1979 unlabelled" in told
    args = ["--format", "wide", "-o", "wide.parquet"]
    hilabel("predict", "model.hilabel", "tables/test_features.csv", *args)
    wide = pd.read_parquet(tmp_path / "wide.parquet").set_index("id")

    # The same rows, read without going through tables.
    test = load_go("cellcycle", min_count=200, data_home=data_home).test
    nodes = [test.hierarchy.node(name) for name in wide.columns]
    assert wide.shape == (test.n_samples, len(nodes))
    by_hand = average_precision(test.Y[:, nodes], wide.to_numpy())
    told = json.loads(
        hilabel(
            "evaluate",
            "tables/test_features.csv",
            "-l",
            "tables/test_labels.tsv",
            "-H",
            "tables/hierarchy.csv",
            "-m",
            "model.hilabel",
            "--json",
        )
    )
    assert told["measures"][0]["model"] == pytest.approx(by_hand, rel=1e-9)


def test_products_from_plain_csv(command, tmp_path):
    def hilabel(*args):
        return done_well(command(*args, cwd=tmp_path))

    hilabel("demo", "--write-files", "shop", "--example", "shop")
    data = ["shop/products.csv", "-l", "shop/labels.csv", "-H", "shop/taxonomy.csv"]
    hilabel("fit", *data, *FEW_TREES, "-o", "shop.hilabel", "--quiet")
    told = hilabel(
        *["predict", "shop.hilabel", "shop/products.csv", "-o", "categories.parquet"],
        *["--threshold", "model", "--no-out-of-fold"],
    )
    assert "categories.parquet" in told
    predicted = pd.read_parquet(tmp_path / "categories.parquet")
    labels = pd.read_csv(tmp_path / "shop" / "labels.csv")
    found = set(zip(predicted["id"], predicted["term"], strict=True))
    given = list(zip(labels["product"], labels["category"], strict=True))
    assert np.mean([pair in found for pair in given]) > 0.9
    told = hilabel("evaluate", *data, *FEW_TREES, "-o", "quality")
    assert "micro average precision" in told
    for name in ("calibration.png", "precision_recall.png"):
        path = tmp_path / "quality" / name
        assert path.read_bytes().startswith(PNG_SIGNATURE)
