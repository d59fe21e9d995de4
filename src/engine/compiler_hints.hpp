// Compiler hints, under names that work with all compilers.
//
// On x86-64, the whole engine is compiled twice: for all processors, and for those with
// 256-bit vectors; Python loads the one that fits. Both give bit-identical results: sums
// are never reordered (-ffp-contract=off, no -ffast-math).
#pragma once

#if defined(_MSC_VER)
#define HILABEL_RESTRICT __restrict
#else
#define HILABEL_RESTRICT __restrict__
#endif

// Before a loop over a few lanes: vectorise it instead of unrolling it.
#if defined(__GNUC__) && !defined(__clang__)
#define HILABEL_LANES _Pragma("GCC unroll 1")
#define HILABEL_UNROLLED _Pragma("GCC unroll 8")
#else
#define HILABEL_LANES
#define HILABEL_UNROLLED
#endif
