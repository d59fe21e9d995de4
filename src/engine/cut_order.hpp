// The rows of a node in the order in which they move to the other side.
#pragma once

#include "arrays.hpp"
#include "codes.hpp"

namespace hilabel {

// Rows sorted by the code of one feature; ties keep the order of the node.
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

    // Compare every pair of rows: no branches, and many comparisons at a time.
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

// Mark the rows that a cut sends left; return their number. In 8 bits, many are counted at
// a time.
inline std::size_t mark_left(const Code* HILABEL_RESTRICT codes, std::size_t n, Cut cut,
                             std::uint8_t* HILABEL_RESTRICT is_left) {
    std::size_t n_left = 0;
    for (std::size_t first = 0; first < n; first += 128) {
        std::uint8_t n_here = 0;
        for (std::size_t i = first; i < std::min(n, first + 128); ++i)
            n_here += is_left[i] = cut.sends_left(codes[i]);
        n_left += n_here;
    }
    return n_left;
}

// The positions of the bits set in each byte, and their number.
struct BitPlaces {
    std::int32_t place[256][8] = {};
    std::uint8_t count[256] = {};

    BitPlaces() {
        for (unsigned byte = 0; byte < 256; ++byte)
            for (std::int32_t bit = 0; bit < 8; ++bit)
                if (byte >> bit & 1) place[byte][count[byte]++] = bit;
    }
};

// List the rows with a mark of 0 or 1, eight at a time without branches; return their
// number. There must be room for eight more entries in both arrays.
inline std::size_t list_marked(std::uint8_t* marks, bool mark, std::size_t n,
                               std::int32_t* listed) {
    using Eight = Lanes<std::int32_t, 8>;
    static const BitPlaces bits;
    constexpr std::uint64_t ONES = 0x0101010101010101, TO_BITS = 0x0102040810204080;
    std::memset(marks + n, !mark, 8);
    std::size_t n_listed = 0;
    for (std::size_t first = 0; first < n; first += 8) {
        std::uint64_t word;
        std::memcpy(&word, marks + first, 8);
        const std::size_t byte = ((mark ? word : word ^ ONES) * TO_BITS) >> 56;
        const auto start = everywhere<Eight>(static_cast<std::int32_t>(first));
        store(load<Eight>(bits.place[byte]) + start, listed + n_listed);
        n_listed += bits.count[byte];
    }
    return n_listed;
}

}  // namespace hilabel
