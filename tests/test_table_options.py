"""Each option reaches the reader that takes it."""

from dataclasses import fields
from inspect import signature

import pytest

from hilabel._table_options import OPTIONS_OF, TableOptions
from hilabel.datasets import read_annotations, read_features, read_hierarchy

READERS = {
    "features": read_features,
    "labels": read_annotations,
    "hierarchy": read_hierarchy,
}
NAMES = {option.name for option in fields(TableOptions)}


@pytest.mark.parametrize("kind", READERS)
def test_every_option_of_a_reader_that_users_can_set_is_passed_to_it(kind):
    taken = set(signature(READERS[kind]).parameters) & NAMES
    # The ids of labels are those of the rows; id_column chooses a column of GAF files.
    taken -= {"ids", "id_column"} if kind == "labels" else set()
    assert taken == set(OPTIONS_OF[kind])


def test_options_that_are_not_given_leave_the_choice_to_the_reader():
    options = TableOptions(separators=";", strip_version=True)
    assert "separators" not in TableOptions().reading("labels")
    assert options.reading("labels")["separators"] == ";"
    assert options.reading("features")["strip_version"] is True
