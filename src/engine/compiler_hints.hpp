// Hints to the compiler, under names that all of them take.
//
// The whole engine is compiled twice on x86-64 processors: for all of them, and for those
// with vectors of 256 bits; Python loads what fits. Both compute the same bits: sums are
// never taken in another order (-ffp-contract=off, no -ffast-math).
#pragma once

#if defined(_MSC_VER)
#define HILABEL_RESTRICT __restrict
#else
#define HILABEL_RESTRICT __restrict__
#endif

// Before a loop over a few lanes: let it become vector instructions, not copies of itself.
#if defined(__GNUC__) && !defined(__clang__)
#define HILABEL_LANES _Pragma("GCC unroll 1")
#define HILABEL_UNROLLED _Pragma("GCC unroll 8")
#else
#define HILABEL_LANES
#define HILABEL_UNROLLED
#endif
