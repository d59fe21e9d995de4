"""Code of the user: imported, and noticed when it changes."""

import importlib
import pickle
import sys

import pytest

from hilabel.studies import MethodSpec
from hilabel.studies._user_code import (
    code_files,
    code_id,
    find_class,
    find_function,
    hash_again,
    method_code,
    references,
)

LCN = "hilabel.classifiers.LocalClassifierPerNode"


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package of the user whose class has a base class in another module."""
    folder = tmp_path / "votes_of_mine"
    folder.mkdir()
    (folder / "__init__.py").write_text("from votes_of_mine.child import Child\n")
    (folder / "base.py").write_text("class Base:\n    pass\n")
    (folder / "child.py").write_text(
        "import json\nfrom sklearn.base import BaseEstimator\n"
        "from votes_of_mine.base import Base\n"
        "class Child(Base, BaseEstimator, json.JSONEncoder):\n    pass\n"
        "def vote(labels):\n    return labels\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for name in [name for name in sys.modules if name.startswith("votes_of_mine")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("Foo", "hilabel has no class 'Foo'"),
        ("no.such.Class", "importing 'no.such' failed with ModuleNotFoundError"),
        ("hilabel.classifiers.Foo", "has no class 'Foo'"),
        ("hilabel.metrics.fmax", "has no class 'fmax'"),
    ],
)
def test_a_class_that_is_not_there_is_named(path, message):
    with pytest.raises(ValueError, match=message):
        find_class(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0", "importing 'mine.py' failed with ZeroDivisionError: division"),
        ("raise SystemExit(2)", "importing 'mine.py' failed with SystemExit: 2"),
        ("x = 1", "'mine.py' has no class 'Mine'"),
    ],
)
def test_a_file_that_fails_is_reported_and_can_be_mended(tmp_path, text, message):
    file = tmp_path / "mine.py"
    with pytest.raises(ValueError, match=r"'mine.py' failed with FileNotFoundError"):
        find_class("mine.py:Mine", tmp_path)
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        find_class("mine.py:Mine", tmp_path)


def test_files_of_one_name_are_told_apart_and_their_objects_pickled(tmp_path):
    classes = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine.py").write_text(f"class Mine:\n    name = {name!r}\n")
        classes.append(find_class("mine.py:Mine", tmp_path / name))
    assert [cls.name for cls in classes] == ["one", "two"]
    assert find_class("two/mine.py:Mine", tmp_path) is classes[1]
    assert type(pickle.loads(pickle.dumps(classes[0]()))) is classes[0]


def test_a_module_that_cannot_be_named_is_reported_as_such():
    with pytest.raises(ValueError, match=r"importing '\.x' failed with TypeError"):
        find_class(".x.Y")


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("vote", "hilabel has no function 'vote'"),
        ("sklearn.tree.DecisionTreeClassifier", "has no function 'Decision"),
        ("sklearn.__version__", "has no function '__version__'"),
        ("votes.py:vote", r"importing 'votes.py' failed with FileNotFoundError"),
    ],
)
def test_a_function_that_is_not_there_is_named(path, message):
    with pytest.raises(ValueError, match=message):
        find_function(path)


def test_a_file_edited_in_a_session_is_imported_anew(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    k = 1\n")
    first = find_class("mine.py:Mine", tmp_path)
    # As many characters in the same second, as a cache of compiled files would miss.
    file.write_text("class Mine:\n    k = 2\n")
    second = find_class("mine.py:Mine", tmp_path)
    assert (first.k, second.k) == (1, 2)
    assert first.__module__ != second.__module__
    assert find_class("mine.py:Mine", tmp_path) is second


def test_references_are_found_at_any_depth():
    value = {
        "class": "a.py:A",
        "inner": {"function": "b.py:b", "power": 2},
        "plain": {"x": 1},
    }
    assert list(references(value)) == [("class", "a.py:A"), ("function", "b.py:b")]
    assert list(references({"base": "authors"})) == []
    assert list(references("a.py:A")) == []


def test_the_code_of_a_method_is_that_of_its_classes_bases_and_functions(
    tmp_path, package
):
    (tmp_path / "mine.py").write_text("class Mine:\n    pass\ndef vote():\n    pass\n")
    (tmp_path / "other.py").write_text("def vote():\n    pass\n")

    def names(path, params=None, grid=None):
        spec = MethodSpec("m", path, params or {}, grid or {}, folder=tmp_path)
        return {name.removeprefix(f"{tmp_path}/") for name in code_files(spec)}

    own = {"class": "mine.py:Mine"}
    assert names(LCN) == set()
    assert names(LCN, {"estimator": {"class": "sklearn.svm.SVC"}}) == set()
    assert names("mine.py:Mine") == {"mine.py"}
    assert names(LCN, {"estimator": own}) == {"mine.py"}
    assert names(LCN, {"estimator": {"class": LCN, "estimator": own}}) == {"mine.py"}
    votes = [{"function": "mine.py:vote"}, {"function": "other.py:vote"}]
    assert names(LCN, grid={"vote": votes}) == {"mine.py", "other.py"}
    folder = package.name
    assert names(f"{folder}.Child") == {
        f"{folder}/__init__.py",
        f"{folder}/child.py",
        f"{folder}/base.py",
    }
    function = {"function": f"{folder}.child.vote"}
    assert names(LCN, {"vote": function}) == {f"{folder}/child.py"}
    assert names("no_such_package.Class") == set()


def test_the_code_changes_with_its_content_and_not_with_its_place(tmp_path):
    codes = []
    for name, text in (("a", "x = 1"), ("b", "x = 1"), ("c", "x = 2")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text(f"class Mine:\n    {text}\n")
        codes.append(method_code(MethodSpec("m", "mine.py:Mine", folder=folder)))
    assert codes[0] == codes[1] != codes[2]
    assert method_code(MethodSpec("m", LCN)) == ""


def test_a_module_is_what_was_loaded_until_it_is_reloaded(package):
    method = MethodSpec("m", "votes_of_mine.child.Child")
    before = method_code(method)
    file = package / "child.py"
    file.write_text(file.read_text() + "# edited in a session\n")
    assert method_code(method) == before
    assert code_id(hash_again(code_files(method))) != before
    importlib.reload(sys.modules["votes_of_mine.child"])
    assert method_code(method) not in (before, "")


def test_a_file_that_is_gone_keeps_its_hash(tmp_path):
    assert hash_again({str(tmp_path / "gone.py"): "abc"}) == {
        str(tmp_path / "gone.py"): "abc"
    }
