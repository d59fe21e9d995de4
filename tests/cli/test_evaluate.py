"""``hilabel evaluate``: tables on the screen, files in a folder."""

import json

import pandas as pd

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
EVALUATE = ["evaluate", *DATA, "--folds", "2", "--set", "estimator__n_estimators=5"]


def test_each_measure_has_the_constant_predictor_beside_it(shop, run):
    result = run("evaluate", *DATA, "--fast", "-o", "quality")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "120 labelled rows, each scored by models trained" in told
    measures = pd.read_csv(shop / "quality" / "measures.csv")
    assert list(measures.columns) == ["measure", "model", "constant", "better"]
    assert measures.notna().all().all()
    depths = pd.read_csv(shop / "quality" / "per_depth.csv")
    assert depths["depth"].tolist() == [1, 2, 3]
    assert {path.suffix for path in (shop / "quality").iterdir()} == {".csv", ".png"}


def test_rows_of_training_are_pointed_out(shop, run):
    result = run("evaluate", *DATA, "--model", "model.hilabel")
    assert result.exit_code == 0
    told = " ".join(result.stdout.split())
    assert "caution: 120 of the 120 test rows" in told


def test_json_holds_the_tables(shop, run):
    told = json.loads(run(*EVALUATE, "--json").stdout)
    assert [row["depth"] for row in told["per_depth"]] == [1, 2, 3]
    assert 0 <= told["calibration_error"] <= 1


def test_the_preprocessing_of_no_model_is_not_saved(shop, run):
    assert "saved" not in run(*EVALUATE).stdout
