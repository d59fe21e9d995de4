"""InterProScan's TSV becomes a sparse matrix of signatures."""

import gzip

import pytest

from hilabel.datasets import guess_kind, read_features
from hilabel.exceptions import DatasetFormatError

MD5 = "14086411a2cdf1c4cba63020e1622579"
# As version 5 writes them, with and without the last columns.
LINES = [
    f"P51587.2\t{MD5}\t3418\tPfam\tPF09169\tBRCA2, helical\t2479\t2667\t1.5E-101\tT"
    "\t11-05-2024\tIPR015252\tBreast cancer type 2 susceptibility protein"
    "\tGO:0000724(InterPro)|GO:0006281(PANTHER)\tReactome:R-HSA-5685939",
    f"P51587.2\t{MD5}\t3418\tMobiDBLite\tmobidb-lite\tconsensus disorder prediction"
    "\t1\t20\t-\tT\t11-05-2024\t-\t-\t-\t-",
    f"Q9Y6K9.1\t{MD5}\t419\tPfam\tPF09169\tBRCA2, helical\t1\t90\t0.1\tT\t11-05-2024"
    "\tIPR015252\tBreast cancer type 2 susceptibility protein",
    f"Q9Y6K9.1\t{MD5}\t419\tPfam\tPF09169\tBRCA2, helical\t100\t190\t0.1\tT\t11-05-2024"
    "\tIPR015252\tBreast cancer type 2 susceptibility protein",
    f"Q9Y6K9.1\t{MD5}\t419\tCoils\tCoil\tCoil\t49\t69\t-\tT\t11-05-2024",
]
NAMES = ("Coil", "IPR015252", "PF09169", "mobidb-lite")


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "proteins.tsv.gz"
    path.write_bytes(gzip.compress("\n".join([*LINES, ""]).encode()))
    return path


def test_signatures_and_interpro_accessions_are_columns_of_0_and_1(path):
    table = read_features(path, strip_version=True)
    assert guess_kind(path) == "features"
    assert table.ids == ("P51587", "Q9Y6K9")
    assert table.sparse.names == NAMES
    assert table.sparse.values.toarray().tolist() == [[0, 1, 1, 1], [1, 1, 1, 0]]
    assert table.frame.shape == (2, 0)
    assert repr(table).endswith("2 rows, 4 columns)")


def test_go_terms_are_no_features_and_that_is_said(path):
    (note,) = read_features(path).notes
    assert "GO terms in the features are ignored" in note
    path.write_text(LINES[-1])
    assert read_features(path).notes == ()


def test_the_ids_of_uniprot_are_accessions(path):
    path.write_text(LINES[-1].replace("Q9Y6K9.1", "sp|Q9Y6K9|NEMO_HUMAN"))
    table = read_features(path)
    assert table.ids == ("Q9Y6K9",)
    assert table.notes == ("ids such as sp|P12345|NAME_HUMAN are shortened to P12345",)


def test_a_source_of_signatures_may_be_dropped_as_a_whole(path):
    kept = read_features(path, drop=["Pfam", "InterPro", "Coil"]).sparse.names
    assert kept == ("mobidb-lite",)
    with pytest.raises(DatasetFormatError, match="expected a column 'Pfan', got 4"):
        read_features(path, drop=["Pfan"])


def test_columns_that_are_asked_for_are_zeros_where_nothing_was_hit(path):
    table = read_features(path, columns=["PF99999", "Coil", "IPR015252"])
    assert table.sparse.values.toarray().tolist() == [[0, 0, 1], [0, 1, 1]]
    assert table.n_unknown == 2
    with pytest.raises(DatasetFormatError, match="expected some of the 1 columns of"):
        read_features(path, columns=["length"])


def test_ids_say_which_proteins_there_are(path, tmp_path):
    (tmp_path / "ids.txt").write_text("protein\nA0A1\nP51587.2\n")
    table = read_features(path, ids=tmp_path / "ids.txt")
    assert table.ids == ("A0A1", "P51587.2")
    assert table.sparse.values.toarray().tolist() == [[0, 0, 0], [1, 1, 1]]
    (tmp_path / "ids.txt").write_text("A0A1\n")
    with pytest.raises(DatasetFormatError, match="signatures of the 1 ids, got none"):
        read_features(path, ids=tmp_path / "ids.txt")


def test_what_is_wrong_is_told(path):
    with pytest.raises(DatasetFormatError, match="its columns are numbers.*protein"):
        read_features(path, categorical=["Coil"])
    path.write_text("\n".join([LINES[0], "P1\tand no more"]))
    with pytest.raises(DatasetFormatError, match="line 2: expected at least 11 tab"):
        read_features(path)
