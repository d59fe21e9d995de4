"""Training, validation and test files are read as one data set."""

import numpy as np
import pytest
import scipy.sparse as sp

from hilabel.datasets import HMCSplits, load_hmc_arff_splits
from hilabel.exceptions import DatasetFormatError

HEADER = """@relation test
@attribute x numeric
@attribute y {p,q}
@attribute class hierarchical root/a,a/b,root/c
@data
"""


@pytest.fixture
def load(tmp_path):
    def load(train: str, valid: str, test: str, **options) -> HMCSplits:
        paths = [
            tmp_path / f"some.{split}.arff" for split in ("train", "valid", "test")
        ]
        for path, content in zip(paths, (train, valid, test), strict=True):
            path.write_text(content)
        return load_hmc_arff_splits(*paths, **options)

    return load


def test_the_three_share_hierarchy_features_and_name(load):
    splits = load(
        *(HEADER + rows for rows in ("1,p,a\n2,q,b", "3,p,c", "4,q,?")), name="some"
    )
    assert [part.n_samples for part in splits] == [2, 1, 1]
    assert splits.name == "some"
    assert splits.feature_names == ("x", "y=q")
    assert splits.train.X.tolist() == [[1, 0], [2, 1]]
    assert all(part.hierarchy is splits.hierarchy for part in splits)
    assert splits.test.Y.tolist() == [[-1, -1, -1]]


def test_nodes_are_counted_on_the_training_rows_alone(load):
    valid = HEADER + "3,p,c\n4,p,c\n5,p,c"
    splits = load(HEADER + "1,p,b\n2,q,b\n3,q,c", valid, valid, min_count=2)
    assert splits.hierarchy.names == ("a", "b")
    assert splits.hierarchy.n_edges == 1
    assert splits.valid.Y.tolist() == [[0, 0]] * 3


@pytest.mark.parametrize("place", range(3))
def test_a_missing_value_in_any_file_gives_all_of_them_its_column(load, place):
    rows = ["1,p,a"] * 3
    rows[place] = "1,?,a"
    splits = load(*(HEADER + row for row in rows))
    assert splits.feature_names == ("x", "y=p", "y=q", "y=?")
    for i, part in enumerate(splits):
        assert part.X.tolist() == [[1, 0, 0, 1] if i == place else [1, 1, 0, 0]]


def test_a_missing_number_changes_no_other_file(load):
    splits = load(HEADER + "?,p,a", HEADER + "2,p,a", HEADER + "3,p,a")
    assert [part.n_missing for part in splits] == [1, 0, 0]
    assert splits.feature_names == ("x", "y=q")


def test_one_sparse_file_makes_all_tables_sparse(load):
    splits = load(HEADER + "1,q,a", HEADER + "{0 2,2 a}", HEADER + "3,p,c")
    assert all(isinstance(part.X, sp.csr_array) for part in splits)
    dense = np.vstack([part.X.toarray() for part in splits])
    assert dense.tolist() == [[1, 1], [2, 0], [3, 0]]


DIFFERENCES = {
    "name": ("attribute x ", "attribute z ", "attribute 1 is named 'z', not 'x'"),
    "kind": ("x numeric", "x {1,2}", "attribute 1 is 'x' of kind nominal, not numeric"),
    "extra value": ("{p,q}", "{p,q,r}", "attribute 2 is 'y' with the extra value 'r'"),
    "lost value": ("{p,q}", "{p}", "attribute 2 is 'y' without the value 'q'"),
    "order": ("{p,q}", "{q,p}", "attribute 2 is 'y' with its values in another order"),
    "classes": ("root/c", "root/d", "attribute 3 is 'class' with the extra value"),
    "number": (
        "@attribute y {p,q}\n@attribute class hierarchical root/a,a/b,root/c",
        "@attribute y {p,q}\n@attribute z numeric\n"
        "@attribute class hierarchical root/a,a/b,root/c",
        "attribute 3 is named 'z', not 'class'",
    ),
}


@pytest.mark.parametrize(
    ("old", "new", "expected"), DIFFERENCES.values(), ids=DIFFERENCES
)
def test_headers_that_differ_are_refused_by_the_first_difference(
    load, old, new, expected
):
    content = HEADER + "1,p,a"
    with pytest.raises(DatasetFormatError, match=expected) as caught:
        load(content, content, content.replace(old, new))
    message = str(caught.value)
    assert "some.test.arff: expected the attributes of" in message
    assert "some.train.arff, but" in message
