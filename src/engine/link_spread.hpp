// What reaches a row along the links of a graph, without visiting the whole graph.
//
// An amount at a row counts there, and alpha times its share goes on to each linked row. So
// x = start + alpha S start + (alpha S)^2 start + ...; amounts that are too small for the
// number of their links count where they are, and go no further.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "arrays.hpp"

namespace hilabel {

// Links of rows, as a CSR matrix.
template <class Share>
struct LinkRows {
    Span<const std::int64_t> ptr;
    Numbers row;
    Span<const Share> share;

    std::size_t size() const { return ptr.size() - 1; }
    std::size_t n_links(std::size_t number) const { return ptr[number + 1] - ptr[number]; }
};

struct SpreadLimits {
    double alpha;
    double least;             // an amount per square root of the number of links
    std::int64_t most_links;  // to follow from one start
};

// Spreads from one start after the other; each thread has its own.
class LinkSpread {
public:
    LinkSpread(const LinkRows<float>& graph, Numbers part, const SpreadLimits& limits)
        : graph_(graph),
          part_(part),
          limits_(limits),
          waiting_(graph.size()),
          arrived_(graph.size()),
          seen_(graph.size()),
          queued_(graph.size()) {
        cost_root_.resize(graph.size());
        for (std::size_t row = 0; row < graph.size(); ++row)
            cost_root_[row] = std::sqrt(static_cast<double>(graph.n_links(row)));
    }

    // Spread from rows and their amounts. Rows of the same part as the start, if that is
    // not negative, are not entered. O(most_links).
    void spread(Numbers rows, Span<const double> amounts, std::int32_t own) {
        clear();
        own_ = own;
        least_ = limits_.least;
        std::int64_t left = limits_.most_links;
        for (std::size_t i = 0; i < rows.size(); ++i) add(rows[i], amounts[i]);
        while (!next_.empty()) {
            if (!choose(left)) break;
            for (const auto& [row, amount] : going_) pass_on(row, amount);
        }
        for (const std::size_t row : touched_) arrived_[row] += waiting_[row];
    }

    // The rows that amounts have reached, the nearest first.
    const std::vector<std::size_t>& reached() const { return touched_; }
    double arrived(std::size_t row) const { return arrived_[row]; }

private:
    void clear() {
        for (const std::size_t row : touched_)
            waiting_[row] = arrived_[row] = 0, seen_[row] = queued_[row] = 0;
        touched_.clear();
        next_.clear();
    }

    void add(std::size_t row, double amount) {
        if (own_ >= 0 && part_[row] == own_) return;
        if (!seen_[row]) seen_[row] = 1, touched_.push_back(row);
        waiting_[row] += amount;
        if (!queued_[row] && goes_on(row)) queued_[row] = 1, next_.push_back(row);
    }

    bool goes_on(std::size_t row) const { return waiting_[row] > least_ * cost_root_[row]; }

    // Take the amounts that go on next: fewer of them, if their links would be too many.
    bool choose(std::int64_t& left) {
        std::int64_t n_links = total(next_);
        while (n_links > left) {
            least_ *= 2;
            next_.erase(std::remove_if(next_.begin(), next_.end(),
                                       [&](std::size_t row) {
                                           if (goes_on(row)) return false;
                                           queued_[row] = 0;
                                           return true;
                                       }),
                        next_.end());
            n_links = total(next_);
        }
        left -= n_links;
        going_.clear();
        for (const std::size_t row : next_) {
            going_.emplace_back(row, waiting_[row]);
            arrived_[row] += waiting_[row];
            waiting_[row] = 0, queued_[row] = 0;
        }
        next_.clear();
        return !going_.empty();
    }

    std::int64_t total(const std::vector<std::size_t>& rows) const {
        std::int64_t n_links = 0;
        for (const std::size_t row : rows) n_links += graph_.n_links(row);
        return n_links;
    }

    void pass_on(std::size_t row, double amount) {
        const double part = limits_.alpha * amount;
        for (std::int64_t i = graph_.ptr[row]; i < graph_.ptr[row + 1]; ++i)
            add(graph_.row[i], part * graph_.share[i]);
    }

    const LinkRows<float> graph_;
    const Numbers part_;
    const SpreadLimits limits_;
    Buffer<double> waiting_, arrived_, cost_root_;
    Buffer<char> seen_, queued_;
    std::vector<std::size_t> touched_, next_;
    std::vector<std::pair<std::size_t, double>> going_;
    std::int32_t own_ = -1;
    double least_ = 0;
};

}  // namespace hilabel
