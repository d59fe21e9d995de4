"""Files appear complete, or not at all."""

import errno
import os

import pytest

from hilabel._writing import folder_aside, inputs_kept, is_leftover_of, written_aside


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
        pytest.raises(FileNotFoundError, match="no does not exist; create it first"),
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
    found = [path for path in tmp_path.iterdir() if is_leftover_of(path)]
    assert set(found) == set(left.values())
    assert is_leftover_of(left["a.json"], tmp_path / "a.json")
    assert not is_leftover_of(left["b.json"], tmp_path / "a.json")


# Folders ------------------------------------------------------------------------------


def write_two(folder, fail=False):
    with folder_aside(folder) as aside:
        (aside / "a.txt").write_text("new")
        (aside / "deep").mkdir()
        (aside / "deep" / "b.txt").write_text("new")
        if fail:
            raise OSError(errno.ENOSPC, "No space left on device")


def contents(folder):
    return {str(p.relative_to(folder)) for p in folder.rglob("*") if p.is_file()}


def test_files_of_a_folder_appear_together_or_not_at_all(tmp_path):
    new, old = tmp_path / "over" / "new", tmp_path / "old"
    old.mkdir()
    (old / "a.txt").write_text("old")
    for folder in (new, old):
        with pytest.raises(OSError, match="No space left"):
            write_two(folder, fail=True)
    assert contents(tmp_path) == {"old/a.txt"}
    assert (old / "a.txt").read_text() == "old"
    assert list(tmp_path.iterdir()) == [old]  # folders above are not left either
    for folder in (new, old):
        write_two(folder)
        assert contents(folder) == {"a.txt", "deep/b.txt"}
    assert (old / "a.txt").read_text() == "new"
    assert new.stat().st_mode == old.stat().st_mode


def test_what_is_in_the_way_is_found_before_the_first_file_is_replaced(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "deep" / "b.txt").mkdir(parents=True)
    with pytest.raises(IsADirectoryError, match=r"b\.txt: expected a file name"):
        write_two(tmp_path)
    assert (tmp_path / "a.txt").read_text() == "old"


@pytest.mark.parametrize("spelling", ["a.txt", "other/../a.txt", "link", "hard"])
def test_an_input_is_never_written_over_however_it_is_named(tmp_path, spelling):
    (tmp_path / "other").mkdir()
    (tmp_path / "a.txt").write_text("input")
    (tmp_path / "link").symlink_to("a.txt")
    os.link(tmp_path / "a.txt", tmp_path / "hard")
    with (
        inputs_kept([tmp_path / "a.txt"]),
        pytest.raises(FileExistsError, match="is also an input"),
        written_aside(tmp_path / spelling),
    ):
        pass
    with (
        inputs_kept([tmp_path / "link"]),
        pytest.raises(FileExistsError, match="is also an input"),
    ):
        write_two(tmp_path)
    assert (tmp_path / "a.txt").read_text() == "input"
