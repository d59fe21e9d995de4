"""Whatever is wrong takes one line that names it, and leaves nothing behind."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from wrong_files import (
    DATA,
    EVALUATE,
    FILE_CASES,
    FIT,
    GENES,
    HEAD,
    PREDICT,
    ROW,
    cut,
    flipped,
    option,
    replaced,
    text,
)

# name: (files to spoil, arguments, what the line on stderr must say, in this order)
CASES = {
    **FILE_CASES,
    # Choices
    "method unknown": (
        {},
        option("--method", "SSHMCBLY"),
        "Unknown method 'SSHMCBLY'; .*Did you mean 'SSHMCBLI'.*--method",
    ),
    "method too simple": (
        {},
        option("--method", "TopDownClassifier", start=GENES),
        r"TopDownClassifier handles.*the labels are \(DAG, MPL, PD\); use .*--method",
    ),
    "parameter unknown": (
        {},
        option("--set", "polcy=siblings"),
        "no parameter 'polcy'; it has .*Did you mean 'policy'.*--set",
    ),
    "parameter out of range": (
        {},
        option("--method", "SSHMCBLI", "--set", "n_neighbors=0"),
        "'n_neighbors' parameter.*Got 0",
    ),
    "parameter of the wrong kind": (
        {},
        option("--set", "policy=3"),
        "'policy' parameter.*Got 3",
    ),
    "parameter of the base out of range": (
        {},
        [*FIT[:-1], "estimator__n_estimators=0"],
        "'n_estimators' parameter.*Got 0",
    ),
    "parameter without value": (
        {},
        option("--set", "policy"),
        "'--set'.*expected NAME=VALUE.*'policy'",
    ),
    "parameter given twice": (
        {},
        option("--set", "policy=siblings", "--set", "policy=inclusive"),
        "'--set'.*policy was given twice",
    ),
    "parameter with an option of its own": (
        {},
        option("--set", "random_state=3"),
        "random_state cannot be set here.*--seed",
    ),
    "preset and method": (
        {},
        option("--preset", "paper", "--method", "PriorClassifier"),
        "'paper' uses SSHMCBLI or Loc.*, not PriorClassifier.*--preset, --method",
    ),
    "preset unknown": ({}, option("--preset", "best"), "--preset.*'best' is not"),
    "base unknown": (
        {},
        option("--base", "svm"),
        "Unknown base 'svm'; expected.*--base",
    ),
    "base where there is none": (
        {},
        [*FIT[:-2], "--method", "PriorClassifier", "--base", "tree"],
        "PriorClassifier has no base classifier; remove.*--base, --set",
    ),
    "too few rows of any term": (
        {},
        option("--min-count", "1000"),
        "labels.csv: no node has.*1000 labelled rows.*--min-count",
    ),
    "one fold": ({}, option("--folds", "1"), "--folds.*1 is not in the range"),
    "more folds than rows": (
        {},
        ["evaluate", *DATA, "--folds", "500"],
        "one labelled row for each of 500 folds.*--folds",
    ),
    "negative seed": ({}, option("--seed", "-1"), "--seed.*-1 is not in the range"),
    "no jobs": (
        {},
        option("--jobs", "0"),
        "--jobs.*expected a positive number or -1, got 0",
    ),
    "missing values left in": (
        {},
        [*GENES, "--method", "SSHMCBLI", "--impute", "none"],
        "features.*column 'expression_.*missing values.*--impute",
    ),
    "model in no folder": (
        {},
        replaced("out.hilabel", "nowhere/m.hilabel"),
        "nowhere/m.hilabel: the folder nowhere does not exist; create it",
    ),
    "model in place of a folder": (
        {},
        replaced("out.hilabel", "."),
        "--output.*is a directory",
    ),
    # Predicting
    "model missing": (
        {},
        replaced("model.hilabel", "no.hilabel", PREDICT),
        "not exist",
    ),
    "model a table": (
        {},
        replaced("model.hilabel", "labels.csv", PREDICT),
        "labels.csv: this is not a hilabel model file.*written by 'hilabel fit'",
    ),
    "model cut short": (
        {"model.hilabel": cut},
        PREDICT,
        "model.hilabel: the file is truncated.*copy it again",
    ),
    "model changed": (
        {"model.hilabel": flipped},
        PREDICT,
        "model.hilabel: .*the file was modified or damaged.*copy it again",
    ),
    "new table lacks a column": (
        {"products.csv": text("product,price\nP1,2\n")},
        PREDICT,
        "products.csv: expected a column 'brand', got 1 columns besides the id column "
        "'product': 'price'",
    ),
    "new table has words for numbers": (
        {"products.csv": text(HEAD + "P1,dear,2,3,4,Arbo\n")},
        PREDICT,
        "products.csv: expected numbers in column 'price'.*'dear'",
    ),
    "new table repeats an id": (
        {"products.csv": text(HEAD + ROW + ROW)},
        PREDICT,
        "products.csv, line 3: id 'P0001' is already",
    ),
    "predictions in another format": (
        {},
        replaced("out.csv", "out.xlsx", PREDICT),
        r"out.xlsx: expected a file name that ends in .csv or .tsv or .parquet",
    ),
    "cafa in csv": (
        {},
        option("--format", "cafa", start=PREDICT),
        "out.csv: expected a file name that ends in .tsv",
    ),
    "nothing left to predict": (
        {"known.csv": text("".join(f"P{n:04},tea\n" for n in range(1, 241)))},
        option("--without", "known.csv", start=PREDICT),
        "products.csv: all 240 rows are annotated in .*known.csv.*--without",
    ),
    "predictions in no folder": (
        {},
        replaced("out.csv", "nowhere/out.csv", PREDICT),
        "nowhere/out.csv: the folder nowhere does not exist",
    ),
    "threshold beyond 1": (
        {},
        option("--threshold", "2", start=PREDICT),
        "--threshold.*number from 0 to 1, or 'model', got '2'",
    ),
    "top of none": ({}, option("--top", "0", start=PREDICT), "--top.*0 is not"),
    # Evaluating
    "method of a trained model": (
        {},
        option("--model", "model.hilabel", "--base", "tree", start=EVALUATE),
        "--base controls training, but --model is already",
    ),
    "jobs of a trained model": (
        {},
        option("--model", "model.hilabel", "--jobs", "1", start=EVALUATE),
        "--jobs controls training, but --model is already",
    ),
    "fewest rows of a trained model": (
        {},
        option("--model", "model.hilabel", "--min-count", "2", start=EVALUATE),
        "--min-count controls training, but --model is already",
    ),
    "columns of a trained model": (
        {},
        option("--model", "model.hilabel", "--drop", "brand", start=EVALUATE),
        "--drop controls training, but --model is already",
    ),
    "evaluation into a file": (
        {},
        replaced("out", "labels.csv", EVALUATE),
        "--output.*'labels.csv' is a file",
    ),
    "test labels of other ids": (
        {"labels.csv": text("id,term\nQ1,tea\n")},
        option("--model", "model.hilabel", start=EVALUATE),
        "labels.csv: no row has a label",
    ),
    # Explaining
    "row unknown": (
        {},
        ["explain", "neighbors.hilabel", "P9999"],
        "No training row has the id 'P9999'.*such as 'P0001'.*--features",
    ),
    "row not in the table": (
        {},
        ["explain", "neighbors.hilabel", "P9999", "--features", "products.csv"],
        "products.csv: no row has the id 'P9999'",
    ),
    "row not kept": (
        {},
        ["explain", "model.hilabel", "P0001"],
        "LocalClassifierPerNode does not store.*'P0001'.*--features",
    ),
    "figure in another format": (
        {},
        ["explain", "neighbors.hilabel", "P0001", "--png", "out.gif"],
        "out.gif: expected a file name that ends in .png",
    ),
    # Inspecting
    "hierarchy without labels": (
        {},
        ["inspect", "products.csv", "-H", "taxonomy.csv"],
        "--hierarchy needs --labels",
    ),
    "inspecting as nonsense": (
        {},
        ["inspect", "products.csv", "--as", "poem"],
        "--as.*'poem' is not one of",
    ),
    "inspecting with an option of labels": (
        {},
        ["inspect", "products.csv", "--min-count", "3"],
        "products.csv: this option does not apply .*kind 'features'.*--min-count",
    ),
    "inspecting with an option of ontologies": (
        {},
        ["inspect", "labels.csv", "--relation", "is_a"],
        "labels.csv: this option does not apply .*kind 'labels'.*--relation",
    ),
    "inspecting a damaged model": (
        {"model.hilabel": flipped},
        ["inspect", "model.hilabel"],
        "model.hilabel: the checksum does not match",
    ),
    "inspecting a table as a model": (
        {},
        ["inspect", "products.csv", "--as", "model"],
        "products.csv: this is not a hilabel model file",
    ),
    # Data sets
    "data set without collection": (
        {},
        ["datasets", "fetch", "cellcycle"],
        "Expected COLLECTION/NAME, such as GO/cellcycle, got 'cellcycle'",
    ),
    "data set unknown": (
        {},
        ["datasets", "fetch", "GO/cellcircle"],
        "Unknown GO data set 'cellcircle'; expected.*Did you mean 'cellcycle'",
    ),
    "data set to convert unknown": (
        {},
        ["datasets", "convert", "no.arff", "tables"],
        "no.arff: expected an ARFF file that exists.*GO/cellcycle",
    ),
    "data set not on this machine": (
        {},
        ["datasets", "convert", "GO/pheno", "tables", "--data-home", "nowhere"],
        "The GO data set 'pheno' is not in",
    ),
    "arff damaged": (
        {"t.arff": text("@relation t\n@attribute x numeric\n@data\n1,2\n")},
        ["datasets", "convert", "t.arff", "tables"],
        "t.arff",
    ),
    "arff by count": (
        {"t.arff": text("@relation t\n")},
        ["datasets", "convert", "t.arff", "tables", "--min-count", "3"],
        "t.arff: .*only supported for known data sets; remove it.*--min-count",
    ),
    # The command itself
    "command unknown": ({}, ["train"], "No such command 'train'.*hilabel --help"),
    "option unknown": ({}, option("--quick"), "No such option.*--quick.*fit --help"),
    "argument missing": (
        {},
        ["predict", "model.hilabel"],
        "Missing argument.*FEATURES",
    ),
    "figure folder a file": ({}, ["demo", "--output", "labels.csv"], "is a file"),
}


def listing(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


def assert_one_line(code, stdout, stderr, pattern):
    assert code == 2, stderr
    assert stdout == ""
    assert stderr.count("\n") == 1, stderr
    assert stderr.startswith("hilabel: ")
    assert "Traceback" not in stderr
    assert re.search(pattern, stderr), stderr


def test_there_are_enough_cases():
    assert len(CASES) >= 60


@pytest.mark.parametrize("name", list(CASES))
def test_what_is_wrong_takes_one_line(name, shop, run):
    spoiled, args, pattern = CASES[name]
    for file, spoil in spoiled.items():
        spoil(shop / file)
    before = listing(shop)
    result = run(*args)
    assert_one_line(result.exit_code, result.stdout, result.stderr, pattern)
    assert listing(shop) == before


@pytest.mark.parametrize(
    "name", ["features short row", "model changed", "command unknown"]
)
def test_the_installed_command_says_the_same(name, shop, command):
    spoiled, args, pattern = CASES[name]
    for file, spoil in spoiled.items():
        spoil(shop / file)
    before = listing(shop)
    done = command(*args, cwd=shop)
    assert_one_line(done.returncode, done.stdout, done.stderr, pattern)
    assert listing(shop) == before


class Stranger(GaussianNB):
    """A type that its author trusts, and the command does not know."""


@pytest.mark.filterwarnings("ignore:.*constant probability")
def test_a_model_with_a_foreign_type_is_refused(shop, run):
    from hilabel.classifiers import LocalClassifierPerNode
    from hilabel.persistence import load_model, save_model

    model = load_model("model.hilabel")
    is_odd = np.arange(40) % 2 == 1
    X = np.repeat(is_odd[:, None].astype(float), model.estimator.n_features_in_, 1)
    y = np.repeat(is_odd[:, None].astype(np.int8), model.hierarchy.n_nodes, 1)
    theirs = LocalClassifierPerNode(model.hierarchy, estimator=Stranger())
    model = replace(model, estimator=theirs.fit(X, y))
    name = f"{Stranger.__module__}.{Stranger.__name__}"
    save_model(model, "model.hilabel", trusted=[name])
    result = run(*PREDICT)
    pattern = "model.hilabel: the file contains an object of type .*Stranger.*not trust"
    assert_one_line(result.exit_code, result.stdout, result.stderr, pattern)
