// Draw features at random.
#pragma once

#include <utility>

#include "arrays.hpp"
#include "random_stream.hpp"

namespace hilabel {

// The features drawn in a node come after the others, the first one last.
class FeatureDraw {
public:
    explicit FeatureDraw(std::size_t n_features) : features_(n_features) { begin_tree(); }

    void begin_tree() {
        for (std::size_t i = 0; i < features_.size(); ++i)
            features_[i] = static_cast<std::int32_t>(i);
    }
    void begin_node() { undrawn_ = features_.size(); }
    bool has_more() const { return undrawn_ > 0; }
    std::size_t n_drawn() const { return features_.size() - undrawn_; }
    std::int32_t nth(std::size_t n) const { return features_[features_.size() - 1 - n]; }

    std::int32_t draw(RandomStream& stream) {
        const std::size_t drawn = stream.below(static_cast<std::uint32_t>(undrawn_));
        std::swap(features_[drawn], features_[--undrawn_]);
        return features_[undrawn_];
    }

private:
    Buffer<std::int32_t> features_;
    std::size_t undrawn_ = 0;
};

}  // namespace hilabel
