import gzip

import pytest
from hypothesis import given
from strategies import hierarchies

from hilabel import Hierarchy
from hilabel.datasets import read_hierarchy
from hilabel.exceptions import DatasetFormatError

SHOP = Hierarchy.from_edges([("food", "tea"), ("food", "bread"), ("tea", "green tea")])


@pytest.fixture
def write(tmp_path):
    def write_file(text, name="tree.csv"):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write_file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tree.csv", "food,tea\nfood,bread\ntea,green tea\n"),
        ("tree.csv", "Parent,CHILD\nfood,tea\nfood,bread\ntea,green tea\n"),
        ("tree.csv", "food; tea\n\nfood; bread\ntea; green tea\n"),
        ("tree.tsv", "food\ttea\nfood\tbread\ntea\tgreen tea"),
        ("tree", "food\ttea\r\nfood\tbread\r\nfood\ttea\r\ntea\tgreen tea\r\n"),
        ("tree.csv", '"food","tea"\nfood,"bread"\ntea,green tea\n'),
        ("tree.csv", "parent,child,note\nfood,tea,x\nfood,bread,\ntea,green tea,y\n"),
        (
            "tree.csv",
            "Category,Parent Category\ntea,food\nbread,food\ngreen tea,tea\n",
        ),
        (
            "tree.csv",
            "category_id,parent_id,n\ntea,food,1\nbread,food,2\ngreen tea,tea,3\n",
        ),
        ("tree.csv", "# of 2024\nfood,tea\nfood,bread\ntea,green tea\n"),
    ],
)
def test_edge_lists_of_all_kinds_read_alike(write, name, text):
    ontology = read_hierarchy(write(text, name))
    assert ontology.hierarchy == SHOP
    assert ontology.replaced == {}
    assert ontology.obsolete == frozenset()


def test_headings_decide_which_column_is_the_parent(write):
    path = write("child,parent\ntea,food\n")
    assert read_hierarchy(path).hierarchy == Hierarchy.from_edges([("food", "tea")])


def test_without_headings_the_parent_comes_first(write):
    hierarchy = read_hierarchy(write("a,b\n")).hierarchy
    assert [hierarchy.names[node] for node in hierarchy.roots] == ["a"]


def test_an_empty_parent_declares_a_node(write):
    hierarchy = read_hierarchy(write("food,tea\n,books\n")).hierarchy
    assert hierarchy.names == ("food", "tea", "books")
    assert hierarchy.n_edges == 1


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "tree.csv.gz"
    path.write_bytes(gzip.compress(b"food,tea\nfood,bread\ntea,green tea\n"))
    assert read_hierarchy(path).hierarchy == SHOP


@pytest.mark.parametrize("name", ["paths.csv", "paths.txt"])
def test_one_column_is_a_list_of_paths(write, name):
    path = write("food/tea/green\nfood/bread\nbooks\n", name)
    assert read_hierarchy(path).hierarchy.names == (
        "food",
        "food/tea",
        "food/tea/green",
        "food/bread",
        "books",
    )


def test_below_the_heading_path_commas_belong_to_names(write):
    path = write("Path\nfood, drinks/tea\n")
    assert read_hierarchy(path).hierarchy.names == ("food, drinks", "food, drinks/tea")


def test_the_separator_of_paths_can_be_chosen(write):
    path = write("a/b > c\n", "paths.txt")
    names = read_hierarchy(path, separator=" > ").hierarchy.names
    assert names == ("a/b", "a/b > c")


@pytest.mark.parametrize(
    ("text", "separator"),
    [
        ("food\nfood > drinks\nfood > drinks > tea\n", " > "),
        ("food > drinks > tea\nfood> drinks\n food >drinks > tea\n", " > "),
        ("food>drinks>tea\n", ">"),
        ("food|drinks|tea\nfood|drinks\n", "|"),
        ("food / drinks / tea\n", " / "),
        ("Category\nfood > drinks > tea\n", " > "),
        ("full_path\nfood/drinks/tea\n", "/"),
        ("taxonomy\nfood/drinks/tea\n", "/"),
        ("# Version: 2021\nfood\nfood > drinks > tea\n", " > "),
        ('"food > drinks > tea"\n"food > drinks"\n', " > "),
    ],
)
def test_what_joins_the_steps_of_paths_is_found(write, text, separator):
    ontology = read_hierarchy(write(text, "paths.txt"))
    expected = ["food", "food/drinks", "food/drinks/tea"]
    assert ontology.hierarchy.names == tuple(
        name.replace("/", separator) for name in expected
    )
    assert ontology.separator == separator


@pytest.mark.parametrize(
    ("text", "names"),
    [
        # In as many lines: > before | before /.
        ("a > CD/DVD\n", ("a", "a > CD/DVD")),
        ("a|CD/DVD\n", ("a", "a|CD/DVD")),
        # All have spaces, so that a mark without belongs to a name.
        ("a / CD/DVD\n", ("a", "a / CD/DVD")),
        # The mark in most lines.
        ("a/b\na/c\na/<b>x\n", ("a", "a/b", "a/c", "a/<b>x")),
        # Commas within names, the first line's too.
        ("Food, Tea > Tea\nFood, Tea\nToys > Kites\n", None),
        ('"Food, Tea > Tea"\n"Food, Tea"\n"Toys > Kites"\n', None),
    ],
)
def test_other_marks_belong_to_the_names(write, text, names):
    shop = ("Food, Tea", "Food, Tea > Tea", "Toys", "Toys > Kites")
    assert read_hierarchy(write(text)).hierarchy.names == (names or shop)


def test_a_first_line_that_others_go_on_is_no_heading(write):
    path = write("class\nclass/order\n", "paths.txt")
    assert read_hierarchy(path).hierarchy.names == ("class", "class/order")


@pytest.mark.parametrize(
    ("term", "node"),
    [
        ("food/juice", "food/juice"),
        ("juice", None),  # two end so
        ("gifts/juice", "shop/gifts/juice"),
        ("gifts", "shop/gifts"),
        ("food / juice", "food/juice"),
        ("food", "food"),  # a node of its own, though another ends so
        ("water", None),
    ],
)
def test_the_end_of_a_path_stands_for_the_whole(write, term, node):
    text = "food/juice\nshop/gifts/juice\nshop/food\n"
    assert read_hierarchy(write(text, "paths.txt")).resolve(term) == node


@pytest.mark.parametrize("name", ["terms.obo", "terms.txt"])
def test_ontologies_are_told_by_name_or_content(write, name):
    text = "format-version: 1.2\n\n[Term]\nid: A\n\n[Term]\nid: B\nalt_id: C\n"
    text += "is_a: A\nrelationship: regulates A\n"
    ontology = read_hierarchy(write(text, name))
    assert ontology.hierarchy == Hierarchy.from_edges([("A", "B")])
    assert ontology.replaced == {"C": "B"}
    without = read_hierarchy(write(text, name), relations=["part_of"])
    assert without.hierarchy.n_edges == 0


@given(hierarchy=hierarchies())
def test_any_hierarchy_survives_the_format(hierarchy, tmp_path_factory):
    names = hierarchy.names
    rows = [f",{name}" for name in names]
    rows += [f"{names[parent]},{names[child]}" for parent, child in hierarchy.edges]
    path = tmp_path_factory.mktemp("edges") / "any.csv"
    path.write_text("\n".join(rows))
    assert read_hierarchy(path).hierarchy == hierarchy


# Errors -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\nb,c\nc,a\n", r"tree\.csv: .*cycle: 'a' -> 'b' -> 'c' -> 'a'"),
        ("a,b\n\nb,b\n", "line 3: 'b' is its own parent"),
        ("a,b\na,\n", "line 2: the child is empty"),
        ("a,b\na,b,c\n", "line 2: expected 2 columns, as in line 1, got 3"),
        ("a,b,c\n", "line 1: expected two columns, parent and child, got 3"),
        ("parent,kid\na,b\n", "line 1: expected the columns to be named"),
        ("Parent Category,Name\na,b\n", "line 1: .*named .* add a first line"),
        ("parent,child\n", "got only a header"),
        ("# nothing\n", "expected a hierarchy, got only comments"),
        ("books\ngames\n", "none of the 2 lines separates names by '/' or '>' or"),
        ("category\nbooks\ngames\n", "none of the 2 lines separates names"),
        (
            "!gaf-version: 2.2\n",
            "line 1: expected a hierarchy .* GAF annotations; pass them as",
        ),
        ("a,b\n! old\n", "line 2: expected a hierarchy"),
        ("\t".join("abcdefghPjklmnopq"), "line 1: expected a hierarchy .* GAF"),
        ("\t".join("abcdefghijklmnopq"), "line 1: expected two columns, .* got 17"),
        ("path\n", "expected one path per line, got only a header"),
        ("a/b\n\na//c\n", "line 3: the path 'a//c' has an empty step"),
        ('a,b\na,"c\n', "line 2: the row cannot be read"),
        ("", r"tree\.csv: the file is empty"),
        ("a,\x00\n", "the file is binary"),
    ],
)
def test_a_malformed_file_is_refused_with_its_line(write, text, message):
    with pytest.raises(DatasetFormatError, match=message):
        read_hierarchy(write(text))


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "tree.csv"
    path.write_bytes("a,b\nb,\xe9t\xe9\n".encode("latin-1"))
    with pytest.raises(DatasetFormatError, match=r"tree\.csv, line 2: expected UTF-8"):
        read_hierarchy(path)


@pytest.mark.parametrize("mark", ["/", "|", ">", " > ", " / "])
@pytest.mark.parametrize(
    "lines",
    [
        ["food{}tea{}", "food{}bread{}"],
        ["food{}tea", "food{}bread{}"],
        ["{}food{}tea", "{}food{}bread"],
        ["food{}", "food{}tea", "food{}bread"],
        ["food{}tea{}{}", "food{}bread"],
    ],
)
def test_a_separator_at_the_end_of_a_path_is_no_step(tmp_path, lines, mark):
    paths = [line.replace("{}", mark) for line in lines]
    (tmp_path / "paths.txt").write_text("\n".join(paths) + "\n")
    ontology = read_hierarchy(tmp_path / "paths.txt")
    names = {"food", f"food{mark}tea", f"food{mark}bread"}
    assert {*ontology.hierarchy.names} == names
    for line, path in zip(lines, paths, strict=True):
        steps = [step for step in line.split("{}") if step]
        assert ontology.resolve(path) == mark.join(steps)


def test_a_path_with_an_empty_step_inside_is_told(tmp_path):
    path = tmp_path / "paths.txt"
    for text in ("food//tea\nfood/bread\n", "food/tea\n//\n"):
        path.write_text(text)
        with pytest.raises(DatasetFormatError, match="has an empty step"):
            read_hierarchy(path)


def test_a_long_line_of_spaces_is_read_at_once(tmp_path):
    line = "food" + " " * 200_000 + "x/tea"
    (tmp_path / "paths.txt").write_text(f"{line}\nfood/bread\n")
    assert read_hierarchy(tmp_path / "paths.txt").hierarchy.n_nodes == 4
