// SPDX-License-Identifier: Apache-2.0
#include "ops/common/normalization.h"

#include "core/error.h"

namespace opref::ops {
namespace {

/// A group of a batch row per program.
class GroupNormalization {
 public:
  GroupNormalization(const Call& call, std::int64_t groups, std::string_view bias, Spread spread)
      : spread_(spread),
        x_(call.inputs()[0].tensor()),
        scale_(call.input("scale")),
        bias_(call.input(bias)),
        epsilon_(call.number("epsilon")),
        groups_(groups),
        per_group_(call.input("scale").count() == groups) {
    const Dims& x = call.inputs()[0].type.tensor.shape;
    spatial_ = element_count(x.without_first(2));
    channels_ = x[1] / groups;
    n_ = channels_ * spatial_;
  }
  template <class R>
  void operator()(std::int64_t program, const Reader<R>& x, Writer<R>& y) const {
    const auto each = [&](const auto& f) {
      for (std::int64_t at = program * n_; at < (program + 1) * n_; ++at) f(at);
    };
    const R mean = mean_of(x, x_, n_, each, spread_);
    const R deviation = deviation_of(x, variance_of(x, x_, n_, each, mean, spread_), epsilon_, spread_);
    each([&](std::int64_t at) {
      const std::int64_t group = program % groups_, channel = group * channels_ + at % n_ / spatial_,
                         p = per_group_ ? group : channel;
      y.put(0, at, [&] { return normalized(x(x_, at), mean, deviation, x(scale_, p), x(bias_, p)); });
    });
  }
  std::int64_t program_of(size_t, std::int64_t at) const { return at / n_; }

 private:
  Spread spread_;
  Elements x_, scale_, bias_;
  double epsilon_;
  std::int64_t groups_, spatial_, channels_, n_;
  bool per_group_;
};

}  // namespace

std::vector<Value> normalized_groups(const Call& call, std::span<const Output> outs, std::int64_t groups,
                                     std::string_view bias, Spread spread) {
  const Dims& x = outs[0].type().shape;
  if (element_count(x) == 0)
    return programs(outs, 0, GroupNormalization(call, std::max<std::int64_t>(1, groups), bias, spread));
  return programs(outs, x[0] * groups, GroupNormalization(call, groups, bias, spread));
}

void require_parameters(const Call& call, std::initializer_list<std::string_view> names, const Dims& shape) {
  for (const std::string_view name : names)
    require(call.type(name).shape == shape, "{} has shape {}, but must have {}", name, call.type(name).shape, shape);
}

}  // namespace opref::ops
