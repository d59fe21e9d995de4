"""Commands that run out of disk. ``make fuzz`` tries more sizes."""

from fuzz.full_disk import OLD, USES, failure_of, files_of_at_most, prepare_old


def test_nothing_half_written_stays_and_one_line_tells(tmp_path):
    prepare_old(tmp_path)
    for use in USES:
        is_study = use[:2] == ["study", "run"]  # which then goes on to its end
        assert failure_of(use, tmp_path, files_of_at_most(10)) is None
        written = {path.name for path in (tmp_path / "out").iterdir()}
        assert written == {*OLD, *(["new"] if is_study else [])}, use
        if is_study:
            (tmp_path / "out" / "new").rename(tmp_path / "done")
