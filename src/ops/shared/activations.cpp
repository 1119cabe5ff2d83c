// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/activations.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "core/error.h"
namespace opref::ops {
namespace {
struct Known {
  std::string_view name;
  FusedActivation::Function function;
  int parameters;
};
constexpr std::array kKnown = [] {
  using enum FusedActivation::Function;
  return std::array{
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
}();
/// As formulas have it: NaN where one is; of two zeros +0.
template <class T>
T greater(T a, T b) {
  if (a != a || b != b) return a != a ? a : b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
template <class T>
void clamp(std::span<std::byte> y, double least, double most) {
  const auto p = static_cast<T>(least), q = static_cast<T>(most);
  for (size_t i = 0; i < y.size(); i += sizeof(T)) {
    T v;
    std::memcpy(&v, &y[i], sizeof v);
    v = -greater(-q, -greater(p, v));
    std::memcpy(&y[i], &v, sizeof v);
  }
}
}  // namespace
Rows activated_rows(const Rows& rows, DType dtype, const FusedActivation& f) {
  using enum FusedActivation::Function;
  const bool is_served = f.function == relu || f.function == clip;
  if (!rows || !is_served || (dtype != DType::float32 && dtype != DType::float64)) return nullptr;
  const double least = f.function == relu ? 0 : f.a, most = f.function == relu ? INFINITY : f.b;
  return [rows, dtype, least, most](RowTarget& y) {
    if (!rows(y)) return false;
    (dtype == DType::float32 ? clamp<float> : clamp<double>)(y.y, least, most);
    return true;
  };
}
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
