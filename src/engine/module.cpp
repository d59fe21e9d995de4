// hilabel._engine: everything that is compiled, in one module for each kind of processor.
#include "bind.hpp"

namespace {

// Whether the build for processors with AVX2 is there and can run here.
bool prefers_avx2() {
#if defined(HILABEL_HAS_AVX2_BUILD)
    return __builtin_cpu_supports("x86-64-v3");
#else
    return false;
#endif
}

}  // namespace

NB_MODULE(HILABEL_MODULE, m) {
    // Threads that an interruption leaves behind hold some objects until the very end.
    nanobind::set_leak_warnings(false);
    m.doc() = "The compiled part of hilabel: NumPy arrays in, NumPy arrays out.";
    m.def("prefers_avx2", &prefers_avx2, "Say whether the build for AVX2 can run here.");
    hilabel::bind_hierarchy(m);
    hilabel::bind_neighbors(m);
    hilabel::bind_column_search(m);
    hilabel::bind_bins(m);
    hilabel::bind_tree_settings(m);
    hilabel::bind_node_trees(m);
    hilabel::bind_tree_walk(m);
    hilabel::bind_clustering_trees(m);
    hilabel::bind_linear(m);
    hilabel::bind_links(m);
}
