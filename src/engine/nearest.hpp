// Short lists of nearest points, and exact distances to them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "arrays.hpp"

namespace hilabel {

constexpr double INFINITE = std::numeric_limits<double>::infinity();

// Points sorted by (value, index), padded with -1 and infinity.
template <class T, class Index = std::int64_t>
struct List {
    Span<Index> indices;
    Span<T> values;

    T worst() const { return values[values.size() - 1]; }
    bool has(std::int64_t index) const {
        return std::find(indices.begin(), indices.end(), index) != indices.end();
    }

    // Insert a point unless it is too far away.
    void insert(std::int64_t index, T value) const {
        const auto is_before = [&](std::size_t i) {  // as an unsigned number -1 comes last
            return value < values[i] ||
                   (value == values[i] && std::uint64_t(index) < std::uint64_t(indices[i]));
        };
        std::size_t place = values.size() - 1;
        if (!is_before(place)) return;
        for (; place > 0 && is_before(place - 1); --place) {
            values[place] = values[place - 1];
            indices[place] = indices[place - 1];
        }
        values[place] = value;
        indices[place] = index;
    }
};

// Insert the points numbers[i] with the values line[i] + lengths[i] into a list.
template <class T>
void keep_nearer(Span<const T> line, Span<const T> lengths, Span<const std::int64_t> numbers,
                 const List<T>& list) {
    // As wide as the values, so that vectors contain the same number of both.
    using Count = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    T worst = list.worst();
    for (std::size_t first = 0; first < line.size(); first += 64) {
        const std::size_t last = std::min(first + 64, line.size());
        Count n_nearer = 0;  // mostly none, which is seen without a branch
        for (std::size_t i = first; i < last; ++i) n_nearer += line[i] + lengths[i] < worst;
        if (n_nearer == 0) continue;
        for (std::size_t i = first; i < last; ++i)
            if (line[i] + lengths[i] < worst) {
                list.insert(numbers[i], line[i] + lengths[i]);
                worst = list.worst();
            }
    }
}

// Merge points that are always eligible with those of a pool, of which only some are. The
// latter are numbered -1 - index, so that both kinds fit in one list. Unless its list is
// complete, the pool has more points: false means that an unlisted point may be nearer.
template <class Counts>
bool merge(const List<const double, const std::int64_t>& fixed,
           const List<const double, const std::int32_t>& pool, bool pool_is_complete, Counts counts,
           const List<double>& merged) {
    const std::size_t width = pool.indices.size();
    const double beyond = pool_is_complete || width == 0 ? INFINITE : pool.worst();
    std::size_t i = 0, j = 0;
    for (std::size_t place = 0; place < merged.values.size(); ++place) {
        while (j < width && !counts(pool.indices[j])) ++j;
        const double bound = j < width ? pool.values[j] : beyond;
        // Among equal distances, a fixed point comes first.
        const bool is_fixed = i < fixed.values.size() && fixed.values[i] <= bound;
        if (!is_fixed && j == width) return false;
        merged.values[place] = is_fixed ? fixed.values[i] : bound;
        merged.indices[place] = is_fixed ? fixed.indices[i++] : -1 - pool.indices[j++];
    }
    return true;
}

// Distances of a row to four others, Euclidean if squared, else Manhattan; if all are
// beyond `farthest`, any value beyond it. Each is a sum of differences in double precision
// over the features in order, so the distance of equal rows is exactly 0. Four at a time,
// since each addition has to wait for the previous one.
constexpr std::size_t FOUR = 4;

template <class T>
void measure(Span<const double> one, T* const* others, bool is_squared, double farthest,
             double* distances) {
    // A margin for the rounding of a square and a root, so that skipped points are really
    // farther.
    const double limit = is_squared ? farthest * farthest * (1 + 1e-14) + 1e-300 : farthest;
    double total[FOUR] = {};
    const auto all_far = [&] { return *std::min_element(total, total + FOUR) > limit; };
    for (std::size_t first = 0; first < one.size() && !all_far(); first += 16)
        for (std::size_t i = first; i < std::min(first + 16, one.size()); ++i)
            for (std::size_t j = 0; j < FOUR; ++j) {
                const double gap = one[i] - others[j][i];
                total[j] += is_squared ? gap * gap : std::fabs(gap);
            }
    for (std::size_t j = 0; j < FOUR; ++j)
        distances[j] = is_squared ? std::sqrt(total[j]) : total[j];
}

// Call visit(place, distance) for the points with the given numbers; `farthest()` is called
// before each group of four.
template <class T, class Index, class Farthest, class Visit>
void measure_all(Span<const double> one, Table<T> points, Span<Index> numbers, bool is_squared,
                 Farthest farthest, Visit visit) {
    T* others[FOUR];
    double distances[FOUR];
    for (std::size_t first = 0; first < numbers.size(); first += FOUR) {
        const std::size_t n = std::min(FOUR, numbers.size() - first);
        for (std::size_t j = 0; j < FOUR; ++j)
            others[j] = points.row(numbers[first + std::min(j, n - 1)]).data();
        measure(one, others, is_squared, farthest(), distances);
        for (std::size_t j = 0; j < n; ++j) visit(first + j, distances[j]);
    }
}

}  // namespace hilabel
