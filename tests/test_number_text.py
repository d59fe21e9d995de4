"""Gains and their errors have the digits that they deserve."""

import math
import re

import pytest
from hypothesis import given, strategies as st

from hilabel._number_text import gain_with_error


@pytest.mark.parametrize(
    ("gain", "error", "text"),
    [
        (0.0123, 0.0041, "+.012 ± .004"),
        (-0.0123, 0.0041, "-.012 ± .004"),
        (0.0123, 0.00041, "+.0123 ± .0004"),
        (0.0123, 0.0013, "+.0123 ± .0013"),
        (0.2, 0.13, "+.20 ± .13"),
        (0.0123, 0.3, "+.0 ± .3"),
        (-0.0123, 0.3, "+.0 ± .3"),
        (1.5, 0.1, "+1.50 ± .10"),
        (12345.6, 78.9, "+12,346 ± 79"),
        (0, 0.004, "+.000 ± .004"),
        (0.0123, 0.0, "+.012"),
        (0.0123, 1e-17, "+.012"),
        (0.0123, None, "+.012"),
        (0.0123, math.nan, "+.012"),
        (-0.0001, None, "+.000"),
        (None, 0.1, "-"),
        (math.nan, 0.1, "-"),
    ],
)
def test_the_error_decides_on_the_digits(gain, error, text):
    assert gain_with_error(gain, error) == text


@given(st.floats(-1, 1), st.floats(1e-6, 10))
def test_rounding_is_small_compared_with_the_error(gain, error):
    shown_gain, shown_error = gain_with_error(gain, error).split(" ± ")
    assert abs(float(shown_gain) - gain) <= error / 2
    assert abs(float(shown_error) - error) <= error / 3
    digits = re.sub(r"[^0-9]", "", shown_error).lstrip("0")
    assert 1 <= len(digits) <= 2
