"""Tables written in parts."""

from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from hilabel.tasks._write_table import table_writer, write_table


@pytest.mark.parametrize("name", ["t.csv", "t.tsv.gz", "t.parquet"])
def test_a_table_in_parts_is_the_table(name, tmp_path):
    frame = pd.DataFrame({"word": [None, None, "b"], "number": [0.5, None, 2.0]})
    with table_writer(tmp_path / name) as write:
        for start in range(4):  # the last has no rows
            write(frame[start : start + 1])
        assert not (tmp_path / name).exists()
    written = (tmp_path / name).read_bytes()
    if name.endswith("parquet"):
        assert pd.read_parquet(tmp_path / name)["word"].isna().tolist() == [1, 1, 0]
    else:
        assert written == write_table(frame, tmp_path / name).read_bytes()


def test_an_interrupted_table_leaves_the_old_one(tmp_path):
    path = tmp_path / "t.parquet"
    write_table(pd.DataFrame({"a": [1]}), path)
    before = path.read_bytes()

    def interrupted():
        with table_writer(path) as write:
            write(pd.DataFrame({"a": [2]}))
            raise InterruptedError("stopped")

    with pytest.raises(InterruptedError, match="stopped"):
        interrupted()
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["t.parquet"]


@given(st.lists(st.floats(width=32) | st.none(), max_size=8), st.integers(1, 9))
def test_digits_are_those_of_pandas(values, digits):
    numbers = pd.Series(values, dtype=np.float64)
    frame = pd.DataFrame(
        {"word": 'a,"b', "n": 7, "once": numbers, "single": numbers.astype("f4")}
    )
    frame = pd.concat([frame, frame], ignore_index=True)
    with TemporaryDirectory() as folder:
        path = write_table(frame, f"{folder}/t.csv", digits=digits)
        written = path.read_bytes().decode()
    expected = frame.to_csv(
        index=False, float_format=f"%.{digits}g", lineterminator="\n"
    )
    # Zero and minus zero are the same number.
    assert written.replace("-0,", "0,").replace("-0\n", "0\n") == expected.replace(
        "-0,", "0,"
    ).replace("-0\n", "0\n")
