// Upper bounds of the gains of a feature, to pass over those that cannot win.
//
// A gain is a sum over labels, each with its weight, of what no split makes negative. With
// weights rounded up to a multiple of one unit it can only grow, and by little. In whole
// numbers of 16 bits the labels of a row are gone through many at a time, which takes a
// third of the time that its list of labels does. Of the many features that are tried in a
// node only a few come near the best one before them, and only their gains are computed in
// full.
#pragma once

#include <algorithm>
#include <cmath>

#include "side_sums.hpp"

namespace hilabel {

class GainBounds {
public:
    // With fewer candidates too many of them come near the best one before.
    static constexpr std::int32_t FEWEST_CANDIDATES = 16;

    // Where they are not `wanted`, or if sums do not fit into 32 bits, nothing is prepared.
    GainBounds(const NodeRows& tree, const LabelTargets& targets, bool wanted)
        : part_(wanted ? tree.size() : 0), unit_(wanted ? find_unit(tree, targets) : 0.0) {
        if (!is_of_use()) return;
        width_ = (targets.n_labels() + CELLS - 1) / CELLS * CELLS;
        units_ = Buffer<Line>(targets.n_labeled * width_ / CELLS);
        norm_ = Buffer<double>(targets.n_labeled);
        counts_ = Buffer<Line>(width_ / CELLS);
        for (std::int32_t row : tree.rows)
            for (std::uint32_t label : targets.searched.of(row)) {
                const double units = std::ceil(targets.weight[label] / unit_);
                line(row)[label] = static_cast<std::int16_t>(units);
                norm_[row] += units;
            }
    }

    bool is_of_use() const { return unit_ > 0.0; }

    // Prepare for the splits of a node.
    void sum_up(const NodeRows& node, const PartSums& labels) {
        start(node);
        for (std::size_t i = 0; i < node.size(); ++i) walk(i, node.weights[i]);
        part_.squares = 0, part_.all_weight = labels.all_weight;
        for (std::size_t i = 0; i < node.size(); ++i) {
            const double weight = part_.weight[i] = node.weights[i];
            part_.own[i] = weight * weight * norm_[node.rows[i]];
            part_.squares += part_.cross[i] = weight * walk(i, 0.0);
        }
        part_.set_impurity(0.0);
        rounding_ = ROUNDING * labels.before;
    }

    // Say whether some cut may gain more than `best`.
    bool can_beat(double best, const NodeRows& node, const Cuts& cuts, SideSums& sides,
                  double* gain) {
        start(node);
        sum_sides(cuts, part_, *this, sides);
        std::fill(gain + cuts.first, gain + cuts.moved.size(), 0.0);
        add_gains(sides, part_, 0.0, cuts, gain);
        return unit_ * gain[cuts.best(gain)] + rounding_ > best;
    }

    double pass(std::size_t i) { return part_.weight.data()[i] * walk(i, part_.weight.data()[i]); }

private:
    // Cells that lie side by side in memory, from the beginning of a cache line on.
    static constexpr std::size_t CELLS = 32;
    struct alignas(2 * CELLS) Line {
        std::int16_t cells[CELLS] = {};
    };
    static constexpr double MOST = 32767, MOST_SUM = 2147483647;
    // Beside the squares of a node, so little is lost to rounding.
    static constexpr double ROUNDING = 1e-12;

    // The least unit with which no sum overflows, or 0 if there is none.
    static double find_unit(const NodeRows& tree, const LabelTargets& targets) {
        double all_weight = 1, most = 0, all_labels = 0;
        for (double weight : tree.weights) all_weight += weight;
        for (double weight : targets.weight) most = std::max(most, weight), all_labels += weight;
        // Rounding up adds a unit for each label at most.
        const double most_units = MOST_SUM / all_weight - static_cast<double>(targets.n_labels());
        return all_weight > MOST ? 0.0 : std::max(most / (MOST - 1), all_labels / most_units);
    }

    std::int16_t* line(std::size_t row) { return units_.data()->cells + row * width_; }

    void start(const NodeRows& node) {
        rows_ = node.rows.data();
        counts_.fill(Line());
    }

    // The sum of a row's units times counts; its labels are then counted.
    double walk(std::size_t i, double weight) {
        const std::int16_t* HILABEL_RESTRICT units = line(rows_[i]);
        std::int16_t* HILABEL_RESTRICT counts = counts_.data()->cells;
        const std::int16_t times = static_cast<std::int16_t>(weight);
        std::int32_t total = 0;
        for (std::size_t cell = 0; cell < width_; ++cell) {
            total += std::int32_t(units[cell]) * std::int32_t(counts[cell]);
            counts[cell] += units[cell] != 0 ? times : std::int16_t(0);
        }
        return total;
    }

    PartSums part_;  // in units
    double unit_, rounding_ = 0;
    std::size_t width_ = 0;
    Buffer<Line> units_;   // of each label that a row of the tree has, line by line
    Buffer<Line> counts_;  // rows that have each label, in the node or on the other side
    Buffer<double> norm_;  // the units of each row
    const std::int32_t* rows_ = nullptr;
};

}  // namespace hilabel
