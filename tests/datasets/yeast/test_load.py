"""The real data sets arrive as in the paper; the others say where to get them."""

import functools
import gzip
from typing import NamedTuple

import numpy as np
import pytest

from hilabel.datasets import HMCSplits, list_datasets, load_fun, load_go
from hilabel.exceptions import DatasetNotFoundError


class Shape(NamedTuple):
    rows: tuple[int, int, int]
    n_features: int
    n_nodes: int
    max_depth: int
    n_edges: int
    n_multi_parent: int
    n_leaves: int
    n_missing: int


# Sizes from the paper's Table 1; the missing values are those of the training file.
GO_SHAPES = {
    "cellcycle": Shape((1625, 848, 1278), 77, 164, 9, 216, 52, 58, 7572),
    "church": Shape((1627, 844, 1278), 31, 164, 9, 216, 52, 58, 4128),
    "derisi": Shape((1605, 842, 1272), 63, 161, 9, 211, 51, 57, 0),
    "eisen": Shape((1055, 528, 835), 79, 122, 9, 158, 37, 41, 1638),
    "expr": Shape((1636, 849, 1288), 565, 165, 9, 218, 53, 59, 77333),
    "gasch1": Shape((1631, 846, 1281), 173, 165, 9, 218, 53, 59, 7570),
    "gasch2": Shape((1636, 849, 1288), 52, 165, 9, 218, 53, 59, 2854),
    "pheno": Shape((653, 352, 581), 276, 68, 7, 84, 19, 25, 0),
    "seq": Shape((1692, 876, 1332), 530, 171, 9, 227, 55, 60, 17),
    "spo": Shape((1597, 837, 1263), 89, 162, 9, 214, 52, 57, 0),
}
SMALL = """@relation small
@attribute x numeric
@attribute class hierarchical {}
@data
{{0 1.5,1 {}}}
{{1 {}}}
"""


@pytest.fixture(scope="module")
def go(data_home):
    return functools.cache(lambda name: load_go(name, data_home=data_home))


def shape(splits: HMCSplits) -> Shape:
    hierarchy = splits.hierarchy
    n_parents = np.diff(hierarchy.parents_ptr)
    train, valid, test = splits
    return Shape(
        rows=(train.n_samples, valid.n_samples, test.n_samples),
        n_features=train.n_features,
        n_nodes=hierarchy.n_nodes,
        max_depth=hierarchy.max_depth,
        n_edges=hierarchy.n_edges,
        n_multi_parent=int((n_parents > 1).sum()),
        n_leaves=hierarchy.leaves.size,
        n_missing=train.n_missing,
    )


@pytest.mark.parametrize("name", GO_SHAPES)
def test_a_gene_ontology_set_has_the_sizes_of_the_paper(go, name):
    assert shape(go(name)) == GO_SHAPES[name]


@pytest.mark.parametrize("name", GO_SHAPES)
def test_labels_are_consistent_and_frequent_in_training(go, name):
    splits = go(name)
    assert (splits.train.Y.sum(axis=0) >= 50).all()
    for part in splits:
        assert set(np.unique(part.Y)) == {0, 1}
        assert part.hierarchy.is_consistent(part.Y)
        assert part.feature_names == splits.feature_names


@pytest.mark.parametrize("name", GO_SHAPES)
def test_the_top_nodes_are_the_three_namespaces(go, name):
    hierarchy = go(name).hierarchy
    tops = {hierarchy.names[node] for node in hierarchy.roots}
    assert tops == {"GO0003674", "GO0005575", "GO0008150"}


@pytest.mark.parametrize("name", ["cellcycle", "expr", "seq"])
def test_numbers_are_missing_exactly_where_the_file_says(go, name, data_home):
    path = data_home / "GO" / name / f"{name}_GO.train.arff.gz"
    header, rows = gzip.decompress(path.read_bytes()).decode().split("@DATA\n")
    lines = [line.split() for line in header.splitlines() if "@ATTRIBUTE" in line]
    numeric = [i for i, line in enumerate(lines) if line[2] == "numeric"]
    split_rows = [row.split(",") for row in rows.split("\n") if row]
    fields = np.array([[row[i] for i in numeric] for row in split_rows])
    train = go(name).train
    columns: list[int] = []
    for i in numeric:  # in order, since expr uses some names twice
        start = columns[-1] + 1 if columns else 0
        columns.append(train.feature_names.index(lines[i][1], start))
    X = train.X[:, columns]
    np.testing.assert_array_equal(np.isnan(X), fields == "?")
    np.testing.assert_array_equal(X[fields != "?"], fields[fields != "?"].astype(float))
    assert np.isnan(train.X).sum() == (fields == "?").sum()


@pytest.mark.parametrize(
    ("name", "rows", "n_features"),
    [("cellcycle", (1628, 848, 1281), 77), ("pheno", (656, 353, 582), 276)],
)
def test_a_funcat_set_is_a_tree(data_home, name, rows, n_features):
    splits = load_fun(name, data_home=data_home)
    assert splits.hierarchy.is_tree
    assert splits.hierarchy.max_depth > 1
    assert tuple(part.n_samples for part in splits) == rows
    assert splits.train.n_features == n_features
    assert all(part.hierarchy.is_consistent(part.Y) for part in splits)
    for child in splits.hierarchy.names:
        above = {splits.hierarchy.names[p] for p in splits.hierarchy.parents(child)}
        assert above == ({child.rpartition("/")[0]} if "/" in child else set())


def test_without_min_count_all_nodes_are_kept(data_home):
    splits = load_fun("pheno", min_count=None, data_home=data_home)
    assert splits.hierarchy.n_nodes > 300
    kept = (splits.train.Y.sum(axis=0) >= 50).sum()
    assert kept == load_fun("pheno", data_home=data_home).hierarchy.n_nodes


def write_small(folder, collection: str, classes: str, label: str) -> None:
    folder = folder / collection / "hom"
    folder.mkdir(parents=True)
    content = SMALL.format(classes, label, label)
    for split in ("train", "valid"):
        (folder / f"hom_{collection}.{split}.arff").write_text(content)
    packed = gzip.compress(content.encode())
    (folder / f"hom_{collection}.test.arff.gz").write_bytes(packed)


def test_a_set_that_we_lack_is_loaded_from_the_files_of_a_user(tmp_path):
    write_small(tmp_path, "GO", "root/a,a/b", "b")
    write_small(tmp_path, "FUN", "01,01/02", "01/02")
    go = load_go("hom", min_count=1, data_home=tmp_path)
    fun = load_fun("hom", min_count=1, data_home=tmp_path)
    assert (go.name, fun.name) == ("hom_GO", "hom_FUN")
    assert go.hierarchy.names == ("a", "b")
    assert fun.hierarchy.names == ("01", "01/02")
    assert go.test.X.toarray().tolist() == [[1.5], [0]]


def test_the_data_folder_is_taken_from_the_environment(tmp_path, monkeypatch):
    write_small(tmp_path, "GO", "root/a,a/b", "b")
    monkeypatch.setenv("HILABEL_DATA", str(tmp_path))
    assert load_go("hom", min_count=2).hierarchy.n_nodes == 2


def test_an_absent_set_says_which_files_go_where(tmp_path):
    with pytest.raises(DatasetNotFoundError, match="hom") as caught:
        load_go("hom", data_home=tmp_path)
    message = str(caught.value)
    assert str(tmp_path / "GO" / "hom") in message
    for split in ("train", "valid", "test"):
        assert f"hom_GO.{split}.arff" in message
    assert "https://dtai.cs.kuleuven.be/software/clus/hmcdatasets/" in message
    assert "fetch_dataset('GO', 'hom', base_url=...)" in message


def test_a_half_present_set_names_the_missing_files_alone(tmp_path):
    write_small(tmp_path, "GO", "root/a,a/b", "b")
    (tmp_path / "GO" / "hom" / "hom_GO.valid.arff").unlink()
    with pytest.raises(
        DatasetNotFoundError, match=r": hom_GO\.valid\.arff\.gz missing"
    ):
        load_go("hom", data_home=tmp_path)


@pytest.mark.parametrize("load", [load_go, load_fun])
def test_an_unknown_name_lists_the_known_ones(load, tmp_path):
    with pytest.raises(ValueError, match=r"'yeast'; expected one of cellcycle.*struc"):
        load("yeast", data_home=tmp_path)


def test_the_list_says_what_is_present(tmp_path):
    write_small(tmp_path, "FUN", "01,01/02", "01/02")
    known = list_datasets(tmp_path)
    assert len({(item.collection, item.name) for item in known}) == 24
    present = [(item.collection, item.name) for item in known if item.present]
    assert present == [("FUN", "hom")]


def test_the_list_knows_all_sets_of_the_folder(data_home):
    present = {(d.collection, d.name) for d in list_datasets(data_home) if d.present}
    assert present >= {("GO", name) for name in GO_SHAPES}
    assert present >= {("FUN", "cellcycle"), ("FUN", "pheno")}
