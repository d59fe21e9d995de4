// The nearest of many sparse points, found through the lists of the points in each column.
//
// The products of a query with all points are added up column by column, from the columns
// that the query has. They bound the distances; only the points that may be among the
// nearest are then measured. The distance is a sum over the columns in order, so that of
// equal rows is exactly 0, and the result is that of measuring all points.
#pragma once

#include "nearest.hpp"

namespace hilabel {

// One entry of a compressed matrix after the other, by row or by column.
struct Entries {
    Numbers index;  // ascending
    Span<const double> value;

    std::size_t size() const { return index.size(); }
};

struct CompressedTable {
    Span<const std::int64_t> ptr;
    Numbers index;
    Span<const double> value;

    std::size_t size() const { return ptr.size() - 1; }
    Entries line(std::size_t number) const {
        const std::size_t first = ptr[number], last = ptr[number + 1];
        return {index.part(first, last), value.part(first, last)};
    }
};

// The points to search. The closeness of a point to a query is their product plus the
// offset of the point. Where it is lower than that of another point, less the slack of that
// point and of the query, the other point is nearer: slack covers the rounding of both.
struct SearchedPoints {
    CompressedTable lists, points;  // by column; by row
    Span<const double> offset, slack;
    bool by_angle;  // rows have length 1 or 0, and offsets are 0

    std::size_t size() const { return points.size(); }
};

// The distance of two rows: Euclidean, or 1 - cosine.
inline double distance_between(const Entries& one, const Entries& other, bool by_angle) {
    double squares = 0, product = 0;
    const auto add = [&](double gap) { squares += gap * gap; };
    std::size_t i = 0, j = 0;
    while (i < one.size() && j < other.size()) {
        if (one.index[i] == other.index[j]) {
            product += one.value[i] * other.value[j];
            add(one.value[i++] - other.value[j++]);
        } else if (one.index[i] < other.index[j]) {
            add(one.value[i++]);
        } else {
            add(other.value[j++]);
        }
    }
    while (i < one.size()) add(one.value[i++]);
    while (j < other.size()) add(other.value[j++]);
    if (!by_angle) return std::sqrt(squares);
    return product == 0 ? 1.0 : squares / 2;  // exactly 1 if no column is shared
}

// Searches for one query after the other; each thread has its own.
class ColumnSearch {
public:
    ColumnSearch(const SearchedPoints& points, std::size_t k)
        : points_(points), closeness_(points.size()), surest_(k) {}

    // Fill the list with the nearest points. O(points + entries of the query's columns).
    void find(const Entries& query, double slack, const List<double>& nearest) {
        add_products(query);
        choose(slack);
        for (std::size_t point : candidates_)
            nearest.insert(point,
                           distance_between(query, points_.points.line(point), points_.by_angle));
    }

private:
    void add_products(const Entries& query) {
        std::copy(points_.offset.begin(), points_.offset.end(), closeness_.data());
        double* const to = closeness_.data();
        for (std::size_t i = 0; i < query.size(); ++i) {
            const Entries list = points_.lists.line(query.index[i]);
            const double value = query.value[i];
            const std::int32_t* const point = list.index.data();
            const double* const values = list.value.data();
            for (std::size_t j = 0, n = list.size(); j < n; ++j) to[point[j]] += value * values[j];
        }
    }

    // Choose the points that may be among the nearest.
    void choose(double slack) {
        surest_.fill(-INFINITE);
        candidates_.clear();
        std::size_t n_apart = 0;
        for (std::size_t first = 0; first < points_.size(); first += 64) {
            const std::size_t last = std::min(first + 64, points_.size());
            const double bound = least(), *const all = closeness_.data();
            std::int64_t n_close = 0;  // mostly none, which is seen without a branch
            for (std::size_t i = first; i < last; ++i) n_close += all[i] >= bound;
            if (n_close == 0) continue;
            for (std::size_t i = first; i < last; ++i) {
                if (!(closeness_[i] >= least())) continue;
                // All that share no column are as far: only the first can be in the list.
                if (points_.by_angle && closeness_[i] == 0 && n_apart++ >= surest_.size()) continue;
                candidates_.push_back(i);
                keep(closeness_[i] - points_.slack[i] - slack);
            }
        }
        const auto is_far = [&](std::size_t i) { return closeness_[i] < least(); };
        candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), is_far),
                          candidates_.end());
    }

    // As many points are at least this close as are sought.
    double least() const { return surest_[surest_.size() - 1]; }

    void keep(double closeness) {
        std::size_t place = surest_.size() - 1;
        if (closeness <= surest_[place]) return;
        for (; place > 0 && surest_[place - 1] < closeness; --place)
            surest_[place] = surest_[place - 1];
        surest_[place] = closeness;
    }

    const SearchedPoints points_;
    Buffer<double> closeness_;  // of all points, at most
    Buffer<double> surest_;     // the largest, at least; descending
    std::vector<std::size_t> candidates_;
};

}  // namespace hilabel
