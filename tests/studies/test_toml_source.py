"""Lines of keys in TOML files."""

import pytest

from hilabel.exceptions import StudyConfigError
from hilabel.studies._toml_source import TomlSource

TEXT = """\
# a comment with a = sign
name = "x = y"
fractions = [
  0.1,  # few
  0.5,
]
datasets = [
  "GO/pheno",
  { name = "mine", source = "arff" },
]
a.b = 1

[methods.V1]
class = "A"
grid = { n = [1, 2] }

[methods."two words"]
params = { class = "B", n = 7 }

[[things]]
size = 1
[[things]]
size = 2
"""


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(TEXT)
    return TomlSource.read(path)


@pytest.mark.parametrize(
    ("keys", "value", "line"),
    [
        (("name",), None, 2),
        (("fractions",), None, 3),
        (("fractions", 1), 0.5, 5),
        (("datasets", 0), "GO/pheno", 8),
        (("datasets", 1, "source"), None, 9),
        (("a", "b"), None, 11),
        (("methods", "V1"), None, 13),
        (("methods", "V1", "class"), "A", 14),
        (("methods", "V1", "grid", "n"), None, 15),
        (("methods", "V1", "missing"), None, 13),
        (("methods", "two words", "params", "n"), None, 18),
        (("things", 0, "size"), None, 21),
        (("things", 1, "size"), None, 23),
        (("nowhere",), None, 1),
    ],
)
def test_every_key_is_found_on_its_line(source, keys, value, line):
    assert source.line_of(keys, value) == line


def test_an_error_is_one_line_that_says_everything(source):
    with pytest.raises(StudyConfigError) as caught:
        source.fail(("methods", "V1", "class"), "a class", "A", "name another")
    assert str(caught.value) == (
        f"{source.path}, line 14: methods.V1.class: expected a class, got 'A'; "
        "name another."
    )


def test_bad_syntax_is_reported_with_its_line(tmp_path):
    path = tmp_path / "bad.toml"
    path.write_text("a = 1\nb = = 2\n")
    with pytest.raises(StudyConfigError, match=r"bad.toml: expected TOML.*line 2"):
        TomlSource.read(path)


def test_a_file_in_another_encoding_is_refused(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes('title = "\xe9"'.encode("latin-1"))
    with pytest.raises(StudyConfigError, match="expected UTF-8"):
        TomlSource.read(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(StudyConfigError, match="none.toml: this study file"):
        TomlSource.read(tmp_path / "none.toml")
