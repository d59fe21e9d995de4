"""Names in study files become estimators."""

from functools import partial

from sklearn.tree import DecisionTreeClassifier

from hilabel import Hierarchy
from hilabel.classifiers import LocalClassifierPerNode, PriorClassifier
from hilabel.semi_supervised import Profile
from hilabel.studies import MethodSpec
from hilabel.studies._estimators import class_paths, estimator_at, parameters_of
from hilabel.studies._user_code import find_class

LCN = "hilabel.classifiers.LocalClassifierPerNode"


def test_every_short_name_leads_to_an_estimator_that_can_be_built():
    known = class_paths()
    assert known["LocalClassifierPerNode"] == LCN
    assert "BaseHierarchicalClassifier" not in known
    for name, path in known.items():
        assert find_class(path).__name__ == name
        estimator_at(MethodSpec(name, path), seed=0)


def test_grid_values_go_before_fixed_ones_and_seeds_are_filled_in():
    hierarchy = Hierarchy.from_edges([("a", "b")])
    method = MethodSpec("m", LCN, {"policy": "siblings", "on_empty": "raise"})
    model = estimator_at(method, {"policy": "inclusive"}, hierarchy=hierarchy, seed=5)
    assert isinstance(model, LocalClassifierPerNode)
    assert (model.policy, model.on_empty) == ("inclusive", "raise")
    assert model.random_state == 5
    assert model.hierarchy is hierarchy


def test_a_seed_of_the_method_wins_and_methods_without_one_get_none():
    seeded = estimator_at(MethodSpec("m", LCN, {"random_state": 1}), seed=5)
    assert seeded.random_state == 1
    prior = estimator_at(MethodSpec("m", "hilabel.classifiers.PriorClassifier"), seed=5)
    assert isinstance(prior, PriorClassifier)


def test_tables_with_a_class_become_estimators_at_any_depth():
    inner = {"class": "sklearn.tree.DecisionTreeClassifier", "max_depth": 2}
    outer = {"class": "LocalClassifierPerNode", "estimator": inner}
    path = "hilabel.semi_supervised.SSHMCBLI"
    model = estimator_at(MethodSpec("m", path, {"estimator": outer}))
    assert isinstance(model.estimator, LocalClassifierPerNode)
    assert isinstance(model.estimator.estimator, DecisionTreeClassifier)
    assert model.estimator.estimator.max_depth == 2


def test_a_study_cannot_set_the_hierarchy():
    assert "hierarchy" not in parameters_of(LocalClassifierPerNode)
    assert "policy" in parameters_of(LocalClassifierPerNode)


def test_a_profile_is_given_as_a_table_of_names():
    profile = {"base": "authors", "stop_on_cycle": False}
    path = "hilabel.semi_supervised.SSHMCBLI"
    model = estimator_at(MethodSpec("m", path, {"profile": profile}))
    assert model.get_params()["profile"] == profile
    assert Profile.of(model.profile) == Profile.authors(stop_on_cycle=False)


def test_tables_with_a_function_become_the_function(tmp_path):
    (tmp_path / "mine.py").write_text("def vote(labels, power=1):\n    return power\n")
    path = "hilabel.classifiers.LocalClassifierPerNode"
    for table, expected in (
        ({"function": "mine.py:vote"}, 1),
        ({"function": "mine.py:vote", "power": 3}, 3),
    ):
        spec = MethodSpec("m", path, {"policy": table}, folder=tmp_path)
        function = estimator_at(spec).policy
        assert isinstance(function, partial) == (expected == 3)
        assert function(None) == expected
    spec = MethodSpec("m", path, {"policy": {"function": "numpy.mean"}})
    assert estimator_at(spec).policy([1, 3]) == 2
