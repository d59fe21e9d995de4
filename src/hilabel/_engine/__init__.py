"""The compiled part of hilabel: NumPy arrays in, NumPy arrays out.

It is built from ``src/engine`` twice where that pays: ``_portable`` runs everywhere,
``_avx2`` on processors with vectors of 256 bits. Both compute the same bits. What there
is, and with which arguments, is in ``__init__.pyi``.
"""

from hilabel._engine import _portable

if _portable.prefers_avx2():
    from hilabel._engine._avx2 import *  # noqa: F403
else:
    from hilabel._engine._portable import *  # noqa: F403
