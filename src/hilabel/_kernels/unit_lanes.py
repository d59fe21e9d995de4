"""Walk the labels of a row in 16 bits, sixteen at a time.

A plain loop over arrays that might overlap is compiled with a look at where they lie,
which for the few labels of a row takes longer than the loop. So the vector operations
are spelled out; LLVM lowers them for any processor.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hilabel._kernels.compiling import JIT_IS_OFF, raw_arguments

__all__ = ["AT_A_TIME", "pass_units"]

_LANES = 16
_UNROLLED = 2
# Rows must have a multiple of so many labels.
AT_A_TIME = _LANES * _UNROLLED


def _pass_one_by_one(table, first, times, counts, width):
    """Return the sum of units times counts, and count the labels of the row after.

    ``table`` int16 holds the units of the row's labels from ``first`` on, 0 for those
    it does not have; ``counts`` (width,) int16 grows by ``times`` where it has any. The
    sum must stay below 2**31.
    """
    units = table[int(first) : int(first) + width]
    total = np.int32(units.astype(np.int64) @ counts[:width].astype(np.int64))
    counts[:width][units != 0] += np.int16(times)
    return total


@intrinsic
def _pass_many(_, table, first, times, counts, width):
    def build(context, builder, signature, arguments):
        table, first, times, counts, width = raw_arguments(
            context, builder, signature.args, arguments
        )
        row = builder.gep(table, [first])
        return _emit_pass(builder, row, times, counts, width)

    signature = types.int32(table, types.intp, types.int16, counts, types.intp)
    return signature, build


def _emit_pass(builder, row, times, counts, width):
    narrow, wide = ir.IntType(16), ir.IntType(32)
    lanes = ir.VectorType(narrow, _LANES)
    products = ir.VectorType(wide, _LANES)
    halves = ir.VectorType(wide, _LANES // 2)
    even, odd = (
        ir.Constant(halves, list(range(parity, _LANES, 2))) for parity in (0, 1)
    )
    undefined = ir.Constant(lanes, ir.Undefined)
    single = builder.insert_element(undefined, times, wide(0))
    everywhere = builder.shuffle_vector(single, undefined, ir.Constant(products, None))
    nothing = ir.Constant(lanes, None)
    totals = [
        cgutils.alloca_once_value(builder, ir.Constant(halves, None))
        for _ in range(_UNROLLED)
    ]
    step = ir.Constant(width.type, AT_A_TIME)
    with cgutils.for_range_slice(
        builder, ir.Constant(width.type, 0), width, step, width.type
    ) as (index, _):
        for number, total in enumerate(totals):
            at = builder.add(index, ir.Constant(width.type, number * _LANES))
            unit_place, count_place = (
                builder.bitcast(builder.gep(array, [at]), lanes.as_pointer())
                for array in (row, counts)
            )
            units = builder.load(unit_place, align=2)
            before = builder.load(count_place, align=2)
            product = builder.mul(
                builder.sext(units, products), builder.sext(before, products)
            )
            # Neighbours added at once, for which processors have one instruction.
            pairs = builder.add(
                builder.shuffle_vector(product, product, even),
                builder.shuffle_vector(product, product, odd),
            )
            builder.store(builder.add(builder.load(total), pairs), total)
            has_label = builder.icmp_signed("!=", units, nothing)
            added = builder.select(has_label, everywhere, nothing)
            builder.store(builder.add(before, added), count_place, align=2)
    both = builder.add(*(builder.load(total) for total in totals))
    reduce = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(wide, [halves]),
        f"llvm.vector.reduce.add.v{_LANES // 2}i32",
    )
    return builder.call(reduce, [both])


pass_units = _pass_one_by_one if JIT_IS_OFF else _pass_many
