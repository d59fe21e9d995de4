"""Parameters and local classifiers by name."""

import pytest

from hilabel.exceptions import ParameterError
from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks._parameters import BASES, make_base, set_parameters


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


def test_every_base_is_a_new_classifier():
    for name in BASES:
        assert hasattr(make_base(name), "predict_proba")
        assert make_base(name) is not make_base(name)
    with pytest.raises(ParameterError, match="Unknown base 'forrest'.*'forest'"):
        make_base("forrest")
