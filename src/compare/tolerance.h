// SPDX-License-Identifier: Apache-2.0
// When an element passes a comparison.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/dtype.h"
#include "core/error.h"
#include "exact/real/faithful.h"

namespace opref::compare {

/// The kernel whose rigorous error bound a comparison allows.
struct BoundedKernel {
  enum class Subnormals : std::uint8_t { kept, flushed };
  enum class Formula : std::uint8_t { page, accurate };
  std::optional<DType> accumulator = {};  ///< float16, bfloat16, float32 or float64: see accumulator_of
  Subnormals subnormals = Subnormals::kept;
  double input_error = 0;  ///< inputs are rounded first with this relative error: 0, or from 1e-30 to 1
  FunctionErrors functions = {};
  Formula formula = Formula::page;  ///< accurate: the operator's own formula alone, no other one that kernels use

  static constexpr std::array kAccumulators = {DType::float32, DType::float16, DType::bfloat16, DType::float64};
  static constexpr std::array<std::string_view, 5> kKeys = {"accumulator", "flush", "input-error", "functions",
                                                            "formula"};
  /// A `usage` error where `accumulator` names none of kAccumulators.
  void set_accumulator(std::string_view name);
  /// A `usage` error unless it is 0, or from 1e-30 to 1.
  void set_input_error(double error);
  /// Of all functions. A `usage` error unless it is from 0.5 to 1e6.
  void set_functions(double ulp);
  /// By default float64 of outputs of float64, float32 of all others.
  DType accumulator_of(DType output) const {
    return accumulator.value_or(output == DType::float64 ? DType::float64 : DType::float32);
  }
};

/// When an element passes a comparison.
struct Tolerance {
  enum class Rule : std::uint8_t { exact, ulp, relative, bound } rule = Rule::exact;
  std::int64_t ulp = 0;       ///< rule ulp: representable values apart
  double rtol = 0, atol = 0;  ///< rule relative: |actual - expected| <= atol + rtol * |expected|
  BoundedKernel kernel = {};  ///< rule bound
  bool strict_nan = false;    ///< rule exact: NaN payloads count
  bool ignore_dtype = false;  ///< compare values of different dtypes
};

/// How ONNX compares what a backend computed with its published values, of that type.
Tolerance onnx_rule(DType dtype);

/// Comparing where the node is known.
inline constexpr Remedy kCompareInRun{"compare_in_run"};

/// "accumulator=float16,flush=1,input-error=0.001": any of them, or "". Faults: `usage`.
BoundedKernel parse_kernel(std::string_view text);
/// As parse_kernel reads it; what has its default is left out.
std::string to_text(const BoundedKernel& kernel);

/// Two tensors alone have no bound: the `usage` error that says so.
[[noreturn]] void refuse_bound_without_node();

}  // namespace opref::compare
