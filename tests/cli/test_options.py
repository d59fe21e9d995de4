"""Options become what the library takes, and its parameters options again."""

import gzip
from dataclasses import fields

import click
import pytest
from click.testing import CliRunner

from hilabel.cli import app
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
    own = {"measure", "tune", "valid_share"}
    short = {"fast"}  # of --effort fast
    names = {field.name for field in fields(choices)}
    assert {*METHOD_OPTIONS, *own} - short == names
    for name in ("impute", "scale", "seed", "measure"):
        assert defaults[name] == getattr(choices, name)


def test_options_are_found_by_the_names_of_parameters():
    ctx = click.Context(fit)
    found = [option_of(ctx, name) for name in ("parameters", "n_jobs", "relations")]
    assert found == ["--set", "--jobs", "--relation"]
    assert option_of(ctx, "features") is option_of(ctx, "speed") is None


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


def test_features_may_come_from_standard_input(shop):
    def run_with_input(data, *args):
        given = [str(arg) for arg in args]
        return CliRunner().invoke(app, given, input=data, prog_name="hilabel")

    table = (shop / "products.csv").read_bytes()
    labels = ["-l", "labels.csv", "-H", "taxonomy.csv"]
    result = run_with_input(table, "inspect", "-", *labels)
    assert result.exit_code == 0
    assert "Features standard input" in result.stdout
    args = ["predict", "model.hilabel", "-", "--top", 1, "-o", "-"]
    piped = run_with_input(gzip.compress(table), *args)
    assert (
        piped.stdout == run_with_input(b"", *args[:2], "products.csv", *args[3:]).stdout
    )
    wrong = run_with_input(table[:-20], "evaluate", "-", *labels, "-m", "model.hilabel")
    assert wrong.exit_code == 2
    assert wrong.stderr.startswith("hilabel: standard input, line 241: expected")
