"""Data sets as tables; the commands that convert are in tests/cli."""

import pytest

from hilabel.datasets import load_hmc_arff, read_hierarchy
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
