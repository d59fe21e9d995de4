// Convert grown splits to named Python arrays.
#pragma once

#include "bind.hpp"
#include "grown_splits.hpp"

namespace hilabel {

inline nb::dict to_dict(GrownSplits&& splits) {
    nb::dict arrays;
    arrays["feature"] = to_numpy(std::move(splits.feature));
    arrays["cut"] = to_numpy(std::move(splits.cut));
    arrays["missing"] = to_numpy(std::move(splits.missing));
    arrays["left"] = to_numpy(std::move(splits.left));
    return arrays;
}

}  // namespace hilabel
