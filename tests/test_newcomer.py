"""What a newcomer finds on realistic files that hide the truth; small ones here.

``benchmarks/newcomer.py`` gives the figures on files of full size.
"""

import json

import pandas as pd
import pytest
from benchmarks.newcomer_files import ASPECTS, write_genes, write_shop
from click.testing import CliRunner

from hilabel.cli import app
from hilabel.persistence import load_model

ROOTS = [aspect.root for aspect in ASPECTS]
FEW = [
    "--fast",
    "--set",
    "n_estimators=10",
    "--folds",
    "2",
    "--jobs",
    "1",
    "--min-count",
    "1",
]


def hilabel(*words, code=0):
    result = CliRunner().invoke(app, [str(w) for w in words], prog_name="hilabel")
    assert result.exit_code == code, result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("newcomer")


@pytest.fixture(scope="module")
def genes(folder):
    return write_genes(folder, n_genes=250, n_terms=24)


@pytest.fixture(scope="module")
def data(genes):
    files = [genes.features, "-l", genes.labels, "-H", genes.hierarchy]
    return [*files, "--strip-version"]


@pytest.fixture(scope="module")
def model(data, folder):
    path = folder / "genes.hilabel"
    hilabel("fit", *data, *FEW, "-o", path)
    return path


def predicted(model, genes, folder, *options):
    path = folder / "predictions.csv"
    hilabel("predict", model, genes.features, "-o", path, *options)
    frame = pd.read_csv(path)
    return frame.assign(id=frame["id"].str.replace(r"\.\d+$", "", regex=True))


def test_the_same_seed_writes_the_same_files(genes, tmp_path):
    again = write_genes(tmp_path, n_genes=250, n_terms=24)
    for name in ("features", "labels", "hierarchy", "truth"):
        assert getattr(again, name).read_bytes() == getattr(genes, name).read_bytes()
    assert set(pd.read_csv(genes.truth)["id"]) == set(genes.hidden)


def test_genes_without_data_are_unlabelled_and_predicted(model, genes, folder):
    fitted = load_model(model)
    is_labeled = dict(zip(fitted.sample_ids, fitted.labeled, strict=True))
    assert genes.no_data
    assert not any(is_labeled[gene] for gene in genes.no_data)
    assert sum(is_labeled.values()) == 250 - len(genes.hidden)
    shown = predicted(model, genes, folder, "--without", genes.labels)
    assert set(shown["id"]) == set(genes.hidden)


def test_a_list_of_evidence_codes_drops_what_has_them(data, genes):
    told = hilabel("inspect", *data, "--exclude-evidence", "ND,IEA")
    n_lines = genes.labels.read_text().count("\tIEA\t")
    assert n_lines > 0
    assert f"dropped by evidence {n_lines} " in " ".join(told.split()) + " "


def test_roots_are_neither_shown_nor_counted(model, genes, folder):
    shown = predicted(model, genes, folder, "--top", "5")
    assert not shown["term"].isin(ROOTS).any()
    quality = load_model(model).summary["out_of_fold"]
    assert quality["average_precision"] < quality["average_precision_with_roots"]


def test_a_model_knows_retired_ids_without_the_hierarchy(model, genes):
    words = ["evaluate", genes.features, "-l", genes.labels, "-m", model, "--json"]
    found = [
        json.loads(hilabel(*words, *more))["measures"]
        for more in ([], ["-H", genes.hierarchy])
    ]
    assert found[0] == found[1]


def test_titles_are_learned_and_deeper_paths_count(folder):
    shop = write_shop(folder / "shop", n_products=500)
    model = folder / "shop.hilabel"
    options = ["-o", model, "--jobs", "1", "--thresholds", "none", "--fast"]
    hilabel("fit", shop.features, "-l", shop.labels, *options)
    words = [shop.features, "-l", shop.truth, "-m", model]
    told = hilabel("evaluate", *words)
    assert "0 unknown" in told
    quality = json.loads(hilabel("evaluate", *words, "--json"))["measures"][0]
    assert quality["model"] > 0.95 > 3 * quality["constant"]
