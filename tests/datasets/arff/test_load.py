"""What a well-formed file becomes."""

import gzip
import re

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, strategies as st

from hilabel.datasets import HMCDataset, load_hmc_arff

DAG = "root/a,root/b,a/c,b/c,c/d"
TREE = "01,01/01,01/01/03,02"


def arff(
    rows: str, attributes: str = "@attribute x numeric", classes: str = DAG
) -> str:
    return (
        f"@relation test\n{attributes}\n@attribute class hierarchical {classes}\n"
        f"@data\n{rows}\n"
    )


@pytest.fixture
def load(tmp_path):
    def load(content: str | bytes, **options) -> HMCDataset:
        path = tmp_path / "some.arff"
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return load_hmc_arff(path, **options)

    return load


# The two forms of the hierarchy -----------------------------------------------------


def test_pairs_become_a_dag_without_the_artificial_root(load):
    hierarchy = load(arff("1,a")).hierarchy
    assert hierarchy.names == ("a", "b", "c", "d")
    assert hierarchy.edges.tolist() == [[0, 2], [1, 2], [2, 3]]


def test_labels_of_a_dag_are_closed_over_all_parents(load):
    data = load(arff("1,c\n2,b\n3,d@b"))
    assert data.Y.dtype == np.int8
    assert data.Y.tolist() == [[1, 1, 1, 0], [0, 1, 0, 0], [1, 1, 1, 1]]


def test_a_dag_label_may_be_a_pair_of_the_list(load):
    data = load(arff("1,b/c\n2,root/b"))
    assert data.Y.tolist() == [[1, 1, 1, 0], [0, 1, 0, 0]]


def test_repeated_pairs_are_one_edge(load):
    hierarchy = load(arff("1,a", classes="root/a,a/b,root/a,a/b")).hierarchy
    assert hierarchy.edges.tolist() == [[0, 1]]


def test_paths_become_a_tree_named_by_whole_paths(load):
    data = load(arff("1,01/01/03\n2,02@01", classes=TREE))
    assert data.hierarchy.names == ("01", "01/01", "01/01/03", "02")
    assert data.hierarchy.is_tree
    assert data.Y.tolist() == [[1, 1, 1, 0], [1, 0, 0, 1]]


def test_paths_may_repeat_and_come_before_their_parents(load):
    data = load(arff("1,01/01", classes="01/01/03,02,01,01/01,02,01/02"))
    assert data.hierarchy.names == ("01", "01/01", "01/01/03", "02", "01/02")
    assert data.Y.tolist() == [[1, 1, 0, 0, 0]]


def test_a_dot_separates_paths_where_no_slash_does(load):
    data = load(arff("1,1.2", classes="1,1.2,1.2.3,2"))
    assert data.hierarchy.names == ("1", "1.2", "1.2.3", "2")
    assert data.Y.tolist() == [[1, 1, 0, 0]]


def test_a_dot_is_part_of_the_name_where_a_slash_separates(load):
    data = load(arff("1,v1.2", classes="root/v1,v1/v1.2"))
    assert data.hierarchy.names == ("v1", "v1.2")


def test_classes_without_separator_are_a_flat_hierarchy(load):
    hierarchy = load(arff("1,y", classes="x,y")).hierarchy
    assert (hierarchy.names, hierarchy.n_edges) == (("x", "y"), 0)


def test_three_steps_make_it_a_tree_even_below_a_node_called_root(load):
    hierarchy = load(arff("1,root/a/b", classes="root,root/a,root/a/b")).hierarchy
    assert hierarchy.names == ("root", "root/a", "root/a/b")


def test_form_overrides_what_the_list_looks_like(load):
    content = arff("1,b", classes="a/b,b/c")
    assert load(content, form="dag").hierarchy.names == ("a", "b", "c")
    hierarchy = load(content, form="tree").hierarchy
    assert hierarchy.names == ("a", "a/b", "b", "b/c")


def test_separator_overrides_what_the_list_looks_like(load):
    hierarchy = load(arff("1,a", classes="a,a|b"), separator="|").hierarchy
    assert hierarchy.names == ("a", "a|b")
    assert hierarchy.n_edges == 1


def test_an_unknown_form_is_refused(load):
    with pytest.raises(ValueError, match="Expected form 'auto', 'dag' or 'tree'"):
        load(arff("1,a"), form="graph")


def test_spaces_after_the_commas_of_the_class_list_do_not_matter(load):
    assert load(arff("1,a", classes="root/a, a/b , root/c")).hierarchy.n_nodes == 3


# Rows with special labels -----------------------------------------------------------


def test_a_question_mark_as_label_makes_an_unlabelled_row(load):
    data = load(arff("1,a\n2,?"))
    assert data.labeled.tolist() == [True, False]
    assert data.Y[1].tolist() == [-1] * 4


@pytest.mark.parametrize("field", ["", "root", "''"])
def test_an_empty_label_or_the_root_is_a_row_known_to_have_none(load, field):
    data = load(arff(f"1,a\n2,{field}"))
    assert data.labeled.all()
    assert data.Y[1].tolist() == [0] * 4


def test_min_count_keeps_the_nodes_with_that_many_closed_labels(load):
    data = load(arff("1,c\n2,b\n3,?\n4,c"), min_count=2)
    assert data.hierarchy.names == ("a", "b", "c")
    assert data.Y.tolist() == [[1, 1, 1], [0, 1, 0], [-1, -1, -1], [1, 1, 1]]


def test_min_count_above_all_counts_is_refused(load):
    with pytest.raises(ValueError, match=r"no node has min_count=3 rows.*has 2\."):
        load(arff("1,c\n2,b"), min_count=3)


# Attributes -------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["numeric", "REAL", "Integer"])
def test_numbers_are_read_exactly_and_missing_ones_are_nan(load, kind):
    values = ["0.1", "-3", "1e-7", "+2.5E3", ".5", "7.", "123456789.123456789", "?"]
    data = load(arff("\n".join(f"{v},a" for v in values), f"@attribute x {kind}"))
    expected = [float(value) for value in values[:-1]]
    assert data.X[:-1, 0].tolist() == expected
    assert np.isnan(data.X[-1, 0])
    assert data.n_missing == 1


def test_keywords_are_known_in_any_case(load):
    content = arff("1,a").upper().replace("ROOT", "root")
    assert load(content).hierarchy.names == ("A", "B", "C", "D")


def test_a_nominal_attribute_has_a_column_per_declared_value(load):
    data = load(arff("b,a\na,a", "@attribute x {a,b,c}"))
    assert data.feature_names == ("x=a", "x=b", "x=c")
    assert data.X.tolist() == [[0, 1, 0], [1, 0, 0]]


def test_a_key_names_the_rows_and_is_no_feature(load):
    attributes = "@attribute note string\n@attribute x numeric\n@attribute id key"
    data = load(arff("hello,1,r1,a\nworld,2,r2,b", attributes))
    assert data.sample_ids == ("r1", "r2")
    assert data.feature_names == ("x",)
    assert data.X.tolist() == [[1], [2]]


def test_without_a_key_the_first_string_names_the_rows(load):
    data = load(arff("r 1,1,a", "@attribute id STRING\n@attribute x numeric"))
    assert data.sample_ids == ("r 1",)


def test_without_text_the_rows_have_no_names(load):
    assert load(arff("1,a")).sample_ids is None


def test_the_type_binary_stands_for_one_and_zero(load):
    data = load(arff("1,a\n0,a", "@attribute x binary"))
    assert data.feature_names == ("x=0",)
    assert data.X.tolist() == [[0], [1]]


def test_a_file_of_labels_alone_has_no_features(load):
    data = load(arff("a\nc@d", attributes=""))
    assert data.X.shape == (2, 0)
    assert data.Y.sum(axis=1).tolist() == [1, 4]


# Text: quotes, comments, encodings --------------------------------------------------


def test_quoted_names_and_values_keep_their_spaces_and_commas(load):
    attributes = (
        "@attribute 'my x' numeric\n"
        "@attribute \"it's, y\" {'a b',\"c, d\",e\\,'f\\'s'}\n"
        "@attribute id string"
    )
    rows = "1,'a b','r, 1',a\n'2',\"c, d\",\"r'2\",'a@b'\n3,'f\\'s',r3,\"c\""
    data = load(arff(rows, attributes))
    assert data.feature_names == (
        "my x",
        "it's, y=a b",
        "it's, y=c, d",
        "it's, y=e\\",
        "it's, y=f's",
    )
    assert data.X[:, 0].tolist() == [1, 2, 3]
    assert data.X[:, 1:].argmax(axis=1).tolist() == [0, 1, 3]
    assert data.sample_ids == ("r, 1", "r'2", "r3")
    assert data.Y.sum(axis=1).tolist() == [1, 2, 3]


def test_comments_and_blank_lines_may_stand_anywhere(load):
    content = (
        "% one, two\n\n@relation test\n  % three\n@attribute x numeric % four's\n\n"
        f"@attribute class hierarchical {DAG} % five, six\n\n@data % seven\n\n"
        "% eight,nine\n1,a\n   \n  % ten\n2,b\n\n% end"
    )
    data = load(content)
    assert data.X.tolist() == [[1], [2]]
    assert data.hierarchy.n_nodes == 4


def test_a_percent_sign_inside_a_name_or_value_is_no_comment(load):
    data = load(arff("5%,1,a", "@attribute a%b {5%,6%,7%}\n@attribute x numeric"))
    assert data.feature_names[0] == "a%b=5%"
    assert data.X.tolist() == [[1, 0, 0, 1]]


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_endings_of_other_systems_are_read(load, ending):
    content = arff("1,a\n2,b").replace("\n", ending)
    assert load(content.encode()).X.tolist() == [[1], [2]]


def test_a_byte_order_mark_and_letters_beyond_ascii_are_read(load):
    content = arff("1,größe", classes="root/größe").encode("utf-8-sig")
    assert load(content).hierarchy.names == ("größe",)


def test_gzip_is_known_by_its_content_not_its_name(load, tmp_path):
    packed = load(gzip.compress(arff("1,a").encode()))
    assert packed.X.tolist() == [[1]]
    misnamed = tmp_path / "plain.arff.gz"
    misnamed.write_text(arff("1,a"))
    assert load_hmc_arff(misnamed).name == "plain"


def test_the_name_is_the_file_name_or_the_one_given(load):
    assert load(arff("1,a")).name == "some"
    assert load(arff("1,a"), name="other").name == "other"


def test_a_last_line_without_line_feed_is_a_row(load):
    assert load(arff("1,a\n2,b").rstrip("\n")).n_samples == 2


# Sparse rows ------------------------------------------------------------------------

MIXED = "@attribute x numeric\n@attribute y {p,q,r}\n@attribute z {no,yes}"


def test_sparse_rows_give_a_sparse_table_with_omitted_values_filled_in(load):
    data = load(arff("{0 5,1 q,3 a}\n{2 yes,3 'c@d'}\n{3 \"b\"}", MIXED))
    assert isinstance(data.X, sp.csr_array)
    assert data.feature_names == ("x", "y=p", "y=q", "y=r", "z=yes")
    assert data.X.toarray().tolist() == [
        [5, 0, 1, 0, 0],
        [0, 1, 0, 0, 1],
        [0, 1, 0, 0, 0],
    ]
    assert data.Y.tolist() == [[1, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 0]]


def test_sparse_rows_may_count_attributes_from_one_as_clus_does(load):
    from_zero = load(arff("{0 5,1 q,3 a}\n{2 yes,3 c}", MIXED))
    from_one = load(arff("{1 5,2 q,4 a}\n{3 yes,4 c}", MIXED))
    assert (from_zero.X != from_one.X).nnz == 0
    assert np.array_equal(from_zero.Y, from_one.Y)


def test_missing_values_in_sparse_rows_are_nan_or_a_value_of_their_own(load):
    data = load(arff("{0 ?,1 ?,3 a}\n{2 ?,3 ?}", MIXED))
    assert data.feature_names == (
        *("x", "y=p", "y=q", "y=r", "y=?"),
        *("z=no", "z=yes", "z=?"),
    )
    dense = data.X.toarray()
    assert np.isnan(dense[0, 0])
    assert dense[:, 1:].tolist() == [[0, 0, 0, 1, 1, 0, 0], [1, 0, 0, 0, 0, 0, 1]]
    assert data.labeled.tolist() == [True, False]


def test_sparse_rows_may_hold_identifiers_quotes_and_spaces(load):
    attributes = "@attribute id key\n@attribute x numeric\n@attribute y {'a b','c,d'}"
    data = load(arff("{ 0 'r, 1' , 2 'c,d', 3 a }\n{1 4,3 b}", attributes))
    assert data.sample_ids == ("r, 1", "")
    assert data.X.toarray().tolist() == [[0, 1], [4, 0]]


def test_zeros_written_out_are_not_stored(load):
    data = load(arff("{0 0,1 p,2 no,3 a}\n{0 1,3 a}", MIXED))
    assert data.X.nnz == 3


# The fast reader and the exact one agree --------------------------------------------

number_fields = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.integers(-(10**20), 10**20).map(str),
    st.sampled_from(["?", " ?", "? ", " 1.5", "2 ", "1e3", "-0", "00.10", "5.", ".5"]),
)
nominal_fields = st.sampled_from(["a", "01", "1", "?", " a", "a?", "\t1"])


@given(rows=st.lists(st.tuples(number_fields, nominal_fields), min_size=1, max_size=8))
def test_quotes_change_nothing_about_the_values(rows, tmp_path_factory):
    # A quoted field sends a file to the exact reader, plain fields to the fast one.
    folder = tmp_path_factory.mktemp("quotes")
    attributes = "@attribute x numeric\n@attribute y {a,01,1,a?}\n@attribute i string"
    plain, quoted = folder / "plain.arff", folder / "quoted.arff"
    lines = [f"{x},{y},r{i},c@b" for i, (x, y) in enumerate(rows)]
    plain.write_text(arff("\n".join(lines), attributes))
    quoted.write_text(
        arff("\n".join(re.sub("c@b$", "'c@b'", line) for line in lines), attributes)
    )
    first, second = load_hmc_arff(plain), load_hmc_arff(quoted)
    np.testing.assert_array_equal(first.X, second.X)
    np.testing.assert_array_equal(first.Y, second.Y)
    assert first.feature_names == second.feature_names
    assert first.sample_ids == second.sample_ids
