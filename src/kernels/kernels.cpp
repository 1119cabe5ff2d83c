// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.h"

#include <algorithm>

#include "compare/error_bound.h"
#include "kernels/tables.h"
#include "ops/stated_type.h"

namespace opref::kernels {
namespace {

void add_formulas(const Call& call, std::vector<OtherFormula>& formulas) {
  if (call.op().domain() != "ai.onnx") return;
  for (const auto table : {&elements, &normalizations, &sequences, &transforms})
    for (const Row& row : table())
      if (row.op_type == call.op().op_type())
        formulas.push_back({row.words, [call, tell = row.tell](std::span<const Output> outs) { tell(call, outs); }});
}

}  // namespace

std::vector<OtherFormula> other_formulas(const Call& call) {
  std::vector<OtherFormula> formulas;
  add_formulas(call, formulas);
  if (call.op().original()) add_formulas(call.op().of_original(call), formulas);
  return formulas;
}

compare::BoundedKernel kernel_of(const compare::BoundedKernel& kernel, const Call& call, DType output) {
  const std::optional<DType> stated = kernel.accumulator ? std::nullopt : ops::stated_type(call);
  if (!stated || info(*stated).bits >= info(kernel.accumulator_of(output)).bits) return kernel;
  compare::BoundedKernel rounding = kernel;
  rounding.accumulator = stated;
  rounding.input_error = std::max(rounding.input_error, compare::limits_of(*stated).unit_roundoff);
  return rounding;
}

}  // namespace opref::kernels
