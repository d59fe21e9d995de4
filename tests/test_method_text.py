"""Lists of methods, and the values of their settings."""

from hilabel._method_text import split_outside


def test_marks_inside_brackets_do_not_divide():
    assert split_outside("a, b:w=[1,2,(3,4)] ,c", ",") == ["a", "b:w=[1,2,(3,4)]", "c"]
    assert split_outside("a:b={'x':1}:c", ":") == ["a", "b={'x':1}", "c"]
