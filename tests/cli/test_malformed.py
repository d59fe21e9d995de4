"""Whatever is wrong takes one line that names it, and leaves nothing behind."""

import gzip
import re

import numpy as np
import pandas as pd
import pytest

DATA = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
FIT = ["fit", *DATA, "-o", "out.hilabel", "--set", "estimator__n_estimators=2"]
GENES = ["fit", "features.csv", "-l", "annotations.gaf", "-H", "terms.obo"]
GENES += ["-o", "out.hilabel"]
PREDICT = ["predict", "model.hilabel", "products.csv", "-o", "out.csv"]
EVALUATE = ["evaluate", *DATA, "-o", "out"]
HEAD = "product,price,weight,width,height,brand\n"
ROW = "P0001,1.0,2.0,3.0,4.0,Arbo\n"
GAF = "EX\t{id}\ts\t{qualifier}\t{term}\tR\tEXP\t\tF\t\t\tp\tt\t2024\tEX\t\t\n"


def text(content):
    return lambda path: path.write_text(content, encoding="utf-8")


def raw(content):
    return lambda path: path.write_bytes(content)


def edited(change):
    def edit(path):
        path.write_text(change(path.read_text()))

    return edit


def line_replaced(number, line):
    """Return an edit that puts another line in the place of one, counted from 1."""

    def change(content):
        lines = content.splitlines(keepends=True)
        lines[number - 1] = line
        return "".join(lines)

    return edited(change)


def appended(line):
    return edited(lambda content: content + line)


def parquet(frame):
    return lambda path: frame.to_parquet(path)


def flipped(path):
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def option(*more, start=FIT):
    return [*start, *more]


def replaced(old, new, args=FIT):
    return [new if arg == old else arg for arg in args]


WIDE_TEXT = HEAD + "".join(
    f"P{i:04d},1,2,3,4,word number {i}\n" for i in range(1, 1105)
)

# name: (files to spoil, arguments, what the line on stderr must say, in this order)
CASES = {
    # Features
    "features missing": ({}, replaced("products.csv", "no.csv"), "no.csv.*not exist"),
    "features a folder": ({}, replaced("products.csv", "."), "is a directory"),
    "features empty": ({"products.csv": raw(b"")}, FIT, "products.csv: .*is empty"),
    "features blank": ({"products.csv": text("\n \n")}, FIT, "products.csv: .*empty"),
    "features heading only": (
        {"products.csv": text(HEAD)},
        FIT,
        "products.csv: expected rows below the heading",
    ),
    "features short row": (
        {"products.csv": line_replaced(3, "P0002,1\n")},
        FIT,
        "products.csv, line 3: expected 6 columns.*got 2",
    ),
    "features long row": (
        {"products.csv": line_replaced(4, ROW.strip() + ",9\n")},
        FIT,
        "products.csv, line 4: expected 6 columns.*got 7.*add one",
    ),
    "features repeated id": (
        {"products.csv": appended(ROW)},
        FIT,
        "products.csv, line 242: id 'P0001' is already in line 2",
    ),
    "features empty id": (
        {"products.csv": line_replaced(5, ROW.replace("P0001", ""))},
        FIT,
        "products.csv, line 5: the id is empty",
    ),
    "features repeated column": (
        {"products.csv": line_replaced(1, HEAD.replace("weight", "price"))},
        FIT,
        "products.csv, line 1: two columns are named 'price'",
    ),
    "features nameless column": (
        {"products.csv": line_replaced(1, HEAD.replace("weight", ""))},
        FIT,
        "products.csv, line 1: column 3 has no name",
    ),
    "features without heading": (
        {"products.csv": text("P1,1.5,2.5\nP2,3.5,4.5\n")},
        FIT,
        "products.csv, line 1: expected the names.*add a first line",
    ),
    "features word among numbers": (
        {"products.csv": line_replaced(7, ROW.replace("P0001,1.0", "P0006,dear"))},
        FIT,
        "products.csv, line 7: expected a number in column 'price'.*'dear'. Mend it, "
        "or name the column with --categorical or --drop",
    ),
    "features infinite": (
        {"products.csv": line_replaced(2, ROW.replace("1.0", "inf"))},
        FIT,
        "products.csv: expected finite numbers.*column 'price', row 1; leave the cell",
    ),
    "features open quote": (
        {"products.csv": appended('P9,1,2,3,4,"Arbo\n')},
        FIT,
        "products.csv, line 242: .*quotation mark",
    ),
    "features Latin-1": (
        {"products.csv": raw((HEAD + ROW.replace("Arbo", "Ärbo")).encode("latin-1"))},
        FIT,
        "products.csv, line 2: expected UTF-8.*save the file as UTF-8",
    ),
    "features UTF-16": (
        {"products.csv": raw((HEAD + ROW).encode("utf-16"))},
        FIT,
        "products.csv: expected UTF-8 text.*saved as UTF-8",
    ),
    "features ids only": (
        {"products.csv": text("product\nP0001\nP0002\n")},
        FIT,
        "products.csv: expected at least one feature",
    ),
    "features damaged gzip": (
        {"products.csv": raw(gzip.compress((HEAD + ROW).encode())[:-9])},
        FIT,
        "products.csv: the file is compressed but.*again",
    ),
    "features free text": (
        {"products.csv": text(WIDE_TEXT)},
        FIT,
        "products.csv: column 'brand' has 1104 different words.*out with --drop",
    ),
    "features no such id column": (
        {},
        option("--id-column", "sku"),
        "products.csv: expected a column 'sku', got 6 columns: 'product'",
    ),
    "features no such categorical": (
        {},
        option("--categorical", "colour"),
        "products.csv: expected a column 'colour'",
    ),
    "features no such column to drop": (
        {},
        option("--drop", "colour"),
        "products.csv: expected a column 'colour'",
    ),
    "features all dropped": (
        {"products.csv": text("product,price\nP0001,1\n")},
        option("--drop", "price"),
        "products.csv: expected at least one feature",
    ),
    "parquet damaged": (
        {"t.parquet": raw(b"PAR1 and no more")},
        replaced("products.csv", "t.parquet"),
        "t.parquet: expected a Parquet file",
    ),
    "parquet empty": (
        {"t.parquet": parquet(pd.DataFrame({"id": [], "x": []}))},
        replaced("products.csv", "t.parquet"),
        "t.parquet: expected rows and columns",
    ),
    "parquet repeated id": (
        {"t.parquet": parquet(pd.DataFrame({"id": ["a", "a"], "x": [1.0, 2.0]}))},
        replaced("products.csv", "t.parquet"),
        "t.parquet, row 2: id 'a' is already in row 1",
    ),
    "parquet dates": (
        {
            "t.parquet": parquet(
                pd.DataFrame({"id": ["a"], "day": [pd.Timestamp("2024-01-01")]})
            )
        },
        replaced("products.csv", "t.parquet"),
        "t.parquet: expected numbers or words in column 'day'.*with --drop",
    ),
    # Labels
    "labels missing": ({}, replaced("labels.csv", "no.csv"), "no.csv.*does not exist"),
    "labels not given": ({}, ["fit", "products.csv"], "Missing option.*--labels"),
    "labels empty": ({"labels.csv": raw(b"")}, FIT, "labels.csv: the file is empty"),
    "labels heading only": (
        {"labels.csv": text("id,term\n")},
        FIT,
        "labels.csv: expected annotations, got only",
    ),
    "labels three columns": (
        {"labels.csv": appended("P1,tea,3\n")},
        FIT,
        "labels.csv, line 122: expected two columns, id and term, got 3",
    ),
    "labels empty id": (
        {"labels.csv": appended(",tea\n")},
        FIT,
        "labels.csv, line 122: expected two columns.*empty id",
    ),
    "labels unknown term": (
        {"labels.csv": line_replaced(9, "P0001,teaa\n")},
        FIT,
        "labels.csv, line 9: term 'teaa' is not in the hierarchy.*--unknown-terms drop",
    ),
    "labels of other ids": (
        {"labels.csv": text("id,term\nQ1,tea\n")},
        FIT,
        "labels.csv: no row gets a label.*products.csv.*'P0001'.*'Q1'.*--id-column",
    ),
    "labels without terms": (
        {"labels.csv": text("id,term\nP0001,\n")},
        FIT,
        "labels.csv: expected annotations, but none.*1 name no term",
    ),
    "labels all unknown": (
        {"labels.csv": text("id,term\nP0001,teaa\n")},
        option("--unknown-terms", "drop"),
        "labels.csv: no row gets a label.*1 unknown, such as 'teaa'",
    ),
    "labels Latin-1": (
        {"labels.csv": raw("id,term\nP0001,thé\n".encode("latin-1"))},
        FIT,
        "labels.csv, line 2: expected UTF-8",
    ),
    "labels evidence of a table": (
        {},
        option("--evidence", "EXP"),
        "labels.csv: evidence codes.*need a GAF file.*leave --evidence out",
    ),
    "gaf short row": (
        {"annotations.gaf": appended("EX\tG1\n")},
        GENES,
        r"annotations.gaf, line \d+: expected the 17 tab-separated columns",
    ),
    "gaf old version": (
        {"annotations.gaf": line_replaced(1, "!gaf-version: 1.0\n")},
        GENES,
        "annotations.gaf, line 1: expected GAF 2.0 to 2.2, got GAF 1.0; fetch",
    ),
    "gaf another format": (
        {"annotations.gaf": line_replaced(1, "!gpa-version: 1.1\n")},
        GENES,
        "annotations.gaf, line 1: expected GAF.*got GPA 1.1",
    ),
    "gaf empty term": (
        {"annotations.gaf": appended(GAF.format(id="G1", qualifier="", term=""))},
        GENES,
        r"annotations.gaf, line \d+: expected an identifier in column 5",
    ),
    "gaf comments only": (
        {"annotations.gaf": text("!gaf-version: 2.2\n")},
        GENES,
        "annotations.gaf: expected annotations, got only comments",
    ),
    "gaf all NOT": (
        {
            "annotations.gaf": text(
                GAF.format(id="G0001", qualifier="NOT", term="GO:0000001")
            )
        },
        GENES,
        "annotations.gaf: expected annotations, but none.*1 say NOT",
    ),
    "gaf no such evidence": (
        {},
        option("--evidence", "XYZ", start=GENES),
        "annotations.gaf: expected annotations.*other evidence codes",
    ),
    "gaf retired terms only": (
        {
            "annotations.gaf": text(
                GAF.format(id="G0001", qualifier="", term="GO:9000002")
            )
        },
        GENES,
        "annotations.gaf: no row gets a label.*1 obsolete.*GO:9000002",
    ),
    # Hierarchies
    "hierarchy missing": ({}, replaced("taxonomy.csv", "no.csv"), "no.csv.*not exist"),
    "hierarchy empty": ({"taxonomy.csv": raw(b"")}, FIT, "taxonomy.csv: .*is empty"),
    "hierarchy cycle": (
        {"taxonomy.csv": appended("tea,food\n")},
        FIT,
        "taxonomy.csv: .*cycle.*food",
    ),
    "hierarchy own parent": (
        {"taxonomy.csv": appended("tea,tea\n")},
        FIT,
        "taxonomy.csv, line 17: 'tea' is its own parent",
    ),
    "hierarchy empty child": (
        {"taxonomy.csv": appended("tea,\n")},
        FIT,
        "taxonomy.csv, line 17: the child is empty.*leave the parent empty",
    ),
    "hierarchy wide row": (
        {"taxonomy.csv": appended("a,b,c\n")},
        FIT,
        "taxonomy.csv, line 17: expected 2 columns, as in line 1, got 3",
    ),
    "hierarchy three columns": (
        {"taxonomy.csv": text("a,b,c\n")},
        FIT,
        "taxonomy.csv, line 1: expected two columns, parent and child",
    ),
    "hierarchy half a heading": (
        {"taxonomy.csv": text("parent,node\na,b\n")},
        FIT,
        "taxonomy.csv, line 1: expected the columns to be named",
    ),
    "hierarchy heading only": (
        {"taxonomy.csv": text("parent,child\n")},
        FIT,
        "taxonomy.csv: expected edges, got only a heading",
    ),
    "hierarchy empty step": (
        {"taxonomy.csv": text("food//tea\n")},
        FIT,
        "taxonomy.csv, line 1: the path 'food//tea' has an empty step",
    ),
    "obo term twice": (
        {"terms.obo": appended("\n[Term]\nid: GO:0000001\nname: again\n")},
        GENES,
        "terms.obo.*GO:0000001",
    ),
    "obo cycle": (
        {
            "terms.obo": appended(
                "\n[Term]\nid: GO:1\nis_a: GO:2\n\n[Term]\nid: GO:2\nis_a: GO:1\n"
            )
        },
        GENES,
        "terms.obo.*cycle",
    ),
    "obo without terms": (
        {"terms.obo": text("format-version: 1.2\n")},
        GENES,
        "terms.obo",
    ),
    # Choices
    "method unknown": (
        {},
        option("--method", "SSHMCBLY"),
        "Unknown method 'SSHMCBLY'; expected one of.*Did you mean SSHMCBLI",
    ),
    "method too simple": (
        {},
        option("--method", "TopDownClassifier", start=GENES),
        r"TopDownClassifier handles.*the labels are \(DAG, MPL, PD\); use --method",
    ),
    "parameter unknown": (
        {},
        option("--set", "polcy=siblings"),
        "--set polcy: .*no such parameter; it has .*Did you mean policy",
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
        "Expected --set NAME=VALUE.*'policy'",
    ),
    "parameter given twice": (
        {},
        option("--set", "policy=siblings", "--set", "policy=inclusive"),
        "--set policy is given twice",
    ),
    "parameter with an option of its own": (
        {},
        option("--set", "random_state=3"),
        "--set random_state: use the option --seed",
    ),
    "preset and method": (
        {},
        option("--preset", "paper", "--method", "PriorClassifier"),
        "--preset paper is SSHMCBLI.*--method PriorClassifier contradicts",
    ),
    "preset unknown": ({}, option("--preset", "best"), "--preset.*'best' is not"),
    "base unknown": ({}, option("--base", "svm"), "--base.*'svm' is not one of"),
    "base where there is none": (
        {},
        [*FIT[:-2], "--method", "PriorClassifier", "--base", "tree"],
        "PriorClassifier has no base classifier; leave --base",
    ),
    "too few rows of any term": (
        {},
        option("--min-rows", "1000"),
        "labels.csv: no node has.*1000 labelled rows.*Lower --min-rows",
    ),
    "one fold": ({}, option("--folds", "1"), "--folds.*1 is not in the range"),
    "more folds than rows": (
        {},
        ["evaluate", *DATA, "--folds", "500"],
        "one labelled row for each of 500 folds.*lower --folds",
    ),
    "negative seed": ({}, option("--seed", "-1"), "--seed.*-1 is not in the range"),
    "no jobs": ({}, option("--jobs", "0"), "--jobs.*0 is no number"),
    "missing values left in": (
        {},
        [*GENES, "--method", "SSHMCBLI", "--impute", "none"],
        "features.*column 'expression_.*missing values.*use --impute mean",
    ),
    "model in no folder": (
        {},
        replaced("out.hilabel", "nowhere/m.hilabel"),
        "nowhere/m.hilabel: the folder nowhere does not exist; make it",
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
        "labels.csv: expected a model file of hilabel, written by 'hilabel fit'",
    ),
    "model cut short": (
        {"model.hilabel": cut},
        PREDICT,
        "model.hilabel: the file is truncated.*copy it again",
    ),
    "model changed": (
        {"model.hilabel": flipped},
        PREDICT,
        "model.hilabel: the file was changed or damaged.*copy it again",
    ),
    "new table lacks a column": (
        {"products.csv": text("product,price\nP1,2\n")},
        PREDICT,
        "products.csv: expected a column 'brand', got 1 columns: 'price'",
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
    "two thresholds": (
        {},
        option("--threshold", "0.5", "--per-node-thresholds", start=PREDICT),
        "--threshold and --per-node-thresholds contradict",
    ),
    "no thresholds in the model": (
        {},
        option(
            "--per-node-thresholds",
            start=replaced("model.hilabel", "plain.hilabel", PREDICT),
        ),
        "--per-node-thresholds: the model was fitted without.*fit it again",
    ),
    "top of none": ({}, option("--top", "0", start=PREDICT), "--top.*0 is not"),
    # Evaluating
    "method of a trained model": (
        {},
        option("--model", "model.hilabel", "--base", "tree", start=EVALUATE),
        "--base says how to train, but --model brings",
    ),
    "evaluation into a file": (
        {},
        replaced("out", "labels.csv", EVALUATE),
        "--output.*'labels.csv' is a file",
    ),
    "test labels of other ids": (
        {"labels.csv": text("id,term\nQ1,tea\n")},
        option("--model", "model.hilabel", start=EVALUATE),
        "labels.csv: no row gets a label",
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
        "LocalClassifierPerNode does not keep.*'P0001' with --features",
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
    "inspecting a damaged model": (
        {"model.hilabel": flipped},
        ["inspect", "model.hilabel"],
        "model.hilabel: the file was changed",
    ),
    "inspecting a table as a model": (
        {},
        ["inspect", "products.csv", "--as", "model"],
        "products.csv: expected a model file",
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
        "Unknown GO data set 'cellcircle'; expected one of cellcycle",
    ),
    "data set to convert unknown": (
        {},
        ["datasets", "convert", "no.arff", "tables"],
        "no.arff: expected an ARFF file that exists.*datasets list",
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
    # The command itself
    "command unknown": ({}, ["train"], "No such command 'train'.*hilabel --help"),
    "option unknown": ({}, option("--fast"), "No such option.*--fast.*fit --help"),
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


def test_a_model_with_a_foreign_type_is_refused(shop, run):
    from sklearn.naive_bayes import GaussianNB

    from hilabel.persistence import load_model, save_model

    class Stranger(GaussianNB):
        pass

    model = load_model("model.hilabel")
    X = np.zeros((2, model.estimator.n_features_in_))
    object.__setattr__(model.estimator, "extra", Stranger().fit(X, [0, 1]))
    name = f"{Stranger.__module__}.{Stranger.__qualname__}"
    name = name.replace(Stranger.__qualname__, Stranger.__name__)
    save_model(model, "model.hilabel", trusted=[name])
    result = run(*PREDICT)
    pattern = "model.hilabel: the file holds an object of type .*Stranger.*not trust"
    assert_one_line(result.exit_code, result.stdout, result.stderr, pattern)
