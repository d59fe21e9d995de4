"""Parameters by name."""

import pytest

from hilabel._methods import named_parameters, parameter_meant, set_parameters
from hilabel.classifiers import PriorClassifier
from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import SSHMCBLI


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
