// Arrays of the engine: a pointer and a length; a checked build verifies every index. Spans
// are passed by value; Buffers own their memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace hilabel {

inline void check_index(std::size_t index, std::size_t size) {
#ifdef HILABEL_CHECKED
    if (index >= size)
        throw std::out_of_range("index " + std::to_string(index) + " of an array of " +
                                std::to_string(size));
#else
    (void)index, (void)size;
#endif
}

template <class T>
class Span {
public:
    Span() = default;
    Span(T* data, std::size_t size) : data_(data), size_(size) {}
    operator Span<const T>() const { return {data_, size_}; }

    T& operator[](std::size_t index) const {
        check_index(index, size_);
        return data_[index];
    }
    // The part from `first` up to, but not including, `last`.
    Span part(std::size_t first, std::size_t last) const {
        if (first != last) check_index(first, last), check_index(last - 1, size_);
        return {data_ + first, last - first};
    }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* data() const { return data_; }
    T* begin() const { return data_; }
    T* end() const { return data_ + size_; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

using Numbers = Span<const std::int32_t>;  // of rows

// A row-major matrix.
template <class T>
class Table {
public:
    Table() = default;
    Table(T* data, std::size_t n_rows, std::size_t n_columns)
        : data_(data), n_rows_(n_rows), n_columns_(n_columns) {}

    T& operator()(std::size_t row, std::size_t column) const {
        check_index(row, n_rows_), check_index(column, n_columns_);
        return data_[row * n_columns_ + column];
    }
    Span<T> row(std::size_t number) const {
        check_index(number, n_rows_);
        return {data_ + number * n_columns_, n_columns_};
    }
    std::size_t n_rows() const { return n_rows_; }
    std::size_t n_columns() const { return n_columns_; }

private:
    T* data_ = nullptr;
    std::size_t n_rows_ = 0, n_columns_ = 0;
};

// Owned memory that can be viewed as a Span.
template <class T>
class Buffer {
public:
    Buffer() = default;
    explicit Buffer(std::size_t size, T value = T()) : held_(size, value) {}

    T& operator[](std::size_t index) {
        check_index(index, held_.size());
        return held_[index];
    }
    const T& operator[](std::size_t index) const {
        check_index(index, held_.size());
        return held_[index];
    }
    Span<T> span() { return {held_.data(), held_.size()}; }
    Span<const T> span() const { return {held_.data(), held_.size()}; }
    operator Span<T>() { return span(); }
    operator Span<const T>() const { return span(); }
    T* data() { return held_.data(); }
    const T* data() const { return held_.data(); }
    std::size_t size() const { return held_.size(); }
    bool empty() const { return held_.empty(); }
    void fill(T value) { held_.assign(held_.size(), value); }
    void resize(std::size_t size) { held_.resize(size); }
    void push_back(T value) { held_.push_back(value); }

private:
    std::vector<T> held_;
};

}  // namespace hilabel
