// SPDX-License-Identifier: Apache-2.0
#include "ops/onnxruntime_names.h"

#include <algorithm>
#include <string_view>

#include "ops/operators.h"

namespace opref::ops {
namespace {

struct OwnName {
  std::string_view written, standard;
};
constexpr OwnName kOwnNames[] = {{"LayerNormalization", "LayerNormalization"},
                                 {"SimplifiedLayerNormalization", "RMSNormalization"}};

}  // namespace

const Operator* named_by_onnxruntime(const OpsetImport& imports, const Node& node) {
  if (!imports.contains("com.microsoft") || !canonical_domain(node.domain).empty()) return nullptr;
  const auto own = std::ranges::find(kOwnNames, node.op_type, &OwnName::written);
  return own == std::end(kOwnNames) ? nullptr : find_operator("", own->standard);
}

}  // namespace opref::ops
