// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/activations.h"
#include <algorithm>
#include <array>

#include "core/error.h"
namespace opref::ops {
namespace {
using enum FusedActivation::Function;
struct Known {
  std::string_view name;
  FusedActivation::Function function;
  int parameters;
};
constexpr std::array kKnown = {
    Known{"Relu", relu, 0},
    Known{"Tanh", tanh, 0},
    Known{"Sigmoid", sigmoid, 0},
    Known{"Softplus", softplus, 0},
    Known{"Softsign", softsign, 0},
    Known{"LeakyRelu", leaky_relu, 1},
    Known{"Elu", elu, 1},
    Known{"ThresholdedRelu", thresholded_relu, 1},
    Known{"Celu", celu, 1},
    Known{"Clip", clip, 2},
    Known{"HardSigmoid", hard_sigmoid, 2},
    Known{"ScaledTanh", scaled_tanh, 2},
    Known{"ParametricSoftplus", parametric_softplus, 2},
    Known{"Selu", selu, 2},
};
}  // namespace
FusedActivation::Function fused_function(const std::string& name, std::span<const std::string_view> names,
                                         std::string_view attribute) {
  if (std::ranges::find(names, name) == names.end())
    fail(Fault::invalid, "attribute '{}' is '{}', but must be one of {}{}", attribute, printable(name),
         join_text(names, ", "), did_you_mean(name, names));
  return std::ranges::find(kKnown, name, &Known::name)->function;
}
int parameters_of(FusedActivation::Function function) {
  const auto known = std::ranges::find(kKnown, function, &Known::function);
  return known == kKnown.end() ? 0 : known->parameters;
}
}  // namespace opref::ops
