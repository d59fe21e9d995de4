// Bindings: NumPy arrays are passed in as Spans, Buffers are returned as NumPy arrays.
//
// Array arguments must have the required dtype and rank and be C-contiguous; nothing is
// converted. What the engine uses without bounds checks (row numbers, pointers of CSR
// arrays) is checked here, once per call.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>

#include "arrays.hpp"

namespace hilabel {

namespace nb = nanobind;

template <class T>
using Array1 = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Array2 = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

template <class T>
Span<T> view(const Array1<T>& array) {
    return {array.data(), array.shape(0)};
}

template <class T>
Table<T> view(const Array2<T>& array) {
    return {array.data(), array.shape(0), array.shape(1)};
}

template <class T>
Span<T> flat(const Array2<T>& array) {
    return {array.data(), array.size()};
}

template <class Array, class... Sizes>
bool has_shape(const Array& array, Sizes... sizes) {
    std::size_t axis = 0;
    return (... && (array.shape(axis++) == sizes));
}

// Bind a function. Arguments are positional and never converted. Its documentation is with
// its types, in _engine/__init__.pyi.
template <class Result, class... Args>
void bind(nb::module_& m, const char* name, Result (*function)(Args...), const char* doc = "") {
    m.def(name, function, ((void)std::is_void_v<Args>, nb::arg().noconvert())..., doc);
}

// Bind a class that is created from arrays, likewise, and keeps them alive.
template <class T, class... Args, std::size_t... I>
void bind_class(nb::module_& m, const char* name, void (*make)(T*, Args...), const char* doc,
                std::index_sequence<I...>) {
    nb::class_<T>(m, name, doc)
        .def("__init__", make, ((void)I, nb::arg().noconvert())..., nb::keep_alive<1, I + 2>()...);
}
template <class T, class... Args>
void bind_class(nb::module_& m, const char* name, void (*make)(T*, Args...), const char* doc) {
    bind_class(m, name, make, doc, std::index_sequence_for<Args...>());
}

#if PY_VERSION_HEX < 0x030D0000
#define Py_IsFinalizing _Py_IsFinalizing
#endif

// Run long work without holding the GIL. A thread that returns while Python is shutting
// down must not request the GIL, which would terminate it inside the engine: it waits.
template <class Work>
auto without_gil(Work work) {
    struct Released {
        PyThreadState* state = PyEval_SaveThread();
        ~Released() {
            while (Py_IsFinalizing()) std::this_thread::sleep_for(std::chrono::hours(1));
            PyEval_RestoreThread(state);
        }
    } released;
    return work();
}

// Hand a Buffer over to NumPy without a copy, in the given shape; bytes may become bool.
template <class As = void, class T, class... Sizes>
auto to_numpy(Buffer<T>&& buffer, Sizes... sizes) {
    auto held = std::make_unique<Buffer<T>>(std::move(buffer));
    T* data = held->data();
    std::vector<std::size_t> shape{static_cast<std::size_t>(sizes)...};
    if (shape.empty()) shape.push_back(held->size());
    nb::capsule owner(held.release(), [](void* p) noexcept { delete static_cast<Buffer<T>*>(p); });
    using Item = std::conditional_t<std::is_void_v<As>, T, As>;
    return nb::ndarray<nb::numpy, Item>(data, shape.size(), shape.data(), owner);
}

inline void expect(bool holds, const char* what) {
    if (!holds) throw std::invalid_argument(what);
}

// Numbers must be at least `least` and below `limit`, or the sign bit of a difference is
// set.
template <class T>
void expect_range(Span<T> numbers, std::int64_t least, std::int64_t limit, const char* what) {
    std::uint64_t bits = 0;
    for (auto number : numbers) {
        const auto wide = static_cast<std::uint64_t>(static_cast<std::int64_t>(number));
        bits |= (wide - least) | (limit - 1 - wide);
    }
    expect(bits >> 63 == 0, what);
}

// Pointers of a CSR array: from 0 to `n_entries`, never decreasing.
template <class T>
void expect_pointers(Span<T> ptr, std::size_t n_entries, const char* what) {
    bool holds =
        ptr.size() > 0 && ptr[0] == 0 && static_cast<std::size_t>(ptr[ptr.size() - 1]) == n_entries;
    for (std::size_t i = 1; i < ptr.size(); ++i) holds &= ptr[i - 1] <= ptr[i];
    expect(holds, what);
}

// The bindings, each in the file with its name.
void bind_hierarchy(nb::module_& m);
void bind_neighbors(nb::module_& m);
void bind_column_search(nb::module_& m);
void bind_bins(nb::module_& m);
void bind_tree_settings(nb::module_& m);
void bind_node_trees(nb::module_& m);
void bind_tree_walk(nb::module_& m);
void bind_clustering_trees(nb::module_& m);
void bind_linear(nb::module_& m);
void bind_links(nb::module_& m);

}  // namespace hilabel
