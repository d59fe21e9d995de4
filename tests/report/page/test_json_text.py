"""JSON that may stand in a page."""

import json

import numpy as np

from hilabel.report.page._json_text import json_text

NASTY = [
    "</script><script>alert(1)</script>",
    "<!-- & --> &lt; \"quoted\" 'single' `back` \\",
    "right to left: \u202e\u05d0\u05d1, no break: \u00a0, line: \u2028\u2029",
    "x" * 300,
]


def test_no_tag_or_entity_can_begin_and_names_come_back_as_they_were():
    text = json_text(NASTY)
    assert not set("<>&") & set(text)
    assert json.loads(text) == NASTY


def test_numbers_of_numpy_are_shortened_and_what_is_no_number_is_null():
    value = {"a": np.array([1 / 3, np.nan]), "b": np.int64(3), "c": [np.inf, True]}
    assert json.loads(json_text(value)) == {
        "a": [0.333333, None],
        "b": 3,
        "c": [None, True],
    }


def test_half_a_letter_does_not_stop_the_page():
    assert json_text("a\ud800b").encode("utf-8") == b'"a?b"'
