"""The peak of memory, of this process and of its workers."""

import subprocess
import sys

import numpy as np

from hilabel._peak_memory import peak_memory, reset_peak_memory


def test_the_peak_sees_memory_that_was_given_back():
    reset_peak_memory()
    before = peak_memory()
    block = np.ones(2**25)  # 256 MiB
    del block
    after = peak_memory()
    assert after - before > 200 * 2**20


def test_the_peak_of_workers_is_added():
    code = "block = bytearray(2**26); print(flush=True); input()"
    worker = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    worker.stdout.readline()
    alone, together = peak_memory(), peak_memory(workers=True)
    worker.communicate(b"\n")
    if sys.platform == "linux":
        assert together - alone > 2**26
