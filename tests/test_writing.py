"""Files appear complete, or not at all."""

import errno
import os

import pytest

from hilabel._writing import leftovers_of, written_aside


def test_the_file_appears_at_the_end(tmp_path):
    path = tmp_path / "a.txt"
    with written_aside(path) as aside:
        aside.write_text("new")
        assert not path.exists()
    assert path.read_text() == "new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_an_error_leaves_the_old_file_alone(error, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def write_half():
        with written_aside(path) as aside:
            aside.write_text("half")
            raise error("stop")

    with pytest.raises(error, match="stop"):
        write_half()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    missing = tmp_path / "no" / "a.txt"
    with (
        pytest.raises(FileNotFoundError, match="no does not exist; make it first"),
        written_aside(missing),
    ):
        pass


def test_a_folder_in_place_of_the_file_is_refused(tmp_path):
    with (
        pytest.raises(IsADirectoryError, match="expected a file name, got a folder"),
        written_aside(tmp_path),
    ):
        pass


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, failing
):
    path = tmp_path / "a.txt"
    path.write_text("old")

    def fail(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with (
        pytest.raises(OSError, match="No space left"),
        written_aside(path) as aside,
    ):
        aside.write_text("new")
    monkeypatch.undo()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_writer_left_is_found_and_nothing_else(tmp_path):
    left = {}
    for name in ("a.json", "b.json"):
        with written_aside(tmp_path / name) as aside:
            aside.write_text("")
        left[name] = aside.parent
        left[name].mkdir()  # as if it had been killed
    assert leftovers_of(tmp_path / "a.json") == [left["a.json"]]
