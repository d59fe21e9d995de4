"""Parameters given as text."""

import pytest

from hilabel.semi_supervised import SSHMCBLI
from hilabel.tasks._parameters import (
    BASES,
    make_base,
    parse_settings,
    set_parameters,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a=5", 5),
        ("a=0.5", 0.5),
        ("a=1e-3", 0.001),
        ("a=true", True),
        ("a=None", None),
        ("a=siblings", "siblings"),
        ("a='5'", "5"),
        ("a=x=y", "x=y"),
        (" a = 5 ", 5),
        ("a=[1, 2]", [1, 2]),
        ("a=__import__('os')", "__import__('os')"),
    ],
)
def test_values_are_read_as_python_writes_them_and_never_run(text, value):
    assert parse_settings([text]) == {"a": value}


def test_names_and_values_are_checked():
    model = SSHMCBLI()
    set_parameters(model, {"n_neighbors": 7})
    assert model.n_neighbors == 7
    with pytest.raises(ValueError, match="Did you mean n_neighbors"):
        set_parameters(model, {"n_neighbours": 7})
    with pytest.raises(ValueError, match="'variant' parameter"):
        set_parameters(SSHMCBLI(), {"variant": "v9"})
    set_parameters(
        model, parse_settings(["profile={'base': 'paper', 'acceptance': 'above'}"])
    )
    assert model.profile["acceptance"] == "above"
    with pytest.raises(ValueError, match="A profile has no 'accept'; it has base, sim"):
        set_parameters(model, {"profile": {"accept": "above"}})


@pytest.mark.parametrize("name", list(BASES))
def test_every_base_is_a_classifier(name):
    base = make_base(name)
    assert hasattr(base, "predict_proba")
    assert make_base(name) is not base


def test_the_command_line_knows_every_base():
    from hilabel.cli.fit import fit

    option = next(param for param in fit.params if param.name == "base")
    assert list(option.type.choices) == list(BASES)
