"""Data sets as tables; the commands that convert are in tests/cli."""

import pandas as pd
import pytest

from hilabel.datasets import load_hmc_arff, read_hierarchy
from hilabel.exceptions import ParameterError
from hilabel.tasks import convert_dataset


def test_a_data_set_is_not_written_over_by_its_own_tables(tmp_path):
    source = tmp_path / "hierarchy.csv"
    source.write_text(
        "@RELATION r\n@ATTRIBUTE a numeric\n@ATTRIBUTE class hierarchical x,x/y\n"
        "@DATA\n1,x\n2,x/y\n"
    )
    before = source.read_bytes()
    with pytest.raises(FileExistsError, match="hierarchy.csv: this file is also"):
        convert_dataset(str(source), tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == {source: before}


def test_nodes_keep_their_order(tmp_path):
    paths = "d,d/c,d/b,d/b/a,d/c/a,e"
    source = tmp_path / "dag.arff"
    source.write_text(
        f"@RELATION r\n@ATTRIBUTE x numeric\n@ATTRIBUTE class hierarchical {paths}\n"
        "@DATA\n1,d/b/a@e\n2,d/c\n"
    )
    tables = tmp_path / "tables"
    convert_dataset(str(source), tables)
    given = load_hmc_arff(source).hierarchy
    again = read_hierarchy(tables / "hierarchy.csv").hierarchy
    assert again.names == given.names
    assert again == given


def test_validation_rows_are_written_apart_on_request(data_home, tmp_path):
    convert_dataset("GO/pheno", tmp_path, separate_valid=True, data_home=data_home)
    ids = {
        name: set(pd.read_csv(tmp_path / f"{name}features.csv", usecols=["id"])["id"])
        for name in ("", "valid_", "test_")
    }
    assert [len(rows) for rows in ids.values()] == [653, 352, 581]
    assert len(set.union(*ids.values())) == 653 + 352 + 581


def test_one_arff_file_has_no_validation_rows(tmp_path):
    path = tmp_path / "x.arff"
    path.write_text("@RELATION r\n")
    with pytest.raises(ParameterError, match="no validation rows of its own"):
        convert_dataset(str(path), tmp_path / "tables", separate_valid=True)
