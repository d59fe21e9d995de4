"""How the innermost kernels are compiled.

Numba counts the references to every array that is handed on, and to hand on a dozen
arrays takes longer than to look at a few rows. Where nothing is allocated, the counting
can be left out (``_nrt=False``), and small kernels are compiled into their callers.
"""

from typing import Any

import numba

__all__ = ["JIT_IS_OFF", "inlined", "lean", "raw_arguments", "summing"]

_numba: Any = numba  # its type stubs know neither the option nor the setting
lean = _numba.njit(cache=True, nogil=True, _nrt=False)
inlined = _numba.njit(cache=True, nogil=True, _nrt=False, forceinline=True)
# The same with sums taken in any order, so that several terms are added at a time, and
# without a look for 0 at each division.
summing = _numba.njit(
    cache=True,
    nogil=True,
    _nrt=False,
    forceinline=True,
    fastmath={"reassoc", "contract"},
    error_model="numpy",
)
JIT_IS_OFF = bool(_numba.config.DISABLE_JIT)


def raw_arguments(context: Any, builder: Any, kinds: Any, arguments: Any) -> list[Any]:
    """Return what an intrinsic is given, pointers to the first elements for arrays."""
    return [
        context.make_array(kind)(context, builder, value).data
        if isinstance(kind, numba.types.Array)
        else value
        for kind, value in zip(kinds, arguments)
    ]
