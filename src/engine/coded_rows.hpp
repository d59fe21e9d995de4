// The codes of a clustering tree's rows: a dense matrix by feature, or a sparse one by row;
// and the features that are drawn for the splits of a node.
#pragma once

#include <cstring>
#include <vector>

#include "clustering_targets.hpp"
#include "coded_columns.hpp"
#include "random_stream.hpp"

namespace hilabel {

// Dense matrices fill `codes` (n_features, n_rows), sparse ones the rest, as CSR does.
struct CodedRows {
    Table<const Code> codes;
    Span<const std::int64_t> indptr;
    Span<const std::int32_t> indices;
    Span<const Code> stored, zero_codes;  // by entry, and by feature where none is stored

    bool is_sparse() const { return !zero_codes.empty(); }
    std::size_t n_features() const { return is_sparse() ? zero_codes.size() : codes.n_rows(); }
    std::size_t n_rows() const { return is_sparse() ? indptr.size() - 1 : codes.n_columns(); }
};

// Features in random order, until enough of them were tried. They are drawn as many at a
// time as are needed for sure, so that the codes of one are in memory when it is looked
// at. Those of a sparse matrix are drawn all at once, if they vary among the rows; cuts
// have a random stream of their own, so that it gives the tree of the same dense one.
class DrawnFeatures {
public:
    DrawnFeatures(const CodedRows& matrix, std::size_t n_rows, std::size_t n_candidates)
        : matrix_(matrix),
          n_candidates_(n_candidates),
          width_(n_rows + SPARE),
          features_(matrix.n_features()),
          codes_((matrix.is_sparse() ? n_candidates : AT_A_TIME) * width_),
          seen_in_(matrix.zero_codes.size()),
          first_(seen_in_.size()),
          varies_(seen_in_.size()),
          slot_(seen_in_.size(), -1) {
        for (std::size_t i = 0; i < features_.size(); ++i)
            features_[i] = static_cast<std::int32_t>(i);
    }

    // Begin with a node.
    void start(Numbers rows, RandomStream& stream) {
        n_tried_ = 0, remaining_ = features_.size();
        at_ = static_cast<std::size_t>(-1);  // before the first
        drawn_.clear();
        if (matrix_.is_sparse()) lay_out_sparse(rows, stream);
    }

    // Go to the next feature; false if there is none.
    bool next(Numbers rows, RandomStream& stream) {
        if (++at_ == drawn_.size() && !matrix_.is_sparse()) lay_out_dense(rows, stream);
        return at_ < drawn_.size();
    }

    // What is looked at.
    std::int32_t feature() const { return drawn_[at_]; }
    // The codes of the node's rows; the first one is repeated behind them.
    const Code* codes() const { return codes_.data() + at_ * width_; }
    // The feature varies among the rows: it counts as tried.
    void count() { ++n_tried_; }

private:
    static constexpr std::size_t AT_A_TIME = 16, SPARE = 64;

    std::int32_t draw(RandomStream& stream) {
        --remaining_;
        const std::size_t at = stream.below(static_cast<std::uint32_t>(remaining_ + 1));
        std::swap(features_[at], features_[remaining_]);
        return features_[remaining_];
    }

    // There must be eight numbers to read behind the rows.
    void lay_out_dense(Numbers rows, RandomStream& stream) {
        at_ = 0;
        drawn_.clear();
        const std::size_t n = std::min({n_candidates_ - n_tried_, remaining_, AT_A_TIME});
        while (drawn_.size() < n) drawn_.push_back(draw(stream));
        const std::int32_t* HILABEL_RESTRICT row = rows.data();
        for (std::size_t slot = 0; slot < n; ++slot) {
            const Code* HILABEL_RESTRICT from = matrix_.codes.row(drawn_[slot]).data();
            Code* HILABEL_RESTRICT to = codes_.data() + slot * width_;
            for (std::size_t i = 0; i < rows.size(); i += 8) {
                HILABEL_UNROLLED
                for (std::size_t k = i; k < i + 8; ++k)
                    to[k] = from[static_cast<std::uint32_t>(row[k])];
            }
            std::memset(to + rows.size(), to[0], SPARE);
        }
    }

    // Walk what the rows store, once, to see which features vary.
    void mark_varying(Numbers rows) {
        seen_.clear();
        for (std::int32_t row : rows)
            for (std::int64_t i = matrix_.indptr[row]; i < matrix_.indptr[row + 1]; ++i) {
                const std::int32_t at = matrix_.indices[i];
                if (seen_in_[at]++ == 0) {
                    seen_.push_back(at);
                    first_[at] = matrix_.stored[i];
                }
                varies_[at] |= matrix_.stored[i] != first_[at];
            }
        for (std::int32_t at : seen_) {
            varies_[at] |= seen_in_[at] < rows.size() && first_[at] != matrix_.zero_codes[at];
            seen_in_[at] = 0;
        }
    }

    void lay_out_sparse(Numbers rows, RandomStream& stream) {
        mark_varying(rows);
        while (drawn_.size() < n_candidates_ && remaining_ > 0) {
            const std::int32_t at = draw(stream);
            if (!varies_[at]) continue;
            slot_[at] = static_cast<std::int32_t>(drawn_.size());
            std::memset(line(drawn_.size()), matrix_.zero_codes[at], rows.size());
            drawn_.push_back(at);
        }
        for (std::size_t k = 0; k < rows.size(); ++k)
            for (std::int64_t i = matrix_.indptr[rows[k]]; i < matrix_.indptr[rows[k] + 1]; ++i)
                if (const std::int32_t slot = slot_[matrix_.indices[i]]; slot >= 0)
                    line(slot)[k] = matrix_.stored[i];
        for (std::size_t slot = 0; slot < drawn_.size(); ++slot)
            std::memset(line(slot) + rows.size(), line(slot)[0], SPARE);
        for (std::int32_t at : drawn_) slot_[at] = -1;
        for (std::int32_t at : seen_) varies_[at] = false;
    }

    Code* line(std::size_t slot) { return codes_.data() + slot * width_; }

    CodedRows matrix_;
    std::size_t n_candidates_, n_tried_ = 0, remaining_ = 0, at_ = 0;
    std::size_t width_;              // room for the codes of a feature
    Buffer<std::int32_t> features_;  // all, in an order that changes
    Buffer<Code> codes_;             // of the features that are drawn
    std::vector<std::int32_t> drawn_, seen_;
    // By feature of a sparse matrix: how many rows store it, the first code that they do,
    // whether others differ, and its place in `drawn_`. Between nodes 0, any, false, -1.
    Buffer<std::size_t> seen_in_;
    Buffer<Code> first_, varies_;
    Buffer<std::int32_t> slot_;
};

}  // namespace hilabel
