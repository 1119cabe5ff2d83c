// SPDX-License-Identifier: Apache-2.0
// Two small models, compared.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/comparison.h"
#include "models/inputs.h"
#include "run/load_case.h"
#include "run/load_inputs.h"

namespace opref::models {

/// "{0.3, -0.1, …}": numbers of about the given size that no rule makes.
inline std::string numbers_text(int count, unsigned seed, double size = 1) {
  std::string text = "{";
  unsigned state = seed * 2654435761U + 12345U;
  for (int k = 0; k < count; ++k) {
    state = state * 1664525U + 1013904223U;
    const double x = (static_cast<double>(state >> 8) / (1 << 24) - 0.5) * 2 * size;
    text += format("{}{}", k == 0 ? "" : ", ", static_cast<float>(x));
  }
  return text + "}";
}

/// A graph in ONNX text, of float32 alone.
inline std::string graph_text(const std::string& inputs, const std::string& outputs, const std::string& constants,
                              const std::string& nodes, int opset = 18) {
  const std::string held = constants.empty() ? "" : " <" + constants + ">";
  return format("<ir_version: 8, opset_import: [\"\" : {}, \"com.microsoft\" : 1]> g ({}) => ({}){} {}", opset, inputs,
                outputs, held, "{" + nodes + "}");
}

/// NEW and REFERENCE, on inputs that are generated or given.
struct Compared {
  Bound reference, fresh;
  Environment inputs;
  std::unique_ptr<Model> reference_model, fresh_model;
  std::unique_ptr<Pairing> pairing;
  ModelComparison found;

  Compared(const std::string& fresh_text, const std::string& reference_text, const std::vector<std::string>& given = {},
           const ComparisonOptions& options = {}, int threads = 1, std::int64_t max_bytes = INT64_MAX)
      : reference(bind_case(read_case(reference_text), given)), fresh(bind_case(read_case(fresh_text))) {
    std::vector<std::string> warnings, notes;
    generate_inputs(reference, kIntegerRanges[0]);
    for (Bound* bound : {&reference, &fresh}) {
      bound->options.threads = threads;
      bound->options.max_bytes = max_bytes;
    }
    inputs = load_inputs(reference, reference.options, warnings);
    reference_model = std::make_unique<Model>(reference, inputs, std::function<void()>(), SeeTensor());
    take_inputs(fresh, reference, inputs, notes);
    const ValueIndex index(*reference_model);
    std::map<std::string, std::vector<Candidate>> candidates;
    const SeeTensor see = [&](const std::string& name, const Numbers& numbers, const Sketch& sketch) {
      if (auto some = index.find(numbers, sketch); !some.empty()) candidates.emplace(name, std::move(some));
    };
    fresh_model =
        std::make_unique<Model>(fresh, load_inputs(fresh, fresh.options, warnings), std::function<void()>(), see);
    Candidates by_entity;
    for (auto& [name, some] : candidates)
      if (const size_t entity = fresh_model->find_entity(name); entity != kNone) by_entity.emplace(entity, some);
    pairing = std::make_unique<Pairing>(*fresh_model, *reference_model);
    found = compare_models(*pairing, by_entity, inputs, options, max_bytes);
  }

  /// The reference's tensor that stands for one of the other model; empty where none does.
  std::string paired(const std::string& name) const {
    const size_t entity = fresh_model->find_entity(name);
    const size_t other = entity == kNone ? kNone : pairing->to(entity);
    return other == kNone ? "" : reference_model->entities()[other].name;
  }
  Found found_by(const std::string& name) const { return pairing->found(fresh_model->find_entity(name)); }
  size_t differing() const { return found.count(Agreement::differs); }
  /// The reference's tensor of the first pair that differs, or empty.
  std::string first() const {
    return found.first() == nullptr ? "" : reference_model->entities()[found.first()->pair.reference].name;
  }
  std::vector<std::string> sentences() const {
    return found.first() == nullptr ? std::vector<std::string>() : describe(*pairing, found.first()->pair).sentences;
  }
};

}  // namespace opref::models
