"""Names in study files become estimators."""

import pickle

import pytest
from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.semi_supervised import Profile
from hilabel.studies import MethodSpec
from hilabel.studies._methods import (
    build_estimator,
    find_class,
    known_classes,
    parameters_of,
)

LCN = "hilabel.classifiers.LocalClassifierPerNode"


def test_every_short_name_leads_to_an_estimator_that_can_be_built():
    known = known_classes()
    assert known["LocalClassifierPerNode"] == LCN
    assert "BaseHierarchicalClassifier" not in known
    for name, path in known.items():
        assert find_class(path).__name__ == name
        build_estimator(MethodSpec(name, path), seed=0)


def test_grid_values_go_before_fixed_ones_and_seeds_are_filled_in():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    method = MethodSpec("m", LCN, {"policy": "siblings", "on_empty": "raise"})
    model = build_estimator(
        method, {"policy": "inclusive"}, hierarchy=hierarchy, seed=5
    )
    assert isinstance(model, LocalClassifierPerNode)
    assert (model.policy, model.on_empty) == ("inclusive", "raise")
    assert model.random_state == 5
    assert model.hierarchy is hierarchy


def test_a_seed_of_the_method_wins_and_methods_without_one_get_none():
    seeded = build_estimator(MethodSpec("m", LCN, {"random_state": 1}), seed=5)
    assert seeded.random_state == 1
    prior = build_estimator(
        MethodSpec("m", "hilabel.classifiers.PriorClassifier"), seed=5
    )
    assert isinstance(prior, PriorClassifier)


def test_tables_with_a_class_become_estimators_at_any_depth():
    inner = {"class": "sklearn.tree.DecisionTreeClassifier", "max_depth": 2}
    outer = {"class": "LocalClassifierPerNode", "estimator": inner}
    path = "hilabel.semi_supervised.SSHMCBLI"
    model = build_estimator(MethodSpec("m", path, {"estimator": outer}))
    assert isinstance(model.estimator, LocalClassifierPerNode)
    assert isinstance(model.estimator.estimator, DecisionTreeClassifier)
    assert model.estimator.estimator.max_depth == 2


def test_a_study_cannot_set_the_hierarchy():
    assert "hierarchy" not in parameters_of(LocalClassifierPerNode)
    assert "policy" in parameters_of(LocalClassifierPerNode)


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


def test_a_profile_is_given_as_a_table_of_names():
    profile = {"base": "authors", "stop_on_cycle": False}
    path = "hilabel.semi_supervised.SSHMCBLI"
    model = build_estimator(MethodSpec("m", path, {"profile": profile}))
    assert model.get_params()["profile"] == profile
    assert Profile.of(model.profile) == Profile.authors(stop_on_cycle=False)


def test_a_module_that_cannot_be_named_is_reported_as_such():
    with pytest.raises(ValueError, match=r"importing '\.x' failed with TypeError"):
        find_class(".x.Y")
