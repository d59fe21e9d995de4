"""Mark the rows on the left of a cut, 64 to a word, and list those of one side.

Rows are compared 64 at a time, and only those that are listed are gone through one by
one: bit by bit of a word. As in ``lanes``, the vector operations are spelled out.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from hilabel._kernels.compiling import JIT_IS_OFF, inlined, lean, raw_arguments

__all__ = ["AT_A_TIME", "list_smaller_side", "mark_left_side"]

# Arrays of codes must have room for a multiple of so many.
AT_A_TIME = 64


def _compare_one_by_one(codes, first, turn, limit):
    """Return a word that has the bits set for which ``code + turn <= limit``.

    ``codes`` uint8 are taken from ``first`` on, and added to in 8 bits.
    """
    part = codes[first : first + AT_A_TIME]
    is_left = (part + np.uint8(turn)).astype(np.uint8) <= limit
    return np.packbits(is_left, bitorder="little").view(np.uint64)[0]


@intrinsic
def _compare_many(_, codes, first, turn, limit):
    def build(context, builder, signature, arguments):
        codes, first, turn, limit = raw_arguments(
            context, builder, signature.args, arguments
        )
        lanes = ir.VectorType(ir.IntType(8), AT_A_TIME)
        undefined = ir.Constant(lanes, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), AT_A_TIME), None)

        def in_every_lane(value):
            single = builder.insert_element(undefined, value, ir.IntType(32)(0))
            return builder.shuffle_vector(single, undefined, everywhere)

        place = builder.bitcast(builder.gep(codes, [first]), lanes.as_pointer())
        turned = builder.add(builder.load(place, align=1), in_every_lane(turn))
        is_left = builder.icmp_unsigned("<=", turned, in_every_lane(limit))
        return builder.bitcast(is_left, ir.IntType(AT_A_TIME))

    return types.uint64(codes, types.intp, types.uint8, types.uint8), build


def _count_bits_plainly(word):
    """Return how many bits of a word of 64 are set."""
    return int(word).bit_count()


@intrinsic
def _count_bits_at_once(_, word):
    def build(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), build


def _lowest_bit_plainly(word):
    """Return the place of the lowest bit that is set, of a word that is not 0."""
    word = int(word)
    return (word & -word).bit_length() - 1


@intrinsic
def _lowest_bit_at_once(_, word):
    def build(context, builder, signature, arguments):
        never_zero = ir.Constant(ir.IntType(1), 1)
        return builder.cttz(arguments[0], never_zero)

    return types.int64(types.uint64), build


_compare = _compare_one_by_one if JIT_IS_OFF else _compare_many
_count_bits = _count_bits_plainly if JIT_IS_OFF else _count_bits_at_once
_lowest_bit = _lowest_bit_plainly if JIT_IS_OFF else _lowest_bit_at_once


@inlined
def _bits_in_use(n_rows, first):
    """Return the word of all rows from ``first`` on, of at most 64."""
    n_here = min(n_rows - first, AT_A_TIME)
    return ~np.uint64(0) >> np.uint64(AT_A_TIME - n_here)


@lean
def mark_left_side(codes, n_rows, cut, missing_left, marks):
    """Set the bits in ``marks`` uint64 of the rows that go left; return how many do.

    ``missing_left`` is 1 if missing values go left.
    """
    # Turned by one in 8 bits, missing values are the lowest.
    turn = np.uint8(1 if missing_left == 1 else 0)
    limit = np.uint8(cut + turn)
    n_left = 0
    for first in range(0, n_rows, AT_A_TIME):
        word = _compare(codes, first, turn, limit) & _bits_in_use(n_rows, first)
        marks[np.uint64(first // AT_A_TIME)] = word
        n_left += _count_bits(word)
    return n_left


@lean
def list_smaller_side(marks, n_rows, n_left, moved):
    """List the numbers of the rows of the smaller side; return how many there are."""
    other_side = np.uint64(0) if 2 * n_left <= n_rows else ~np.uint64(0)
    n_moved = np.uint64(0)
    for first in range(0, n_rows, AT_A_TIME):
        word = marks[np.uint64(first // AT_A_TIME)] ^ other_side
        word &= _bits_in_use(n_rows, first)
        while word != np.uint64(0):
            moved[n_moved] = first + _lowest_bit(word)
            n_moved += np.uint64(1)
            word &= word - np.uint64(1)
    return np.int64(n_moved)
