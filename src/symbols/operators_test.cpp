// SPDX-License-Identifier: Apache-2.0
// Every operator, each axis of its inputs a symbol in turn: what is said agrees with inference by numbers.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "check/discover.h"
#include "ops/operators.h"
#include "run/version.h"
#include "symbols/survey_testing.h"

namespace opref::symbols {
namespace {

using namespace run;

/// A case's node with types alone for floats, and one axis a symbol; nothing where it is no node that works.
std::optional<Bound> with_symbol(const Bound& bound, const Environment& known, const std::string& name, size_t axis) {
  Bound open = bound;
  for (NamedSource& source : open.inputs) {
    const ValueType& type = known.find(source.name)->second.type;
    if (type.form != Form::tensor) continue;
    const bool is_open = source.name == name;
    if (!is_open && type.dtype() != DType::float32) continue;
    source.source = {};
    source.source.dtype = type.dtype();
    source.source.shape = type.tensor.shape;
    if (!is_open) continue;
    std::vector<DeclaredDim> sizes;
    for (const std::int64_t size : type.tensor.shape) sizes.push_back({size, "", ""});
    sizes[axis] = {{}, "N", ""};
    source.source.from = TensorSource::Type{std::move(sizes)};
    source.source.shape.reset();
  }
  return open;
}

struct Swept {
  size_t surveys = 0, refused = 0, known = 0, sizes = 0;
};

/// Each axis of each input in turn; false of a case that must fail.
bool sweep(const std::string& path, int tried, Swept& swept) {
  std::optional<Bound> bound;
  Environment known;
  try {
    bound = bind_case(read_case(path));
    bound->options.generate = false;
    std::vector<std::string> warnings;
    known = load_inputs(*bound, bound->options, warnings);
    Environment copy = known;
    infer(bound->graph, copy, bound->options);
  } catch (const Error&) {
    return false;
  }
  for (const NamedSource& source : bound->inputs) {
    const auto input = known.find(source.name);
    if (input == known.end() || input->second.type.form != Form::tensor) continue;
    for (size_t axis = 0; axis < input->second.type.tensor.rank(); ++axis) {
      CAPTURE(path, source.name, axis);
      ++swept.surveys;
      try {
        SurveyOptions options;
        options.most_confirmed = 40;
        const Found found(*with_symbol(*bound, known, source.name, axis), options);
        CHECK(found.wrong_at(tried) == std::vector<std::string>{});
        for (const auto& [name, tensor] : found.survey().tensors) {
          CHECK(tensor.why != "no sizes reach it");
          CHECK(tensor.why != "too few sizes reach it");
          for (const Size& size : tensor.sizes.value_or(Sizes())) ++swept.sizes, swept.known += size.has_value();
        }
      } catch (const Error& error) {
        INFO(error.text());
        // The case works: its own size is found, but for 0, which is not tried, and where values are needed.
        CHECK((error.fault() == Fault::usage || input->second.type.tensor.shape[axis] == 0));
        ++swept.refused;
      }
    }
  }
  return true;
}

/// Of a part that OPREF_SWEEP_PART names: "2/8" is the third of eight.
bool is_of_part(size_t place) {
  unsigned part = 0, parts = 1;
  if (const char* text = std::getenv("OPREF_SWEEP_PART")) REQUIRE(std::sscanf(text, "%u/%u", &part, &parts) == 2);
  REQUIRE(part < parts);
  return place % parts == part;
}

void sweep_all(size_t cases_of_each, int tried) {
  const std::vector<std::string> folders = {OPREF_SOURCE_DIR "/testdata"};
  std::map<std::string, size_t> count;
  Swept swept;
  size_t place = 0;
  for (const check::FoundCase& found : check::discover(folders)) {
    if (!is_of_part(place++)) continue;
    size_t& done = count[found.path.substr(0, found.path.rfind('/'))];
    if (done < cases_of_each && sweep(found.path, tried, swept)) ++done;
  }
  CHECK(swept.surveys > 500);
  WARN(swept.surveys << " axes, " << swept.refused << " refused, " << swept.known << " of " << swept.sizes << " known");
  CHECK(swept.refused * 4 < swept.surveys);
  CHECK(swept.known * 100 > swept.sizes * 98);
}

}  // namespace

TEST_CASE("each operator's sizes agree with those by numbers, an axis a symbol in turn", "[symbols][release]") {
  sweep_all(1, 5);
}

TEST_CASE("each operator's sizes agree with those by numbers in all cases", "[symbols][.sweep]") {
  sweep_all(SIZE_MAX, 20);
}

}  // namespace opref::symbols
