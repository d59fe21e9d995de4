"""Sums over all pairs of a few rows, for the cuts of many features at a time.

One lane of a vector belongs to one feature. The products of rows are the same for all
features; which rows are on the left side differs. As in ``lanes``, the vector
operations are spelled out, since a plain loop is not compiled to them.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hilabel._kernels.compiling import JIT_IS_OFF, raw_arguments
from hilabel._kernels.multi_label_scratch import (
    CROSS_LABEL,
    FEW,
    LABELED_WEIGHT,
    N_ROW_SUMS,
    OWN_LABEL,
)

__all__ = ["LANES", "sum_left_sides"]

# Features compared at a time. Arrays must have room for a multiple of it.
LANES = 16
# In the order of the sums that they add up to.
_ADDED = (OWN_LABEL, CROSS_LABEL, LABELED_WEIGHT)


def _sum_one_by_one(codes, width, first, n, turn, limit, near, row_sums, side, sums):
    """Set the sums over the left side of ``LANES`` features, from ``first`` on.

    ``codes`` (n * width,) uint8 holds a row of codes after the other, and a row goes
    left if ``code + turn``, in 8 bits, is at most ``limit``; ``turn`` and ``limit``
    (width,) uint8. ``near`` and ``row_sums`` are those of a block of ``n`` rows;
    ``side`` (FEW * LANES,) float64 is scratch. ``sums`` (4 * width,) float64 gets the
    squares, the products with the whole node, the labelled weight, and the number of
    rows, one after the other.
    """
    for lane in range(first, first + LANES):
        of_lane = codes[lane : n * width : width]
        is_left = (of_lane + turn[lane]).astype(np.uint8) <= limit[lane]
        left = np.flatnonzero(is_left)
        products = near.reshape(FEW, FEW)[np.ix_(left, left)]
        added = [row_sums[left, column].sum() for column in _ADDED]
        pairs = products.sum() - products.trace()
        for place, value in enumerate((added[0] + pairs, *added[1:], left.size)):
            sums[place * width + lane] = value


@intrinsic
def _sum_many(_, codes, width, first, n, turn, limit, near, row_sums, side, sums):
    def build(context, builder, signature, arguments):
        values = raw_arguments(context, builder, signature.args, arguments)
        _emit_sums(builder, *values)
        return context.get_dummy_value()

    signature = types.void(
        codes,
        types.intp,
        types.intp,
        types.intp,
        turn,
        limit,
        near,
        row_sums,
        side,
        sums,
    )
    return signature, build


def _emit_sums(
    builder, codes, width, first, n, turn, limit, near, row_sums, side, sums
):
    word, real = width.type, ir.DoubleType()
    small = ir.VectorType(ir.IntType(8), LANES)
    reals = ir.VectorType(real, LANES)
    ones = ir.Constant(reals, [1.0] * LANES)
    zeros = ir.Constant(reals, [0.0] * LANES)

    def load(array, index, kind, align):
        place = builder.bitcast(builder.gep(array, [index]), kind.as_pointer())
        return builder.load(place, align=align)

    def in_every_lane(array, index):
        value = builder.load(builder.gep(array, [index]))
        undefined = ir.Constant(reals, ir.Undefined)
        single = builder.insert_element(undefined, value, ir.IntType(32)(0))
        mask = ir.Constant(ir.VectorType(ir.IntType(32), LANES), None)
        return builder.shuffle_vector(single, undefined, mask)

    def times(index, number):
        return builder.mul(index, ir.Constant(word, number))

    def add_to(total, value):
        builder.store(
            builder.fadd(builder.load(total), value, flags=("contract",)), total
        )

    turned, highest = (load(array, first, small, 1) for array in (turn, limit))
    totals = [cgutils.alloca_once_value(builder, zeros) for _ in range(4)]
    pairs = cgutils.alloca_once_value(builder, zeros)
    with cgutils.for_range(builder, n) as outer:
        i = outer.index
        code = load(codes, builder.add(builder.mul(i, width), first), small, 1)
        is_left = builder.icmp_unsigned("<=", builder.add(code, turned), highest)
        here = builder.select(is_left, ones, zeros)
        place = builder.gep(side, [times(i, LANES)])
        builder.store(here, builder.bitcast(place, reals.as_pointer()), align=8)
        builder.store(zeros, pairs)
        with cgutils.for_range(builder, i) as inner:
            j = inner.index
            product = in_every_lane(near, builder.add(times(i, FEW), j))
            there = load(side, times(j, LANES), reals, 8)
            add_to(pairs, builder.fmul(product, there, flags=("contract",)))
        both = builder.load(pairs)
        with_own = [builder.fadd(both, both), zeros, zeros]
        for total, column, more in zip(totals, _ADDED, with_own):
            index = builder.add(times(i, N_ROW_SUMS), ir.Constant(word, column))
            value = builder.fadd(in_every_lane(row_sums, index), more)
            add_to(total, builder.fmul(here, value, flags=("contract",)))
        add_to(totals[3], here)
    for number, total in enumerate(totals):
        index = builder.add(builder.mul(width, ir.Constant(word, number)), first)
        place = builder.gep(sums, [index])
        builder.store(
            builder.load(total), builder.bitcast(place, reals.as_pointer()), align=8
        )


sum_left_sides = _sum_one_by_one if JIT_IS_OFF else _sum_many
