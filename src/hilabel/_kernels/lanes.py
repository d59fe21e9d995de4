"""Sums over all pairs of a few rows, many pairs at a time.

Sorting a dozen rows costs a wrongly guessed branch per row. Comparing every row with
every other needs no branch, and a processor compares sixteen at once; below some
hundred rows that is faster. LLVM does not find this by itself in a plain loop, so the
few vector operations are spelled out here; it lowers them for any processor.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hilabel._kernels.compiling import JIT_IS_OFF, lean, raw_arguments

__all__ = ["BEYOND", "LANES", "TWICE", "left_sums"]

# Rows compared at a time. Arrays must have room for a multiple of it.
LANES = 16
# Stands in for the code of a row that is not there; codes are below it.
BEYOND = np.uint16(0x7FFF)
# Times this, 16 bits stand twice in 32, from where a processor spreads them over its
# lanes without a shuffle.
TWICE = np.uint32(0x10001)


def _one_by_one(n_lanes):
    """Return the plain form of what follows."""

    def sums_of_lanes(codes, codes_twice, addends_twice, first, n, sums):
        for i in range(first, first + n_lanes):
            is_left = (codes_twice[:n] & 0xFFFF) <= codes[i]
            sums[i] = (addends_twice[:n] & 0xFFFF)[is_left].sum()

    return sums_of_lanes


def _many_at_once(n_lanes):
    """Return a function that sets sums for ``n_lanes`` rows from ``first`` on."""

    @intrinsic
    def sums_of_lanes(_, codes, codes_twice, addends_twice, first, n, sums):
        def build(context, builder, signature, arguments):
            values = raw_arguments(context, builder, signature.args, arguments)
            _emit_sums(builder, *values, n_lanes)
            return context.get_dummy_value()

        signature = types.void(
            codes, codes_twice, addends_twice, types.intp, types.intp, sums
        )
        return signature, build

    return sums_of_lanes


def _emit_sums(builder, codes, codes_twice, addends_twice, first, n, sums, n_lanes):
    """Write the loop over j; the rows i and their sums stay in vector registers."""
    vector = ir.VectorType(ir.IntType(16), LANES)
    pairs = ir.VectorType(ir.IntType(32), LANES // 2)
    one = ir.Constant(vector, [1] * LANES)
    sign = ir.Constant(vector, [15] * LANES)
    blocks = range(0, n_lanes, LANES)

    def block_of(array, offset):
        at = builder.add(first, ir.Constant(first.type, offset))
        return builder.bitcast(builder.gep(array, [at]), vector.as_pointer())

    def in_every_lane(array, index):
        undefined = ir.Constant(pairs, ir.Undefined)
        value = builder.load(builder.gep(array, [index]))
        single = builder.insert_element(undefined, value, ir.IntType(32)(0))
        spread = builder.shuffle_vector(single, undefined, ir.Constant(pairs, None))
        return builder.bitcast(spread, vector)

    rows = [builder.load(block_of(codes, offset), align=2) for offset in blocks]
    totals = [
        cgutils.alloca_once_value(builder, ir.Constant(vector, None)) for _ in blocks
    ]
    with cgutils.for_range(builder, n) as loop:
        below = builder.sub(in_every_lane(codes_twice, loop.index), one)
        addend = in_every_lane(addends_twice, loop.index)
        for row, total in zip(rows, totals):
            # The sign of code - 1 - row, over all bits, is a mask of the rows that
            # are not below: cheaper than a comparison, which needs a mask register.
            is_left = builder.ashr(builder.sub(below, row), sign)
            added = builder.and_(is_left, addend)
            builder.store(builder.add(builder.load(total), added), total)
    for offset, total in zip(blocks, totals):
        builder.store(builder.load(total), block_of(sums, offset), align=2)


_made = _one_by_one if JIT_IS_OFF else _many_at_once
_sums_of_1, _sums_of_2, _sums_of_4 = (_made(LANES * blocks) for blocks in (1, 2, 4))


@lean
def left_sums(codes, codes_twice, addends_twice, n, sums):
    """Set ``sums[i]`` to the sum of ``addends[j]`` over the ``codes[j] <= codes[i]``.

    ``codes`` and ``sums`` are uint16 with room for a multiple of ``LANES``, where the
    codes beyond the ``n`` rows are ``BEYOND``; the other two are uint32 and hold codes
    and addends ``TWICE``. Sums must stay below 2**16. O(n**2 / LANES).
    """
    first = 0
    while n - first > 2 * LANES:
        _sums_of_4(codes, codes_twice, addends_twice, first, n, sums)
        first += 4 * LANES
    while n - first > LANES:
        _sums_of_2(codes, codes_twice, addends_twice, first, n, sums)
        first += 2 * LANES
    while n - first > 0:
        _sums_of_1(codes, codes_twice, addends_twice, first, n, sums)
        first += LANES
