// Rows of numbers in single precision, stored with or without their zeros.
//
// Weights are in double precision, and have one entry more than a row has columns: the bias.
// Its penalty is divided by a number of the rows, as if they had the root of this number in
// one more column. Sums are added in the same order on any machine.
#pragma once

#include "arrays.hpp"

namespace hilabel {

// Partial sums of a product, which do not wait for each other.
struct FourSums {
    double parts[4] = {0, 0, 0, 0};
    double total() const { return (parts[0] + parts[1]) + (parts[2] + parts[3]); }
};

// A CSR matrix. The bindings check that the pointers fit and that columns are in range.
class SparseVectors {
public:
    SparseVectors() = default;
    SparseVectors(Span<const std::int64_t> ptr, Numbers columns, Span<const float> values,
                  std::size_t n_columns, double bias_square)
        : ptr_(ptr),
          columns_(columns),
          values_(values),
          n_columns_(n_columns),
          bias_square_(bias_square) {}

    std::size_t n_rows() const { return ptr_.size() - 1; }
    std::size_t n_columns() const { return n_columns_; }
    double bias_square() const { return bias_square_; }

    // Call visit(column, value) for the stored values of a row, without the bias.
    template <class Visit>
    void each(std::size_t row, Visit visit) const {
        for (auto at = ptr_[row]; at < ptr_[row + 1]; ++at) visit(columns_[at], values_[at]);
    }

    double product(std::size_t row, Span<const double> weights) const {
        const std::int64_t last = ptr_[row + 1];
        FourSums sums;
        std::int64_t at = ptr_[row];
        for (; at + 4 <= last; at += 4)
            for (int lane = 0; lane < 4; ++lane)
                sums.parts[lane] += weights[columns_[at + lane]] * values_[at + lane];
        for (int lane = 0; at < last; ++at, ++lane)
            sums.parts[lane] += weights[columns_[at]] * values_[at];
        return sums.total() + weights[n_columns_];
    }

    void add(std::size_t row, double factor, Span<double> weights) const {
        each(row, [&](std::int32_t column, float value) { weights[column] += factor * value; });
        weights[n_columns_] += factor * bias_square_;
    }

private:
    Span<const std::int64_t> ptr_;
    Numbers columns_;
    Span<const float> values_;
    std::size_t n_columns_ = 0;
    double bias_square_ = 1;
};

class DenseVectors {
public:
    DenseVectors() = default;
    DenseVectors(Table<const float> table, double bias_square)
        : table_(table), bias_square_(bias_square) {}

    std::size_t n_rows() const { return table_.n_rows(); }
    std::size_t n_columns() const { return table_.n_columns(); }
    double bias_square() const { return bias_square_; }

    template <class Visit>
    void each(std::size_t row, Visit visit) const {
        const Span<const float> values = table_.row(row);
        for (std::size_t column = 0; column < values.size(); ++column)
            visit(static_cast<std::int32_t>(column), values[column]);
    }

    double product(std::size_t row, Span<const double> weights) const {
        const Span<const float> values = table_.row(row);
        const std::size_t n_columns = values.size();
        FourSums sums;
        std::size_t column = 0;
        for (; column + 4 <= n_columns; column += 4)
            for (int lane = 0; lane < 4; ++lane)
                sums.parts[lane] += weights[column + lane] * values[column + lane];
        for (int lane = 0; column < n_columns; ++column, ++lane)
            sums.parts[lane] += weights[column] * values[column];
        return sums.total() + weights[n_columns];
    }

    void add(std::size_t row, double factor, Span<double> weights) const {
        const Span<const float> values = table_.row(row);
        for (std::size_t column = 0; column < values.size(); ++column)
            weights[column] += factor * values[column];
        weights[values.size()] += factor * bias_square_;
    }

private:
    Table<const float> table_;
    double bias_square_ = 1;
};

// The squared length of a row, with its bias.
template <class Rows>
double square(const Rows& rows, std::size_t row) {
    double sum = rows.bias_square();
    rows.each(row, [&](std::int32_t, float value) { sum += static_cast<double>(value) * value; });
    return sum;
}

}  // namespace hilabel
