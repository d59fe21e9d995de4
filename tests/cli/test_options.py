"""Options become what the library takes, and its parameters options again."""

from dataclasses import fields

import click
import pytest

from hilabel.cli._options import METHOD_OPTIONS, data_options, option_of, parse_settings
from hilabel.cli.fit import fit
from hilabel.datasets import TableOptions
from hilabel.tasks import FitChoices, TableFiles


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
    assert parse_settings(None, None, [text]) == {"a": value}


def test_every_choice_of_the_library_has_an_option_with_its_default():
    ctx = click.Context(fit)
    defaults = {param.name: param.get_default(ctx) for param in fit.params}
    files, choices = TableFiles("x", "y"), FitChoices()
    for name in (field.name for field in fields(TableOptions)):
        assert option_of(ctx, name).startswith("--")
        assert defaults[name] == getattr(files, name)
    assert {*METHOD_OPTIONS, "thresholds"} == {field.name for field in fields(choices)}
    for name in ("impute", "scale", "folds", "seed", "thresholds"):
        assert defaults[name] == getattr(choices, name)


def test_options_are_found_by_the_names_of_parameters():
    ctx = click.Context(fit)
    found = [option_of(ctx, name) for name in ("parameters", "n_jobs", "relations")]
    assert found == ["--set", "--jobs", "--relation"]
    assert option_of(ctx, "features") is option_of(ctx, "memory") is None


def test_a_new_command_takes_the_options_of_data():
    command = click.command(data_options(lambda **options: options))
    options = command.main(["--drop", "a", "--drop", "b"], standalone_mode=False)
    assert TableOptions(**options).drop == ("a", "b")


@pytest.mark.parametrize("command", ["fit", "evaluate"])
def test_of_several_methods_none_wins(shop, run, command):
    data = ["products.csv", "-l", "labels.csv", "-H", "taxonomy.csv"]
    methods = ["--method", "PriorClassifier", "--method", "HMCBR"]
    result = run(command, *data, *methods)
    assert result.exit_code == 2
    assert "expected one method, got PriorClassifier and HMCBR" in result.stderr
