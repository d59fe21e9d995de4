"""Files that are wrong in every way, and the arguments to read them with."""

import gzip

import pandas as pd

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


MANY_CODES = HEAD + "".join(f"P{i:04d},1,2,3,4,EAN {i}\n" for i in range(1, 1105))

# name: (files to spoil, arguments, what the line on stderr must say, in this order)
FILE_CASES = {
    # Features
    "features missing": ({}, replaced("products.csv", "no.csv"), "no.csv.*not exist"),
    "features a folder": ({}, replaced("products.csv", "."), "is a directory"),
    "features empty": ({"products.csv": raw(b"")}, FIT, "products.csv: .*is empty"),
    "features blank": ({"products.csv": text("\n \n")}, FIT, "products.csv: .*empty"),
    "features heading only": (
        {"products.csv": text(HEAD)},
        FIT,
        "products.csv: expected rows below the header",
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
        "products.csv, line 7: expected a number in column 'price'.*'dear'. Fix it, "
        r".*\(option: --categorical, --text, --drop\)",
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
    "features of codes": (
        {"products.csv": text(MANY_CODES)},
        FIT,
        "products.csv: column 'brand' has 1104 distinct values.*Drop.*--drop, --text",
    ),
    "features no such id column": (
        {},
        option("--id-column", "sku"),
        "products.csv: expected a column 'sku', got 6 columns: 'product'",
    ),
    "features misspelt id column": (
        {},
        option("--id-column", "Products"),
        "products.csv: expected a column 'Products'.*Did you mean 'product'",
    ),
    "features row numbers": (
        {"products.csv": text("," + HEAD + "0," + ROW)},
        option("--id-column", "product"),
        "products.csv: column 1 has no name.*index=False.*'product'",
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
        "t.parquet: expected numbers or strings in column 'day'.*--drop",
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
        "labels.csv, line 9: term 'teaa' is not in the hierarchy.*drop unknown terms"
        ".*Did you mean 'tea'.*--unknown-terms",
    ),
    "labels of other ids": (
        {"labels.csv": text("id,term\nQ1,tea\n")},
        FIT,
        "labels.csv: no row has a label.*products.csv.*'P0001'.*'Q1'.*--id-column",
    ),
    "labels without terms": (
        {"labels.csv": text("id,term\nP0001,\n")},
        FIT,
        "labels.csv: expected annotations, but none.*1 name no term",
    ),
    "labels all unknown": (
        {"labels.csv": text("id,term\nP0001,teaa\n")},
        option("--unknown-terms", "drop"),
        "labels.csv: no row has a label.*1 unknown, such as 'teaa'",
    ),
    "labels Latin-1": (
        {"labels.csv": raw("id,term\nP0001,thé\n".encode("latin-1"))},
        FIT,
        "labels.csv, line 2: expected UTF-8",
    ),
    "labels evidence of a table": (
        {},
        option("--evidence", "EXP"),
        "labels.csv: evidence codes.*need a GAF file.*remove these options.*--evidence",
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
        "annotations.gaf: expected evidence codes.*groups.*got .XYZ.*--evidence",
    ),
    "gaf nothing of that evidence": (
        {},
        option("--evidence", "HTP,TAS", start=GENES),
        "annotations.gaf: expected annotations.*other evidence codes",
    ),
    "gaf retired terms only": (
        {
            "annotations.gaf": text(
                GAF.format(id="G0001", qualifier="", term="GO:9000002")
            )
        },
        GENES,
        "annotations.gaf: no row has a label.*1 obsolete.*GO:9000002",
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
        "taxonomy.csv: expected edges, got only a header",
    ),
    "hierarchy empty step": (
        {"taxonomy.csv": text("food//tea\n")},
        FIT,
        "taxonomy.csv, line 1: the path 'food//tea' has an empty step",
    ),
    "hierarchy annotations": (
        {},
        replaced("taxonomy.csv", "annotations.gaf"),
        "annotations.gaf, line 1: expected a hierarchy.*GAF.*; pass them as labels",
    ),
    "hierarchy without paths": (
        {"taxonomy.csv": text("tea\nbread\n")},
        FIT,
        "taxonomy.csv: expected paths.*none of the 2 lines separates names.*unrelated",
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
}
