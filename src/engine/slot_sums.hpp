// Labels by slot: their numbers in a node or a tree.
#pragma once

#include "side_sums.hpp"

namespace hilabel {

// Padded to whole lanes, with weight 0.
struct SlotSums {
    Buffer<double> weight;  // of the labels
    Buffer<double> total;   // weights times sums over the node
    Buffer<double> count;   // sums over one side
    std::size_t n_slots = 0;

    explicit SlotSums(std::size_t n_labels)
        : weight(n_labels + 8), total(n_labels + 8), count(n_labels + 8) {}

    // Set the sums for the cut after the last row of one side, given `count` and the
    // contribution of labels of single rows to both sums.
    void sum_side(std::size_t last, double single, double side_weight, SideSums& sides) const {
        Four squares[2] = {}, cross[2] = {};
        for (std::size_t slot = 0; slot < n_slots; slot += 8) {
            HILABEL_UNROLLED
            for (std::size_t half = 0; half < 2; ++half) {
                const std::size_t at = slot + 4 * half;
                const Four one = load<Four>(count.data() + at);
                squares[half] = squares[half] + load<Four>(weight.data() + at) * one * one;
                cross[half] = cross[half] + load<Four>(total.data() + at) * one;
            }
        }
        sides.squares[last] = sum_of(squares[0] + squares[1]) + single;
        sides.cross[last] = sum_of(cross[0] + cross[1]) + single;
        sides.weight[last] = side_weight;
    }
};

}  // namespace hilabel
