// Several adjacent numbers, in a vector register if the compiler has such a type.
//
// Most loops of the engine are vectorised by the compiler. Sums carried through a loop are
// written with these lanes, because the compiler would otherwise keep them in memory, which
// takes twice as long. The plain version below computes the same.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hilabel {

// Bytes processed by one instruction.
#if defined(__AVX2__)
constexpr std::size_t WIDEST = 32;
#else
constexpr std::size_t WIDEST = 16;
#endif

#if defined(__GNUC__) && !defined(HILABEL_CHECKED)

template <class T, std::size_t N>
struct LanesOf {
    typedef T type __attribute__((vector_size(N * sizeof(T))));
};
template <class T, std::size_t N>
using Lanes = typename LanesOf<T, N>::type;

// The same number in every lane.
template <class V, class T>
inline V everywhere(T value) {
    return V{} + value;
}

#else

template <class T, std::size_t N>
struct Lanes {
    T lane[N];

#define HILABEL_LANES_OPERATOR(op)                                                 \
    friend Lanes operator op(Lanes a, Lanes b) {                                   \
        for (std::size_t i = 0; i < N; ++i) a.lane[i] = T(a.lane[i] op b.lane[i]); \
        return a;                                                                  \
    }
    HILABEL_LANES_OPERATOR(+)
    HILABEL_LANES_OPERATOR(*)
    HILABEL_LANES_OPERATOR(&)
    HILABEL_LANES_OPERATOR(|)
    HILABEL_LANES_OPERATOR(^)
#undef HILABEL_LANES_OPERATOR
    // All bits set where the condition holds.
    friend Lanes operator<=(Lanes a, Lanes b) {
        for (std::size_t i = 0; i < N; ++i) a.lane[i] = a.lane[i] <= b.lane[i] ? T(-1) : T(0);
        return a;
    }
};

template <class V, class T>
inline V everywhere(T value) {
    V lanes;
    for (auto& lane : lanes.lane) lane = value;
    return lanes;
}

#endif

template <class V, class T>
inline V load(const T* from) {
    V lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}

template <class V, class T>
inline void store(const V& lanes, T* to) {
    std::memcpy(to, &lanes, sizeof lanes);
}

// Whether any bit of the lanes is set.
template <class V>
inline bool any(const V& lanes) {
    std::uint64_t words[sizeof(V) / sizeof(std::uint64_t)], all = 0;
    std::memcpy(words, &lanes, sizeof lanes);
    for (std::uint64_t word : words) all |= word;
    return all != 0;
}

}  // namespace hilabel
