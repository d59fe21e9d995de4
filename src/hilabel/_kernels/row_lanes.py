"""Add up rows of a table of 16 bits, with the sums in vector registers.

A plain loop loads and stores all sums for every row, or every few. Spelled out as
vector operations, as in ``lanes``, sums are stored once, after the last row.
"""

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from hilabel._kernels.compiling import JIT_IS_OFF, lean, raw_arguments

__all__ = ["AT_A_TIME", "add_rows"]

_LANES = 16
# Tables must have a multiple of so many columns.
AT_A_TIME = 2 * _LANES


def _one_by_one(n_vectors):
    """Return the plain form of what follows."""

    def add_columns(table, width, place, order, n_moved, first, times):
        rows = table.reshape(-1, width)[place[order[:n_moved]]]
        part = slice(first, first + n_vectors * _LANES)
        times[part] = rows[:, part].sum(axis=0)

    return add_columns


def _many_at_once(n_vectors):
    """Return a function that adds up so many columns from ``first`` on."""

    @intrinsic
    def add_columns(_, table, width, place, order, n_moved, first, times):
        def build(context, builder, signature, arguments):
            values = raw_arguments(context, builder, signature.args, arguments)
            _emit_sums(builder, *values, n_vectors)
            return context.get_dummy_value()

        word = types.intp
        signature = types.void(table, word, place, order, word, word, times)
        return signature, build

    return add_columns


def _emit_sums(builder, table, width, place, order, n_moved, first, times, n_vectors):
    vector = ir.VectorType(ir.IntType(16), _LANES)
    word = width.type
    starts = [ir.Constant(word, number * _LANES) for number in range(n_vectors)]
    zero = ir.Constant(vector, None)
    totals = [cgutils.alloca_once_value(builder, zero) for _ in starts]

    def vector_at(array, begin, start):
        found = builder.gep(array, [builder.add(begin, start)])
        return builder.bitcast(found, vector.as_pointer())

    with cgutils.for_range(builder, n_moved) as loop:
        number = builder.load(builder.gep(order, [loop.index]))
        row = builder.load(builder.gep(place, [builder.sext(number, word)]))
        begin = builder.add(builder.mul(builder.sext(row, word), width), first)
        for total, start in zip(totals, starts):
            value = builder.load(vector_at(table, begin, start), align=2)
            builder.store(builder.add(builder.load(total), value), total)
    for total, start in zip(totals, starts):
        builder.store(builder.load(total), vector_at(times, first, start), align=2)


_made = _one_by_one if JIT_IS_OFF else _many_at_once
# Of sixteen registers, twelve for sums leave room for the rest.
_add_12, _add_8, _add_4, _add_2 = _made(12), _made(8), _made(4), _made(2)


@lean
def add_rows(table, width, place, order, n_moved, times):
    """Set ``times`` (width,) to the sums of the rows that stand in ``order``.

    ``table`` uint16 has ``width`` columns, a multiple of ``AT_A_TIME``; the rows are
    ``place[order[k]]`` for ``k`` below ``n_moved``, both int32.
    """
    first = 0
    while width - first >= 12 * _LANES:
        _add_12(table, width, place, order, n_moved, first, times)
        first += 12 * _LANES
    if width - first >= 8 * _LANES:
        _add_8(table, width, place, order, n_moved, first, times)
        first += 8 * _LANES
    if width - first >= 4 * _LANES:
        _add_4(table, width, place, order, n_moved, first, times)
        first += 4 * _LANES
    if width - first > 0:
        _add_2(table, width, place, order, n_moved, first, times)
