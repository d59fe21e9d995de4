"""Every reader gives a result or a documented error, whatever it is given."""

import pytest

from fuzz.readers import FAILURES, KINDS, failure_of, run

# Model files are those of test_models.
KEPT = sorted(
    path
    for path in FAILURES.iterdir()
    if path.name[0] != "." and path.suffix != ".hilabel"
)


def test_spoiled_files_give_a_result_or_a_documented_error():
    assert run(1500, seed=0) == []


@pytest.mark.parametrize("path", KEPT, ids=lambda path: path.name)
def test_a_file_that_failed_once_does_so_no_more(path):
    assert failure_of(path.name.split(".")[0], path) is None


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_that_are_spoiled_can_be_read(kind, tmp_path):
    files = KINDS[kind].files()
    if isinstance(files[0], bytes):
        path = tmp_path / f"whole{KINDS[kind].suffix}"
        path.write_bytes(files[0])
        KINDS[kind].read(path)
