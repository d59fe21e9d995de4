// TreeSettings, made from keywords.
#include <nanobind/stl/string.h>

#include "bind.hpp"
#include "tree_settings.hpp"

namespace hilabel {
namespace {

void make_settings(TreeSettings* self, const nb::kwargs& values) {
    nb::object made = nb::cast(TreeSettings());
    for (auto [name, value] : values) nb::setattr(made, name, value);
    new (self) TreeSettings(nb::cast<TreeSettings>(made));
    expect(self->n_candidates >= 1, "n_candidates must be at least 1.");
    expect(self->min_samples_leaf >= 1, "min_samples_leaf must be at least 1.");
    expect(self->n_draws >= 0, "n_draws must not be negative.");
}

void set_criterion(TreeSettings& settings, const std::string& name) {
    expect(name == "gini" || name == "entropy", "criterion must be gini or entropy.");
    settings.criterion = name == "gini" ? Criterion::gini : Criterion::entropy;
}

}  // namespace

void bind_tree_settings(nb::module_& m) {
    nb::class_<TreeSettings>(m, "TreeSettings", "How trees are grown; see the stub.")
        .def("__init__", &make_settings)
        .def_rw("seed", &TreeSettings::seed)
        .def_rw("n_draws", &TreeSettings::n_draws)
        .def_rw("n_candidates", &TreeSettings::n_candidates)
        .def_rw("max_depth", &TreeSettings::max_depth)
        .def_rw("min_samples_leaf", &TreeSettings::min_samples_leaf)
        .def_rw("bootstrap", &TreeSettings::bootstrap)
        .def_rw("is_random", &TreeSettings::is_random)
        .def_rw("with_importances", &TreeSettings::with_importances)
        .def_rw("with_oob", &TreeSettings::with_oob)
        .def_prop_rw("criterion", nullptr, &set_criterion);
}

}  // namespace hilabel
