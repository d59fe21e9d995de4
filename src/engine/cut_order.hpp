// The rows of a node in the order in which they go to the other side.
#pragma once

#include <algorithm>
#include <cstring>

#include "coded_columns.hpp"
#include "lanes.hpp"
#include "random_stream.hpp"

namespace hilabel {

// Rows by the code of one feature, those with equal codes in the order of the node. There
// must be room to read on behind the codes that are given.
class CutOrder {
public:
    Buffer<std::int32_t> row;  // numbers in the node
    Buffer<Code> code;         // of these rows
    std::size_t n_known = 0;   // rows with a code that is not missing; those come last

    explicit CutOrder(std::size_t n_rows) : row(n_rows + 8), code(n_rows + 1) {}

    // O(rows), plus 256 for many.
    void sort(const Code* codes, std::size_t n) {
        n <= FEW ? sort_few(codes, n) : sort_many(codes, n);
        n_known = n;
        while (n_known > 0 && code[n_known - 1] == MISSING) --n_known;
    }

    // Put the rows with missing codes first.
    void turn(std::size_t n) {
        std::rotate(row.data(), row.data() + n_known, row.data() + n);
        std::rotate(code.data(), code.data() + n_known, code.data() + n);
    }

private:
    static constexpr std::size_t FEW = 96, AT_A_TIME = 16;

    void put(std::size_t i, std::size_t place, Code its_code) {
        row.data()[place] = static_cast<std::int32_t>(i);
        code.data()[place] = its_code;
    }

    // Compare every row with every other: no branch, and many comparisons at a time.
    void sort_few(const Code* codes, std::size_t n) {
        using Keys = Lanes<std::int16_t, AT_A_TIME>;
        std::int16_t key[FEW], place[AT_A_TIME];
        for (std::size_t i = 0; i < (n + AT_A_TIME - 1) / AT_A_TIME * AT_A_TIME; ++i)
            key[i] = static_cast<std::int16_t>(codes[i] << 7 | i);
        for (std::size_t first = 0; first < n; first += AT_A_TIME) {
            const Keys ours = load<Keys>(key + first);
            Keys sum = {};  // less one for each row up to this one
            for (std::size_t j = 0; j < n; ++j) sum = sum + (everywhere<Keys>(key[j]) <= ours);
            store(sum, place);
            for (std::size_t i = first; i < std::min(first + AT_A_TIME, n); ++i)
                put(i, -1 - place[i - first], codes[i]);
        }
    }

    void sort_many(const Code* codes, std::size_t n) {
        std::uint32_t start[257] = {};
        for (std::size_t i = 0; i < n; ++i) ++start[codes[i] + 1];
        for (std::size_t at = 0; at < 256; ++at) start[at + 1] += start[at];
        for (std::size_t i = 0; i < n; ++i) put(i, start[codes[i]]++, codes[i]);
    }
};

// A cut drawn from the lowest bin on, below the highest, as extra-trees do. The first code
// must be repeated behind those that are given, for whole vectors.
struct DrawnCut {
    int cut = 0, missing_left = -1;  // -1 if no code is missing

    // False if all codes are alike.
    bool draw(const Code* codes, std::size_t n, RandomStream& stream) {
        Code lowest = MISSING, highest = 0, known = 0;
        for (std::size_t i = 0; i < in_vectors(n); ++i) {
            lowest = std::min(lowest, codes[i]);
            highest = std::max(highest, codes[i]);
        }
        if (lowest == highest) return false;
        const bool has_missing = highest == MISSING;
        for (std::size_t i = 0; has_missing && i < n; ++i)
            known = std::max(known, codes[i] == MISSING ? Code(0) : codes[i]);
        const std::uint32_t range = (has_missing ? known : highest) - lowest;
        cut = lowest, missing_left = has_missing ? 0 : -1;
        if (range == 0) return true;  // one bin and missing values leave no choice
        cut += static_cast<int>(stream.below(range));
        if (has_missing) missing_left = static_cast<int>(stream.below(2));
        return true;
    }

    // Mark the rows that go left; return how many do.
    std::size_t mark_left(const Code* HILABEL_RESTRICT codes, std::size_t n,
                          std::uint8_t* HILABEL_RESTRICT is_left) const {
        // Turned by one in 8 bits, missing values are the lowest.
        const Code turn = missing_left == 1, limit = static_cast<Code>(cut + turn);
        const std::size_t end = in_vectors(n);
        std::size_t n_left = 0;
        for (std::size_t first = 0; first < end; first += 128) {  // counted in 8 bits
            std::uint8_t n_here = 0;
            for (std::size_t i = first; i < std::min(end, first + 128); ++i)
                n_here += is_left[i] = static_cast<Code>(codes[i] + turn) <= limit;
            n_left += n_here;
        }
        return n_left - (end - n) * is_left[0];
    }

private:
    static std::size_t in_vectors(std::size_t n) { return (n + 31) / 32 * 32; }
};

// The places of the bits that are set in each byte, and how many there are.
struct BitPlaces {
    std::int32_t place[256][8] = {};
    std::uint8_t count[256] = {};

    BitPlaces() {
        for (unsigned byte = 0; byte < 256; ++byte)
            for (std::int32_t bit = 0; bit < 8; ++bit)
                if (byte >> bit & 1) place[byte][count[byte]++] = bit;
    }
};

// List the rows of one side, eight at a time without a branch; return how many there are.
// There must be room for eight more in both arrays.
inline std::size_t list_side(std::uint8_t* is_left, bool left, std::size_t n, std::int32_t* moved) {
    using Eight = Lanes<std::int32_t, 8>;
    static const BitPlaces bits;
    constexpr std::uint64_t ONES = 0x0101010101010101, TO_BITS = 0x0102040810204080;
    std::memset(is_left + n, !left, 8);
    std::size_t n_moved = 0;
    for (std::size_t first = 0; first < n; first += 8) {
        std::uint64_t marks;
        std::memcpy(&marks, is_left + first, 8);
        const std::size_t byte = ((left ? marks : marks ^ ONES) * TO_BITS) >> 56;
        const auto start = everywhere<Eight>(static_cast<std::int32_t>(first));
        store(load<Eight>(bits.place[byte]) + start, moved + n_moved);
        n_moved += bits.count[byte];
    }
    return n_moved;
}

}  // namespace hilabel
