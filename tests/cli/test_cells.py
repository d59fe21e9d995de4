"""Values of tables have the digits that they deserve."""

import numpy as np
import pandas as pd
import pytest

from hilabel.cli._cells import cell, cells
from hilabel.cli._screen import Screen


@pytest.mark.parametrize(
    ("value", "name", "text"),
    [
        (0.12345, "", "0.123"),
        (np.float32(0.5), "micro_AP", "0.500"),
        (-0.0001, "", "0.000"),
        (1234567.8, "", "1,234,568"),
        (61.25, "seconds", "61.2"),
        (12345.678, "fit_seconds", "12,345.7"),
        (999, "", "999"),
        (12345, "rows", "12,345"),
        (np.int64(12345), "rows", "12,345"),
        (12345, "seed", "12345"),
        (True, "", "yes"),
        (np.False_, "", "no"),
        (None, "", "-"),
        (np.nan, "seconds", "-"),
        (pd.NA, "", "-"),
        (np.inf, "", "inf"),
        ("12345", "", "12345"),
    ],
)
def test_a_value_is_shown_by_its_kind_and_name(value, name, text):
    assert cell(value, name) == text


@pytest.mark.parametrize(
    ("values", "name", "texts"),
    [
        ([3.0, np.nan, 1200.0], "rows", ["3", "-", "1,200"]),
        ([1.0, np.nan], "n_labeled", ["1", "-"]),
        ([1.0, 0.0, np.nan], "micro_AP", ["1.000", "0.000", "-"]),
        ([3.0, 2.5], "distance", ["3.000", "2.500"]),
        ([15.0, 2.0], "seconds", ["15.0", "2.0"]),
        ([], "rows", []),
    ],
)
def test_whole_numbers_are_counts_even_beside_missing_values(values, name, texts):
    assert cells(pd.Series(values, dtype=float), name) == texts


def test_tables_and_facts_show_them(capsys):
    Screen().table(pd.DataFrame({"fraction": [0.1], "seconds": [2.0], "rows": [4000]}))
    Screen().facts({"rows": 4000, "out of fold": 0.5, "nothing": None})
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.endswith("0.100 2.0 4,000 rows 4,000 out of fold 0.500 nothing -")
