// SPDX-License-Identifier: Apache-2.0
#include "check/unspecified.h"

#include <algorithm>
#include <cstring>

#include "ops/unspecified.h"

namespace opref::check {
namespace {

ops::Unspecified unspecified_of(const std::string& output, std::span<const Step> steps) {
  for (const Step& step : steps) {
    const auto found = std::ranges::find(step.node->outputs, output);
    if (found != step.node->outputs.end())
      return ops::unspecified_elements(step.call, static_cast<size_t>(found - step.node->outputs.begin()));
  }
  return nullptr;
}

}  // namespace

void leave_out_unspecified(const std::string& output, Value& actual, Value& expected, Foreign foreign,
                           std::span<const Step> steps) {
  const Tensor *a = actual.tensor(), *b = expected.tensor();
  if (a == nullptr || b == nullptr || a->type() != b->type() || info(a->dtype()).bits < 8) return;
  const ops::Unspecified is_open = unspecified_of(output, steps);
  if (!is_open) return;
  const Tensor &theirs = foreign == Foreign::actual ? *a : *b, &ours = foreign == Foreign::actual ? *b : *a;
  TensorBuilder changed(theirs.type());
  std::ranges::copy(theirs.bytes(), changed.bytes().begin());
  const auto size = static_cast<size_t>(info(theirs.dtype()).bits / 8);
  for (std::int64_t i = 0; i < theirs.count(); ++i) {
    const size_t at = static_cast<size_t>(i) * size;
    if (is_open(i)) std::memcpy(&changed.bytes()[at], &ours.bytes()[at], size);
  }
  (foreign == Foreign::actual ? actual : expected) = Value(std::move(changed).finish());
}

}  // namespace opref::check
