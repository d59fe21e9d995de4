"""Free memory: the machine's, or what a control group leaves."""

import pytest

from hilabel._free_memory import available_memory


@pytest.fixture
def system(tmp_path):
    """Return the files of a machine with 8 MiB free and a group of 4 MiB."""
    (tmp_path / "meminfo").write_text("MemTotal: 9 kB\nMemAvailable: 8192 kB\n")
    (tmp_path / "own").write_text("0::/slice/job\n")
    job = tmp_path / "groups" / "slice" / "job"
    job.mkdir(parents=True)
    (job / "memory.max").write_text("4194304\n")
    (job / "memory.current").write_text("3145728\n")
    (job / "memory.stat").write_text("anon 5\ninactive_file 1048576\n")
    return tmp_path / "meminfo", tmp_path / "own", tmp_path / "groups"


def test_a_group_limits_the_memory_and_cached_files_do_not_count(system):
    assert available_memory(*system) == 2 * 2**20


def test_a_group_above_limits_it_too(system):
    above = system[2] / "slice"
    (above / "memory.max").write_text("1000")
    (above / "memory.current").write_text("900")
    (above / "memory.stat").write_text("")
    assert available_memory(*system) == 100


def test_without_a_limit_the_machine_decides(system):
    (system[2] / "slice" / "job" / "memory.max").write_text("max\n")
    assert available_memory(*system) == 8 * 2**20


def test_without_control_groups_the_machine_decides(system):
    meminfo, _, groups = system
    assert available_memory(meminfo, groups / "none", groups) == 8 * 2**20


def test_there_is_an_answer_on_this_machine():
    assert available_memory() > 2**20


def test_the_first_version_of_control_groups_limits_too(tmp_path, system):
    meminfo = system[0]
    groups = tmp_path / "first"
    inner = groups / "memory" / "job"
    inner.mkdir(parents=True)
    (inner / "memory.limit_in_bytes").write_text("1000\n")
    (inner / "memory.usage_in_bytes").write_text("700\n")
    stat = "inactive_file 7\ntotal_inactive_file 200\n"
    (inner / "memory.stat").write_text(stat)
    own = tmp_path / "own_first"
    own.write_text("4:cpu,memory:/job\n3:pids:/\n0::/\n")
    assert available_memory(meminfo, own, groups) == 500
    # Without a limit, the number is larger than any memory.
    (inner / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    assert available_memory(meminfo, own, groups) == 8 * 2**20
