"""``hilabel fit --tune``: its grid, its rows, and what it shows."""

import json

import click
import pandas as pd
import pytest

from hilabel.cli._tuning import TuningCommand, tuning_options
from hilabel.persistence import load_model, read_manifest

FIT = ["fit", "products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
FIT += [
    "--method",
    "V2",
    "--base",
    "naive-bayes",
    "--no-measure",
    "--jobs",
    "1",
]
GRID = {"k": [3, 4, 5], "similarity_threshold": [0.3, 0.5]}


@click.command(cls=TuningCommand)
@click.argument("features")
@tuning_options
def grid_of(features, tune, **_):
    return features, tune


@pytest.mark.parametrize(
    "args",
    [
        ["x.csv", "--tune", "k=3,4,5", "similarity_threshold=.3,.5"],
        ["--tune", "k=3,4,5", "similarity_threshold=.3,.5", "x.csv"],
        ["--tune", "k=3,4,5 similarity_threshold=.3,.5", "x.csv"],
        ["--tune=k=3,4,5", "similarity_threshold=.3,.5", "x.csv"],
        ["--tune", "k=3,4,5", "x.csv", "--tune", "similarity_threshold=.3,.5"],
    ],
)
def test_a_grid_can_be_written_in_several_ways(args):
    assert grid_of.main(args, standalone_mode=False) == ("x.csv", GRID)


def test_values_in_brackets_are_one_value():
    args = ["x.csv", "--tune", "a=[1, 2],none", "b='x y'"]
    with pytest.raises(click.BadParameter, match="expected NAME=VALUE,VALUE"):
        grid_of.main(args, standalone_mode=False)
    found = grid_of.main(args[:-1], standalone_mode=False)
    assert found[1] == {"a": [[1, 2], None]}


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["--tune", "k=3,4"],
            "validation rows to tune on.*--valid, --valid-share",
        ),
        (["--valid-share", "0.2"], "only used to choose parameters.*--tune"),
        (["--tune", "k=3", "--valid-share", "2"], "share between 0 and 1, got 2"),
        (["--tune", "k=", "--valid-share", ".2"], "expected NAME=VALUE,VALUE"),
        (["--tune", "k=3", "k=4", "--valid-share", ".2"], "k was given twice"),
        (
            ["--tune", "k=3", "--set", "k=4", "--valid-share", ".2"],
            "n_neighbors is both set to 4 and tuned.*--set, --tune",
        ),
        (["--tune", "variant=v1", "--valid-share", ".2"], "set to 'v2' and tuned"),
        (["--tune", "kk=3", "--valid-share", ".2"], "SSHMCBLI has no parameter 'kk'"),
        (["--tune", "k=3,0", "--valid-share", ".2"], "'n_neighbors' parameter"),
        (
            ["--tune", "k=3", "--valid", "products.csv"],
            "other rows than in .*, got 240 of the same.*'P0001'.*--valid",
        ),
    ],
)
def test_a_mistake_is_one_line(shop, run, args, message):
    result = run(*FIT, *args)
    assert result.exit_code == 2
    line = result.stderr.strip()
    assert "\n" not in line
    with pytest.raises(ValueError, match=message):
        raise ValueError(line)


def test_the_grid_points_are_shown_and_saved(shop, run):
    tune = ["--tune", "k=3,4", "THR=.3,.5", "--valid-share", ".25", "-o", "t.hilabel"]
    result = run(*FIT, *tune, "--details")
    assert result.exit_code == 0, result.stderr
    told = " ".join(result.stdout.split())
    assert "the best of 4 grid points by micro average precision" in told
    assert "on 30 validation rows (set aside from the labelled rows;" in told
    assert "rows: 210, 90 labelled" in told
    assert told.count(" yes ") == 1
    found = json.loads(run(*FIT, *tune, "--json").stdout)["summary"]["tuning"]
    assert found == read_manifest("t.hilabel").summary["tuning"]
    scores = [point["score"] for point in found["points"]]
    assert found["best"] == found["points"][scores.index(max(scores))]["parameters"]
    model = load_model("t.hilabel")
    parameters = model.estimator.get_params(deep=False)
    assert {name: parameters[name] for name in found["best"]} == found["best"]
    assert model.estimator.memory is None


def test_validation_rows_of_a_file_train_no_model(shop, run):
    table, labels = pd.read_csv("products.csv"), pd.read_csv("labels.csv")
    labeled = table["product"].isin(labels["product"])
    apart = table[labeled].iloc[::4]
    apart.to_csv("valid.csv", index=False)
    table[~table["product"].isin(apart["product"])].to_csv("products.csv", index=False)
    tune = ["--tune", "k=3,4", "--valid", "valid.csv", "-o", "one.hilabel"]
    result = run(*FIT, *tune, "--details")
    assert result.exit_code == 0, result.stderr
    told = " ".join(result.stdout.split())
    assert "on 30 validation rows (valid.csv; not used for training)" in told
    assert "without features" not in told
    model = load_model("one.hilabel")
    assert not set(model.sample_ids) & set(apart["product"])
    # The same labels in a file of their own.
    own = labels[labels["product"].isin(apart["product"])]
    own.to_csv("valid_labels.csv", index=False)
    labels[~labels["product"].isin(apart["product"])].to_csv("labels.csv", index=False)
    files = ["--valid", "valid.csv", "--valid-labels", "valid_labels.csv"]
    assert run(*FIT, "--tune", "k=3,4", *files, "-o", "two.hilabel").exit_code == 0
    again = load_model("two.hilabel")
    assert again.summary["tuning"]["points"] == model.summary["tuning"]["points"]
