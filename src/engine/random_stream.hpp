// Random numbers: one stream per tree, the same on any machine.
#pragma once

#include <cstdint>

namespace hilabel {

// A splitmix64 generator (Steele, Lea and Flood, 2014) seeded with three numbers, so that a
// tree does not depend on other trees.
class RandomStream {
public:
    RandomStream(std::uint64_t seed, std::uint64_t node, std::uint64_t tree) : state_(seed) {
        for (std::uint64_t part : {node, tree}) state_ = next() ^ (part * 0xD1342543DE82EF95u);
        next();
    }

    // An integer from 0 to bound - 1; bound < 2**31.
    std::uint32_t below(std::uint32_t bound) {
        return static_cast<std::uint32_t>(((next() >> 32) * bound) >> 32);
    }

    std::uint64_t next() {
        state_ += 0x9E3779B97F4A7C15u;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
        return z ^ (z >> 31);
    }

private:
    std::uint64_t state_;
};

}  // namespace hilabel
