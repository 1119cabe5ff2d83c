// SPDX-License-Identifier: Apache-2.0
#include "fast/sampled_convolution.h"

#include <algorithm>

#include "core/index.h"
#include "evaluators/parts.h"
#include "evaluators/real.h"
#include "evaluators/weighted_table.h"
#include "exact/rows.h"
#include "exact/weighted_rows.h"

namespace opref::fast {
namespace {

using evaluators::FloatNumbers, evaluators::WeightedPlaces, evaluators::WeightedTable;

/// Blocks of places: the samples of all taps in all channels, then their products with the kernels.
template <class T>
class SampledRows {
 public:
  SampledRows(const RowTarget& y, const SampledConvolution& c)
      : y_(y),
        c_(c),
        x_(c.x),
        w_(taps_first(c)),
        channels_(c.x.shape()[1]),
        plane_(element_count(c.x.shape().without_first(2))),
        M_(c.w.shape()[0] / c.groups),
        C_(channels_ / c.groups),
        depth_(C_ * c.taps),
        O_(element_count(y.type.shape.without_first(2))),
        block_(std::clamp<std::int64_t>(kSamples / (channels_ * c.taps), kLeastBlock, kMostBlock)),
        blocks_((O_ + block_ - 1) / block_) {
    if (c.b != nullptr)
      for (const T bias : c.b->values<T>()) bias_.push_back(exact::widen(bias));
  }

  void compute() const {
    evaluators::for_each_part(y_.type.shape[0] * blocks_, 1, y_.numerics, [&](std::int64_t first, std::int64_t last) {
      Work work;
      for (std::int64_t b = first; b < last; ++b) compute(b / blocks_, b % blocks_ * block_, work);
      evaluators::count_elements(y_.numerics, work.decided, 0);
      y_.by_definition(work.positions);
    });
  }

 private:
  static constexpr std::int64_t kSamples = 1 << 17, kLeastBlock = 16, kMostBlock = 256, kChannelsAtOnce = 16;

  /// W as (groups*M, taps, C), for samples are made tap by tap.
  static Tensor taps_first(const SampledConvolution& c) {
    TensorBuilder w(c.w.type(), Content::any);
    const std::int64_t C = c.w.shape()[1], lines = c.w.shape()[0];
    const T* from = c.w.values<T>().data();
    T* to = w.values<T>().data();
    for (std::int64_t i = 0; i < lines * c.taps; ++i)
      for (std::int64_t channel = 0; channel < C; ++channel)
        *to++ = from[(i / c.taps * C + channel) * c.taps + i % c.taps];
    return std::move(w).finish();
  }
  /// Of a thread.
  struct Work {
    std::vector<double> samples, errors;  ///< of a block: group, place, tap, channel of the group
    std::vector<WeightedTerm<float>> terms;
    std::vector<double> value, error;  ///< of a row
    std::vector<T> out;
    std::vector<std::uint64_t> open;
    ProductEstimates products;
    std::vector<std::int64_t> positions;
    std::int64_t decided = 0;
  };

  void compute(std::int64_t n, std::int64_t first, Work& work) const {
    const std::int64_t count = std::min(block_, O_ - first);
    sample(n, first, count, work);
    const auto room = static_cast<size_t>(count) + exact::kRowSlack;
    work.out.resize(room), work.open.resize(room);
    for (std::int64_t group = 0; group < c_.groups; ++group) {
      require_time();
      const std::int64_t at = group * count * depth_;
      const bool is_known = estimate_products(
          EstimatedLines{&work.samples[static_cast<size_t>(at)], &work.errors[static_cast<size_t>(at)], depth_},
          ProductLines{w_, group * M_ * depth_, depth_, 1}, count, M_, depth_, work.products, y_.numerics.slack);
      for (std::int64_t m = 0; m < M_; ++m) write(n, group * M_ + m, m, first, count, is_known, work);
    }
  }
  void sample(std::int64_t n, std::int64_t first, std::int64_t count, Work& work) const {
    const std::int64_t channels_of_set = channels_ / c_.sets;
    work.samples.resize(static_cast<size_t>(channels_ * c_.taps * count));
    work.errors.resize(work.samples.size());
    for (std::int64_t set = 0; set < c_.sets; ++set)
      for (std::int64_t k = 0; k < c_.taps; ++k) {
        require_time();
        const WeightedTable table(c_.places(n, set, k, first, count));
        const std::int64_t end = (set + 1) * channels_of_set;
        for (std::int64_t c = set * channels_of_set, size = 0; c < end; c += size) {
          size = std::min({kChannelsAtOnce, end - c, C_ - c % C_});
          sample(table, n, c, size, k, count, work);
        }
      }
  }
  /// What tap k reads in `size` channels of a group: rows of places, and these as columns.
  void sample(const WeightedTable& table, std::int64_t n, std::int64_t c, std::int64_t size, std::int64_t k,
              std::int64_t count, Work& work) const {
    const std::int64_t row = block_ + static_cast<std::int64_t>(exact::kRowSlack);
    work.value.resize(static_cast<size_t>(kChannelsAtOnce * row)), work.error.resize(work.value.size());
    for (std::int64_t r = 0; r < size; ++r) {
      const float* x = x_.data() + (n * channels_ + c + r) * plane_;
      double* error = work.error.data() + r * row;
      work.terms.clear();
      for (std::size_t t = 0; t < table.terms(); ++t) work.terms.push_back(table.term(t, x));
      exact::row_weighted_sums(work.terms, static_cast<size_t>(count), work.value.data() + r * row, error);
      for (std::int64_t o = 0; o < count; ++o) error[o] = table.serves() ? error[o] * exact::kWeightedLost : kInfinity;
    }
    const std::int64_t at = c / C_ * count * depth_ + k * C_ + c % C_;
    for (std::int64_t o = 0; o < count; ++o) {
      double *samples = work.samples.data() + at + o * depth_, *errors = work.errors.data() + at + o * depth_;
      const double *value = work.value.data() + o, *error = work.error.data() + o;
      for (std::int64_t r = 0; r < size; ++r) samples[r] = value[r * row], errors[r] = error[r * row];
    }
  }
  /// Channel m of Y, the m_of_group-th of its group: a sum of its bias and a product, whose errors are known.
  void write(std::int64_t n, std::int64_t m, std::int64_t m_of_group, std::int64_t first, std::int64_t count,
             bool is_known, Work& work) const {
    const auto size = static_cast<size_t>(count);
    const Bounded bias = bias_.empty() ? 0.0 : bias_[static_cast<size_t>(m)];
    for (std::int64_t o = 0; o < count; ++o) {
      const Bounded sum = is_known ? work.products(o, m_of_group) + bias : Bounded(0.0, kInfinity);
      work.value[static_cast<size_t>(o)] = sum.v, work.error[static_cast<size_t>(o)] = sum.e;
    }
    const size_t doubts = exact::settle_row(work.value.data(), work.error.data(), exact::kWeightedLost, size,
                                            work.out.data(), work.open.data());
    const std::int64_t at = (n * c_.groups * M_ + m) * O_ + first;
    std::copy_n(work.out.data(), size, reinterpret_cast<T*>(y_.y.data()) + at);
    for (std::int64_t o = 0; doubts > 0 && o < count; ++o)
      if (work.open[static_cast<size_t>(o)] != 0) work.positions.push_back(at + o);
    work.decided += count - static_cast<std::int64_t>(doubts);
  }

  const RowTarget& y_;
  const SampledConvolution& c_;
  FloatNumbers x_;
  Tensor w_;
  std::int64_t channels_, plane_, M_, C_, depth_, O_, block_, blocks_;
  std::vector<double> bias_;
};

}  // namespace

bool sampled_convolution(const RowTarget& y, const SampledConvolution& c) {
  const DType dtype = y.type.dtype;
  if (!evaluators::serves_weighted(y.type, c.x) || c.w.count() == 0 ||
      element_count(c.x.shape().without_first(2)) > INT32_MAX)
    return false;
  exact::with_float(dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) SampledRows<T>(y, c).compute();
  });
  return true;
}

}  // namespace opref::fast
