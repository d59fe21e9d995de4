// Linear models of many nodes, trained and scored, bound.
#include <cmath>
#include <limits>

#include "bind.hpp"
#include "linear_mining.hpp"

namespace hilabel {
namespace {

using RowNumbers = Array1<const std::int32_t>;
using Pointers = Array1<const std::int64_t>;
using Floats = Array1<const float>;
using Doubles = Array1<const double>;
using Flags = Array1<const bool>;

// The numbers of Loss in _engine/__init__.pyi.
enum class LossName { LOGISTIC = 0, SQUARED_HINGE = 1 };

template <class T>
void expect_finite(Span<const T> numbers, const char* what) {
    bool holds = true;
    for (auto number : numbers) holds &= std::isfinite(number);
    expect(holds, what);
}

// Rows, sparse or dense, and their squared lengths.
class LinearTable {
public:
    LinearTable(const Pointers& ptr, const RowNumbers& columns, const Floats& values,
                std::size_t n_columns, double bias_square)
        : sparse_(view(ptr), view(columns), view(values), n_columns, bias_square),
          is_sparse_(true) {
        expect_pointers(view(ptr), columns.size(), "ptr must fit columns.");
        expect(values.size() == columns.size(), "columns and values must be as many.");
        expect(n_columns <= std::numeric_limits<std::int32_t>::max(), "too many columns.");
        expect_range(view(columns), 0, n_columns, "columns must name columns.");
        expect_finite(view(values), "values must be finite.");
        measure(sparse_);
    }
    LinearTable(const Array2<const float>& table, double bias_square)
        : dense_(view(table), bias_square), is_sparse_(false) {
        expect(table.shape(1) <= std::numeric_limits<std::int32_t>::max(), "too many columns.");
        expect_finite(flat(table), "values must be finite.");
        measure(dense_);
    }

    template <class Work>
    auto with_rows(Work work) const {
        return is_sparse_ ? work(sparse_) : work(dense_);
    }
    bool is_sparse() const { return is_sparse_; }
    Span<const double> lengths() const { return lengths_; }
    std::size_t n_rows() const { return lengths_.size(); }
    std::size_t n_columns() const { return is_sparse_ ? sparse_.n_columns() : dense_.n_columns(); }

private:
    template <class Rows>
    void measure(const Rows& rows) {
        expect(rows.bias_square() > 0 && rows.bias_square() <= LARGEST_COST,
               "bias_square must be above 0 and at most 1e30.");
        lengths_.resize(rows.n_rows());
        for (std::size_t row = 0; row < lengths_.size(); ++row) lengths_[row] = square(rows, row);
    }

    SparseVectors sparse_;
    DenseVectors dense_;
    bool is_sparse_;
    Buffer<double> lengths_;
};

// The examples of several nodes, one after the other, and the bias that each begins with.
struct NodeExamples {
    Pointers nodes;
    Pointers ptr;
    RowNumbers rows;
    Flags positive;
    Doubles bias;
    Doubles weight;

    void expect_to_fit(const LinearTable& table) const {
        expect_pointers(view(ptr), rows.size(), "ptr must fit rows.");
        expect(nodes.size() + 1 == ptr.size(), "ptr must fit nodes.");
        expect(positive.size() == rows.size(), "rows and positive must be as many.");
        expect(rows.size() <= std::numeric_limits<std::int32_t>::max(), "too many examples.");
        expect_range(view(rows), 0, table.n_rows(), "rows must name rows of the table.");
        expect(bias.size() == nodes.size(), "bias must fit nodes.");
        expect_finite(view(bias), "bias must be finite.");
        expect(weight.size() == 0 || weight.size() == table.n_rows(), "weight must fit the table.");
        expect_finite(view(weight), "weight must be finite.");
    }
    LinearExamples of(std::size_t i) const {
        const std::size_t first = view(ptr)[i], last = view(ptr)[i + 1];
        const Span<const std::uint8_t> flags{reinterpret_cast<const std::uint8_t*>(positive.data()),
                                             positive.size()};
        return {view(rows).part(first, last), flags.part(first, last), view(weight)};
    }
};

void expect_settings(const LinearSettings& settings) {
    expect(settings.cost >= LEAST_COST && settings.cost <= LARGEST_COST,
           "cost must be from 1e-100 to 1e30.");
    expect(settings.tolerance > 0, "tolerance must be above 0.");
    expect(settings.pruning >= 0, "pruning must be 0 or more.");
}

auto to_tuple(WeightLists&& lists) {
    return nb::make_tuple(to_numpy(std::move(lists.ptr)), to_numpy(std::move(lists.columns)),
                          to_numpy(std::move(lists.values)), to_numpy(std::move(lists.biases)));
}

// Call work with an object of the loss.
template <class Work>
void with_loss(int loss, Work work) {
    expect(loss == 0 || loss == 1, "loss must be 0 or 1.");
    if (static_cast<LossName>(loss) == LossName::LOGISTIC) work(LogisticLoss());
    else work(SquaredHingeLoss());
}

auto train_linear(const LinearTable& table, const Pointers& nodes, const Pointers& ptr,
                  const RowNumbers& rows, const Flags& positive, const Doubles& bias,
                  const Doubles& weight, int loss, double cost, double tolerance, int max_passes,
                  double pruning, std::uint64_t seed) {
    const NodeExamples examples{nodes, ptr, rows, positive, bias, weight};
    examples.expect_to_fit(table);
    const LinearSettings settings{cost, tolerance, max_passes, pruning};
    expect_settings(settings);
    WeightLists found;
    const auto train_all = [&](auto loss_object, const auto& all) {
        using Loss = decltype(loss_object);
        ModelInTraining model(all);
        Buffer<double> duals;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const LinearExamples own = examples.of(i);
            duals = Buffer<double>(own.size());
            model.use(own.rows);
            model.restart(view(bias)[i]);
            const RandomStream random(seed, view(nodes)[i], 0);
            descend<Loss>(all, table.lengths(), own, settings, random, duals, model.weights());
            model.template move_to<Loss>(found, own, settings);
        }
    };
    with_loss(loss, [&](auto loss_object) {
        without_gil(
            [&] { table.with_rows([&](const auto& all) { train_all(loss_object, all); }); });
    });
    return to_tuple(std::move(found));
}

auto train_mined(const LinearTable& table, const Pointers& list_ptr, const RowNumbers& list_rows,
                 const Floats& list_values, const Pointers& nodes, const Pointers& ptr,
                 const RowNumbers& rows, const Flags& positive, const Doubles& bias,
                 const Doubles& weight, const Pointers& excluded_ptr, const RowNumbers& excluded,
                 int loss, double cost, double tolerance, int max_passes, double pruning,
                 int n_rounds, std::size_t least, std::size_t per_positive, std::uint64_t seed) {
    const NodeExamples examples{nodes, ptr, rows, positive, bias, weight};
    examples.expect_to_fit(table);
    if (table.is_sparse())
        expect(list_ptr.size() == table.n_columns() + 1, "there must be a list for each column.");
    expect_pointers(view(list_ptr), list_rows.size(), "list_ptr must fit list_rows.");
    expect(list_values.size() == list_rows.size(), "list_rows and list_values must be as many.");
    expect_range(view(list_rows), 0, table.n_rows(), "list_rows must name rows.");
    expect_finite(view(list_values), "list_values must be finite.");
    expect_pointers(view(excluded_ptr), excluded.size(), "excluded_ptr must fit excluded.");
    expect(excluded_ptr.size() == ptr.size(), "excluded_ptr must fit nodes.");
    expect_range(view(excluded), 0, table.n_rows(), "excluded must name rows.");
    // All rows may become examples of a node.
    expect(rows.size() + table.n_rows() <= std::numeric_limits<std::int32_t>::max(),
           "too many examples.");
    const LinearSettings settings{cost, tolerance, max_passes, pruning};
    expect_settings(settings);
    const ColumnLists lists{view(list_ptr), view(list_rows), view(list_values)};
    WeightLists found;
    const auto train_all = [&](auto loss_object, const auto& all) {
        using Rows = std::decay_t<decltype(all)>;
        Miner<decltype(loss_object), Rows> miner(all, table.lengths(), lists, view(weight),
                                                 settings, {n_rounds, least, per_positive});
        for (std::size_t i = 0; i < nodes.size(); ++i)
            miner.train(seed, view(nodes)[i], view(bias)[i], examples.of(i),
                        view(excluded).part(view(excluded_ptr)[i], view(excluded_ptr)[i + 1]),
                        found);
    };
    with_loss(loss, [&](auto loss_object) {
        without_gil(
            [&] { table.with_rows([&](const auto& all) { train_all(loss_object, all); }); });
    });
    return to_tuple(std::move(found));
}

// Add the products of sparse rows with weights that are stored column by column.
void add_products(const Pointers& ptr, const RowNumbers& columns, const Floats& values,
                  const Pointers& weight_ptr, const RowNumbers& nodes, const Floats& weights,
                  const Array2<float>& scores) {
    expect_pointers(view(ptr), columns.size(), "ptr must fit columns.");
    expect(values.size() == columns.size(), "columns and values must be as many.");
    expect_pointers(view(weight_ptr), nodes.size(), "weight_ptr must fit nodes.");
    expect_range(view(columns), 0, weight_ptr.size() - 1, "columns must have weights.");
    expect(weights.size() == nodes.size(), "nodes and weights must be as many.");
    expect_range(view(nodes), 0, scores.shape(1), "nodes must name columns of scores.");
    expect(scores.shape(0) + 1 == ptr.size(), "scores must have a row for each row.");
    without_gil([&, starts = view(ptr), ends = view(weight_ptr), of = view(nodes),
                 by = view(weights), table = view(scores)] {
        for (std::size_t row = 0; row < table.n_rows(); ++row) {
            const Span<float> line = table.row(row);
            for (auto at = starts[row]; at < starts[row + 1]; ++at) {
                const std::int32_t column = view(columns)[at];
                const float value = view(values)[at];
                for (auto i = ends[column]; i < ends[column + 1]; ++i) line[of[i]] += by[i] * value;
            }
        }
    });
}

// From the roots down, multiply each score by the lowest of the parents'.
void multiply_by_parents(const Array2<float>& scores, const Pointers& order,
                         const Pointers& parents_ptr, const Pointers& parents_idx) {
    const std::size_t n_nodes = scores.shape(1);
    expect(order.size() == n_nodes && parents_ptr.size() == n_nodes + 1, "order must fit scores.");
    expect_range(view(order), 0, n_nodes, "order must name nodes.");
    expect_pointers(view(parents_ptr), parents_idx.size(), "parents_ptr must fit parents_idx.");
    expect_range(view(parents_idx), 0, n_nodes, "parents_idx must name nodes.");
    without_gil([&, table = view(scores), first = view(parents_ptr), parents = view(parents_idx)] {
        for (std::size_t row = 0; row < table.n_rows(); ++row) {
            const Span<float> line = table.row(row);
            for (auto node : view(order)) {
                float lowest = 1;
                for (auto parent : parents.part(first[node], first[node + 1]))
                    lowest = std::min(lowest, line[parent]);
                line[node] *= lowest;
            }
        }
    });
}

}  // namespace

void bind_linear(nb::module_& m) {
    nb::class_<LinearTable>(m, "LinearTable", "Rows of numbers, sparse or dense.")
        .def(nb::init<const Pointers&, const RowNumbers&, const Floats&, std::size_t, double>(),
             nb::arg().noconvert(), nb::arg().noconvert(), nb::arg().noconvert(), nb::arg(),
             nb::arg(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
        .def(nb::init<const Array2<const float>&, double>(), nb::arg().noconvert(), nb::arg(),
             nb::keep_alive<1, 2>());
    bind(m, "train_linear", &train_linear);
    bind(m, "train_mined", &train_mined);
    bind(m, "add_products", &add_products);
    bind(m, "multiply_by_parents", &multiply_by_parents);
}

}  // namespace hilabel
