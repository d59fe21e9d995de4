"""Parameters and local classifiers by name."""

import pytest

from hilabel._paper_words import parameter_meant
from hilabel.classifiers import (
    HMCLP,
    HierarchicalNetwork,
    LocalClassifierPerNode,
    PriorClassifier,
)
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import (
    SSHMCBLI,
    STHC,
    BatchSelfTraining,
    ViewsClassifier,
)
from hilabel.tasks._parameters import (
    BASES,
    make_base,
    named_parameters,
    set_parameters,
)


def test_names_and_values_are_checked():
    model = SSHMCBLI()
    set_parameters(model, {"n_neighbors": 7})
    assert model.n_neighbors == 7
    with pytest.raises(ValueError, match="Did you mean 'n_neighbors'"):
        set_parameters(model, {"n_neighbours": 7})
    with pytest.raises(ValueError, match="'variant' parameter"):
        set_parameters(SSHMCBLI(), {"variant": "v9"})
    set_parameters(model, {"profile": {"base": "paper", "acceptance": "above"}})
    assert model.profile["acceptance"] == "above"
    with pytest.raises(ValueError, match="A profile has no 'accept'; it has base, sim"):
        set_parameters(model, {"profile": {"accept": "above"}})


def test_symbols_of_the_paper_are_parameters():
    given = {"k": 5, "THR": 0.3, "T2LABEL": 0.4, "n": 2, "maxIterations": 7}
    assert named_parameters(SSHMCBLI, given) == {
        "n_neighbors": 5,
        "similarity_threshold": 0.3,
        "label_threshold": 0.4,
        "similarity_span": 2,
        "max_iter": 7,
    }
    # A parameter of the method wins, and a symbol that means nothing is left alone.
    assert parameter_meant("k", {"k", "n_neighbors"}) == "k"
    assert named_parameters(PriorClassifier, {"k": 5}) == {"k": 5}
    with pytest.raises(ParameterError, match="no parameter 'k'; it has none"):
        set_parameters(PriorClassifier(), {"k": 5})
    with pytest.raises(ParameterError, match="Did you mean 'label_threshold'"):
        set_parameters(SSHMCBLI(), {"t2labels": 0.5})


def test_every_base_is_a_new_classifier():
    for name in BASES:
        assert hasattr(make_base(name, SSHMCBLI), "predict_proba")
        assert make_base(name, SSHMCBLI) is not make_base(name, SSHMCBLI)
    with pytest.raises(ParameterError, match="Unknown base 'forrest'.*'forest'"):
        make_base("forrest", SSHMCBLI)


@pytest.mark.parametrize("method", [LocalClassifierPerNode, HMCLP, STHC])
def test_a_network_is_no_base_of_methods_with_a_classifier_per_term(method):
    with pytest.raises(ValueError, match=f"but {method.__name__} trains a classifier"):
        make_base("network", method)


@pytest.mark.parametrize("method", [SSHMCBLI, BatchSelfTraining, ViewsClassifier])
def test_a_network_is_the_base_of_methods_that_train_any_classifier(method):
    assert isinstance(make_base("network", method), HierarchicalNetwork)
