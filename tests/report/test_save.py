"""Figures appear in their folder whole or not at all."""

import pytest
from matplotlib.figure import Figure

from hilabel.report import save_figure

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def test_the_file_is_the_only_thing_left_in_the_folder(tmp_path):
    path = save_figure(Figure(), tmp_path / "figure.png")
    assert path.read_bytes().startswith(PNG_SIGNATURE)
    assert list(tmp_path.iterdir()) == [path]


def test_an_existing_file_is_replaced(tmp_path):
    path = tmp_path / "figure.png"
    path.write_text("old")
    save_figure(Figure(), path)
    assert path.read_bytes().startswith(PNG_SIGNATURE)


def test_a_failure_keeps_the_old_file_and_leaves_nothing_else(tmp_path):
    class Broken(Figure):
        def savefig(self, target, **options):
            target.write_bytes(b"half of a")
            raise OSError("disk full")

    path = tmp_path / "figure.png"
    path.write_text("old")
    with pytest.raises(OSError, match="disk full"):
        save_figure(Broken(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_without_a_format_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"suffix of a format.*got .*figure"):
        save_figure(Figure(), tmp_path / "figure")
