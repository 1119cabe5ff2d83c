// SPDX-License-Identifier: Apache-2.0
// The tables of other formulas, by subject.
#pragma once

#include <string_view>
#include <vector>

#include "schema/operator.h"

namespace opref::kernels {

struct Row {
  std::string_view op_type;  ///< of ai.onnx
  std::string_view words;
  Kernel tell;
};
using Table = std::vector<Row>;

const Table& elements();        ///< functions of elements
const Table& sequences();       ///< progressions, attentions
const Table& normalizations();  ///< means and deviations, softmaxes
const Table& transforms();      ///< Fourier transforms

}  // namespace opref::kernels
