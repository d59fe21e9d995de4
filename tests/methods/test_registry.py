"""The methods by name."""

import pytest

from hilabel._methods import (
    METHOD_WORDS,
    PARAMETER_WORDS,
    find_meaning,
    find_method,
    known_meaning,
    list_methods,
)
from hilabel.classifiers import BaseHierarchicalClassifier
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import SSHMCBLI


def test_every_public_classifier_is_a_method():
    methods = list_methods()
    assert methods["SSHMCBLI"] is SSHMCBLI
    assert "BaseHierarchicalClassifier" not in methods
    assert all(issubclass(m, BaseHierarchicalClassifier) for m in methods.values())


@pytest.mark.parametrize("name", ["SSHMCBLI", "sshmcbli", "SSHMC-BLI", "sshmc_bli"])
def test_spelling_does_not_matter(name):
    assert find_method(name) is SSHMCBLI


@pytest.mark.parametrize(
    ("word", "method"),
    [
        ("V2", "SSHMCBLI"),
        ("sshmc-bli v3", "SSHMCBLI"),
        ("lcn", "LocalClassifierPerNode"),
        ("Metz & Freitas", "MetzFreitas"),
        ("SSL-RF", "SSLPCTForest"),
        ("nearest neighbours", "NeighborsClassifier"),
        ("C-HMCNN(h)", "CHMCNN"),
    ],
)
def test_names_in_the_literature_are_understood(word, method):
    assert find_method(word).__name__ == method


def test_every_name_in_the_tags_means_its_own_method():
    for name, method in list_methods().items():
        assert find_method(name) is method
        if method.method_tags.name:
            assert find_method(method.method_tags.name) is method


def test_every_word_of_the_paper_names_parameters_that_exist():
    for word, (name, implied) in METHOD_WORDS.items():
        list_methods()[name](**implied)._validate_params()
        assert find_meaning(word).parameters == implied
    assert set(PARAMETER_WORDS.values()) <= set(SSHMCBLI().get_params())


@pytest.mark.parametrize(
    ("word", "offered"),
    [
        ("BLI", "'SSHCBLI' or 'SSHMCBLI'"),
        ("V4", "'V3' or 'V2' or 'V1'"),
        ("self-train", "'BatchSelfTraining' or .* or 'SelfTraining'"),
    ],
)
def test_an_ambiguous_word_offers_what_it_may_mean(word, offered):
    with pytest.raises(ParameterError, match=f"Did you mean .*{offered}"):
        find_method(word)


def test_an_unknown_name_lists_the_known_ones():
    with pytest.raises(ValueError, match="one of .*LocalClassifierPerNode.*, SSHMCBLI"):
        find_method("perceptron")
    assert known_meaning("perceptron") is None
