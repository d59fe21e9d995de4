"""Errors carry the file and the line, from which their message is made."""

import pickle

import pytest

from hilabel.exceptions import DatasetFormatError


@pytest.mark.parametrize(
    ("place", "position", "message"),
    [
        ({}, "", "no ids."),
        ({"source": "x.csv"}, "", "x.csv: no ids."),
        ({"source": "x.csv", "line": 3}, "line 3", "x.csv, line 3: no ids."),
        ({"source": "x.parquet", "row": 2}, "row 2", "x.parquet, row 2: no ids."),
        ({"line": 1}, "line 1", "line 1: no ids."),
    ],
)
def test_the_message_starts_with_the_known_place(place, position, message):
    error = DatasetFormatError("no ids.", **place)
    assert str(error) == error.message == message
    assert (error.position, error.reason) == (position, "no ids.")


def test_a_copy_from_another_process_is_complete():
    given = {"source": "x.csv", "line": 3, "parameter": "drop", "culprits": {"a": "b"}}
    error = DatasetFormatError("no ids.", **given)
    copy = pickle.loads(pickle.dumps(error))
    assert str(copy) == str(error) == "x.csv, line 3: no ids. (parameter: drop)"
    assert vars(copy) == vars(error)
