"""The compiled part of hilabel, which takes and returns NumPy arrays.

On x86-64, ``src/engine`` is built twice: ``_portable`` runs on all processors,
and ``_avx2`` runs on processors with 256-bit vectors. Their results are bit-identical.
``__init__.pyi`` documents the functions and their arguments.
"""

from hilabel._engine import _portable

if _portable.prefers_avx2():
    from hilabel._engine._avx2 import *  # noqa: F403
else:
    from hilabel._engine._portable import *  # noqa: F403
