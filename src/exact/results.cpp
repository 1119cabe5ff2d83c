#include "exact/results.h"

#include <cstring>

#include "core/error.h"

namespace opref {
namespace {

template <class T>
void store(T value, std::byte* element) {
  std::memcpy(element, &value, sizeof value);
}

template <class T>
bool store_estimated(const CompensatedSum& sum, const Slack& slack, std::byte* element) {
  T value{};
  if (!sum.round(value, slack)) return false;
  store(value, element);
  return true;
}

template <class T>
void store_exact(ExactSum& sum, std::byte* element) {
  store(sum.round<T>(), element);
}

template <class T>
bool store_root(double sum, const Power& p, double relative, std::byte* element) {
  T value{};
  if (!settle_root(sum, p, relative, value)) return false;
  store(value, element);
  return true;
}

template <class T>
void store_norm(std::span<const double> window, double p, Scale scale, std::byte* element) {
  store(lp_norm<T>(window, p, scale), element);
}

template <class T>
constexpr FloatRounding kRounding{store_estimated<T>, store_exact<T>, store_root<T>, store_norm<T>};
/// No estimate is good enough for double.
constexpr FloatRounding kDoubleRounding{nullptr, store_exact<double>, nullptr, store_norm<double>};

}  // namespace

const FloatRounding& float_rounding(DType dtype) {
  switch (dtype) {
    case DType::float16:
      return kRounding<Half>;
    case DType::bfloat16:
      return kRounding<BFloat16>;
    case DType::float32:
      return kRounding<float>;
    case DType::float64:
      return kDoubleRounding;
    default:
      fail(Fault::internal, "results of type {} are not rounded here", dtype);
  }
}

}  // namespace opref
