// SPDX-License-Identifier: Apache-2.0
#include "mistakes/mistakes.h"

#include <algorithm>

#include "mistakes/tools.h"
#include "ops/operators.h"

namespace opref::mistakes {

namespace {

std::vector<Mistake> mistakes_of(std::string_view domain, std::string_view op_type) {
  const std::string name = domain == "ai.onnx" ? std::string(op_type) : format("{}.{}", domain, op_type);
  std::vector<Mistake> listed;
  for (const auto table :
       {&windows, &products, &quantized, &normalizations, &elements, &formulas, &places, &sequences, &trees, &scores})
    for (const Row& row : table())
      if (std::ranges::find(row.operators, name) != row.operators.end())
        listed.push_back({row.name, row.kind, row.made});
  return listed;
}

/// The mistake with the call of the operator whose rules the call's operator takes.
Mistake of_original(const Mistake& mistake) {
  const auto made = [in_original = mistake.made](const Call& call) -> std::optional<Call> {
    const Call its = call.op().of_original(call);
    std::optional<Call> taken = in_original(its);
    return taken && !is_same(*taken, its) ? std::move(taken) : std::nullopt;
  };
  return {mistake.name, mistake.kind, made};
}

}  // namespace

std::vector<Mistake> listed_mistakes(const Operator& op) {
  // A model's function may have an operator's name, and then nothing else of it.
  if (find_operator(op.domain(), op.op_type()) != &op) return {};
  std::vector<Mistake> listed = mistakes_of(op.domain(), op.op_type());
  if (const auto& original = op.original())
    std::ranges::transform(mistakes_of(original->domain, original->op_type), std::back_inserter(listed), of_original);
  return listed;
}

std::vector<Mistake> known_mistakes(const Call& call) {
  std::vector<Mistake> mistakes = ignored_parts(call);
  std::ranges::move(listed_mistakes(call.op()), std::back_inserter(mistakes));
  std::ranges::move(reversed_lists(call), std::back_inserter(mistakes));
  return mistakes;
}

bool is_same(const Call& a, const Call& b) { return &a.op() == &b.op() && a.says_as(b); }

std::optional<Call> in_play(const Mistake& mistake, const Call& call) {
  std::optional<Call> other = mistake.made(call);
  if (!other || (mistake.kind != MistakeKind::other_version && is_same(*other, call))) return std::nullopt;
  other->set_numerics(call.numerics());
  return other;
}

}  // namespace opref::mistakes
