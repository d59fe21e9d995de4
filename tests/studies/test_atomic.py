"""Whole files or none, and claims that end with their owner."""

import errno
import os
import subprocess
import sys

import pytest

from hilabel.studies._atomic import claim, leftovers_of, write_atomically

HOLD = """
import sys, time
from pathlib import Path
from hilabel.studies._atomic import claim
with claim(Path(sys.argv[1])) as is_mine:
    print(is_mine, flush=True)
    time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path):
    """Return a path that another process has claimed, and that process."""
    path = tmp_path / "lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "True\n"
        yield path, process
        process.kill()


def test_a_file_is_replaced_as_a_whole(tmp_path):
    path = tmp_path / "a.json"
    write_atomically(path, b"old")
    write_atomically(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path, monkeypatch, failing
):
    path = tmp_path / "a.json"
    write_atomically(path, b"old")

    def fail(*args, **kwargs):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_writer_left_is_found_and_nothing_else(tmp_path):
    path = tmp_path / "a.json"
    write_atomically(path, b"whole")
    torn = tmp_path / ".a.json.123.tmp"
    torn.write_bytes(b"wh")
    (tmp_path / ".b.json.123.tmp").write_bytes(b"")
    assert leftovers_of(path) == [torn]


def test_a_claim_is_had_by_one_process_at_a_time(holder):
    path, _ = holder
    with claim(path) as is_mine:
        assert not is_mine


def test_a_claim_ends_when_its_owner_is_killed(holder):
    path, process = holder
    process.kill()
    process.wait()
    with claim(path) as is_mine:
        assert is_mine


def test_a_claim_can_be_had_again_after_it_was_given_back(tmp_path):
    for _ in range(2):
        with claim(tmp_path / "lock") as is_mine:
            assert is_mine
