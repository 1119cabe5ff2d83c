// SPDX-License-Identifier: Apache-2.0
#include "golden/make_case.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "golden/json_case.h"
#include "golden/remedies.h"
#include "io/json/json.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "io/sha256.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/load_inputs.h"
#include "run/step_json.h"
#include "run/version.h"
#include "run/write_case.h"
#include "run/write_outputs.h"
#include "schema/domains.h"
#include "schema/remedies.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::golden {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kLayouts = {"onnx", "npy", "openvino"};

/// Whether a case is refused for the same reason once it is written. Of an attribute's value the words may differ: a
/// file states its type, a recipe does not.
bool same_rule(const Error& a, const Error& b) {
  const bool same_attribute = !a.attribute().empty() && a.attribute() == b.attribute();
  return a.fault() == b.fault() && (same_attribute || a.message() == b.message());
}

/// Whether a kernel may refuse values: of an input that holds indices or sizes rather than what is computed with.
bool values_decide(const Step& step) {
  const OpSchema& schema = step.call.schema();
  for (size_t i = 0; i < step.call.inputs().size(); ++i) {
    const Input& input = step.call.inputs()[i];
    if (!input.name.empty() && is_integer(input.type.dtype()) &&
        OpSchema::formal(schema.inputs(), i).type != OpSchema::formal(schema.outputs(), 0).type)
      return true;
  }
  return false;
}

/// The error with which a case on disk is refused, if it is.
std::optional<Error> refusal_of(const fs::path& path, EvaluationOptions options) {
  try {
    const Bound bound = bind_case(read_case(path.string()));
    require_known_operators(bound.graph);
    options.readings = bound.options.readings;
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound, options, warnings);
    run_graph(bound.graph, environment, options);
  } catch (const Error& error) {
    if (error.fault() == Fault::internal || error.fault() == Fault::system) throw;
    return error;
  }
  return std::nullopt;
}

Json files_json(const fs::path& folder) {
  Json files;
  for (const auto& [name, hash] : hashes_below(folder)) files.set(name, hash);
  return files;
}

/// The error that is being handled: a recipe states values in another way than the command line.
[[noreturn]] void rethrow_as_of_recipe(Error& error) {
  const std::string& argument = error.way_out().argument;
  if (error.remedy() == schema::kGiveValues || error.remedy() == schema::kMakeValues)
    error.set_way_out({kStateValues, argument.substr(0, argument.find('='))});
  throw;
}

/// One case on its way into a folder.
class Maker {
 public:
  Maker(const GoldenCase& golden, const MakeOptions& options, const fs::path& folder)
      : golden_(golden),
        folder_(folder),
        refused_(options.refused),
        read_(case_of(golden)),
        options_{.readings = read_->readings, .max_bytes = options.max_bytes, .confirm_readings_below = INT64_MAX},
        layout_(options.layout.value_or(is_openvino() ? Layout::openvino : Layout::onnx)),
        bound_{.read = read_,
               .graph = read_->graph,
               .inputs = read_->inputs,
               .expected = {},
               .other_tensors = {},
               .options = options_} {
    require_layout();
  }

  MadeCase make() {
    std::optional<Error> refusal;
    try {
      bind_here();
      return make_values();
    } catch (Error& error) {
      if (error.fault() != Fault::invalid) rethrow_as_of_recipe(error);
      refusal = error;
    }
    if (refused_ == Refused::counted) return {.reason = refusal->message()};
    if (auto made = make_must_fail(*refusal)) return *std::move(made);
    return {.reason = refusal->message() + cannot_state()};
  }

  std::optional<Refusal> refusal() {
    EvaluationOptions types = options_, values = options_;
    types.generate = false;
    values.confirm_readings_below = 0;
    try {
      bind_here();
      std::vector<std::string> warnings;
      Environment environment = load_inputs(bound_, types, warnings);
      if (!values_decide(infer(bound_.graph, environment, types).front())) return std::nullopt;
      environment = load_inputs(bound_, values, warnings);
      run_graph(bound_.graph, environment, values);
      return std::nullopt;
    } catch (Error& error) {
      if (error.fault() != Fault::invalid) rethrow_as_of_recipe(error);
      const bool kept = refused_ == Refused::kept, stated = can_state();
      return Refusal{kept && stated ? MadeCase::Kind::must_fail : MadeCase::Kind::rejected,
                     error.message() + (kept && !stated ? cannot_state() : "")};
    }
  }

 private:
  static std::shared_ptr<const Case> case_of(const GoldenCase& golden) {
    Case read = read_json_case(golden.stated.root(), {}, golden.folder);
    read.origin = golden.name;
    return std::make_shared<const Case>(std::move(read));
  }

  bool is_openvino() const { return is_of_layers(read_->graph.nodes.front().domain); }

  /// As `opref run` binds what it reads.
  void bind_here() {
    Bound bound = bind_case(read_);
    bound.options = options_;
    bound_ = std::move(bound);
    names_are_known_ = true;
    require_known_operators(bound_.graph);
  }

  /// Only JSON cases name inputs and outputs as the specification does.
  bool can_state() const { return layout_ == Layout::npy || names_are_known_; }
  std::string cannot_state() const { return format(" (the layout {} cannot state it)", name(layout_)); }

  void require_layout() const {
    if (layout_ == Layout::npy) return;
    if (is_openvino() != (layout_ == Layout::openvino))
      fail(Fault::usage, "the layout {} does not hold operators of {}", name(layout_), domain());
    if (!read_->readings.empty())
      fail(Fault::usage, kNpyLayout, "the layout {} cannot state the reading '{}'", name(layout_),
           read_->readings.begin()->first);
    if (read_->tolerance) fail(Fault::usage, kNpyLayout, "the layout {} cannot state a tolerance", name(layout_));
  }

  MadeCase make_values() {
    std::vector<std::string> warnings;
    Environment environment = load_inputs(bound_, options_, warnings);
    const Bound frozen = with_values(environment);
    EvaluationOptions options = options_;
    if (layout_ == Layout::onnx)
      options.before_value = [](const std::string&, const ValueType& type) { require_onnx_size(type); };
    const std::vector<Step> steps = run_graph(bound_.graph, environment, options);
    if (layout_ == Layout::npy) {
      write_json_case(golden_.stated.root(), bound_, environment, nullptr, folder_);
    } else {
      write_case(frozen, options_, folder_);
      write_outputs_of(environment);
    }
    Json entry = start_entry();
    // Readings that mattered: that another alternative gives another result was confirmed.
    entry.set("node", node_json(steps.front()));
    entry.set("readings", steps.front().readings, reading_json);
    return {MadeCase::Kind::values, std::make_shared<const Json>(entry.set("files", files_json(folder_)))};
  }

  /// The case with its values in memory.
  Bound with_values(const Environment& environment) const {
    Bound frozen = bound_;
    for (NamedSource& input : frozen.inputs) {
      const auto known = environment.find(input.name);
      if (known == environment.end() || !known->second.value) continue;
      input.source = {TensorSource::Loaded{[value = *known->second.value](std::int64_t) { return value; }}};
    }
    return frozen;
  }

  void write_outputs_of(const Environment& environment) const {
    for (size_t k = 0; k < bound_.graph.outputs.size(); ++k) {
      const std::string& output = bound_.graph.outputs[k].name;
      const Input& known = environment.find(output)->second;
      if (layout_ == Layout::onnx)
        write_text(folder_ / "test_data_set_0" / format("output_{}.pb", k), onnx_value_bytes(output, *known.value));
      else
        write_array(folder_ / (file_name_of(output) + ".npy"), known.tensor());
    }
  }

  /// Nothing where the layout cannot state the case, or not so that the same rule refuses it.
  std::optional<MadeCase> make_must_fail(const Error& original) {
    if (!can_state()) return std::nullopt;
    for (NamedSource& input : bound_.inputs)
      if (auto* fill = std::get_if<Fill>(&input.source.from); fill != nullptr && !is_generator(fill->generator))
        fill->generator = "iota";
    std::optional<Error> refusal;
    try {
      std::vector<std::string> warnings;
      const Environment environment = load_inputs(bound_, options_, warnings);
      if (layout_ == Layout::npy)
        write_json_case(golden_.stated.root(), bound_, environment, nullptr, folder_);
      else
        write_case(with_values(environment), options_, folder_);
      refusal = refusal_of(written(), options_);
      if (!refusal || !same_rule(*refusal, original)) return std::nullopt;
      const ExpectedError expected{refusal->fault(), refusal->message()};
      if (layout_ == Layout::npy)
        write_json_case(golden_.stated.root(), bound_, environment, &expected, folder_);
      else
        write_text(folder_ / "expect_error.json", error_json(expected).text());
      return MadeCase{MadeCase::Kind::must_fail, std::make_shared<const Json>(must_fail_entry(expected))};
    } catch (const Error& error) {
      const bool cannot =
          error.fault() == Fault::invalid || error.fault() == Fault::unsupported || error.fault() == Fault::usage;
      if (!cannot) throw;
    }
    return std::nullopt;
  }

  fs::path written() const { return layout_ == Layout::npy ? folder_ / "case.json" : folder_; }

  Json must_fail_entry(const ExpectedError& expected) const {
    const JsonValue stated = golden_.stated.root();
    Json entry = start_entry(), node;
    node.set("op_type", *stated.find("op_type")).set("domain", domain());
    node.set("opset", *stated.find("opset"));
    if (const auto attributes = stated.find("attributes")) node.set("attributes", *attributes);
    entry.set("node", std::move(node)).set("expect_error", error_json(expected));
    return entry.set("files", files_json(folder_));
  }

  std::string_view domain() const { return domain_name(read_->graph.nodes.front().domain); }

  Json start_entry() const { return Json().set("name", golden_.name).set("seed", golden_.seed); }

  const GoldenCase& golden_;
  const fs::path& folder_;
  const Refused refused_;
  const std::shared_ptr<const Case> read_;
  const EvaluationOptions options_;
  const Layout layout_;
  Bound bound_;  ///< as it is stated, until bind_here gives its tensors their names
  bool names_are_known_ = false;
};

/// What `body` returns of the maker; errors get the case and its recipe as their places.
template <class Body>
auto with_maker(const GoldenCase& golden, const MakeOptions& options, const fs::path& folder, const Body& body) {
  return at_place([&] { return golden.recipe; },
                  [&] {
                    return at_place([&] { return "in the case " + golden.name; },
                                    [&] {
                                      Maker maker(golden, options, folder);
                                      return body(maker);
                                    });
                  });
}

}  // namespace

std::string_view name(Layout layout) { return kLayouts[static_cast<size_t>(layout)]; }

Layout parse_layout(std::string_view text) {
  const auto found = std::ranges::find(kLayouts, text);
  if (found == kLayouts.end())
    fail(Fault::usage, "'{}' is not a layout ({}){}", printable(text), join_text(kLayouts, ", "),
         did_you_mean(text, kLayouts));
  return static_cast<Layout>(found - kLayouts.begin());
}

FileHashes hashes_below(const fs::path& folder) {
  FileHashes hashes;
  for (const fs::path& file : files_below(folder))
    hashes.emplace(file.lexically_relative(folder).generic_string(),
                   is_file(file) ? sha256(read_file(file).bytes) : "");
  return hashes;
}

MadeCase make_case(const GoldenCase& golden, const MakeOptions& options, const fs::path& folder) {
  return with_maker(golden, options, folder, [](Maker& maker) { return maker.make(); });
}

std::optional<Refusal> refusal_of(const GoldenCase& golden, const MakeOptions& options) {
  return with_maker(golden, options, {}, [](Maker& maker) { return maker.refusal(); });
}

}  // namespace opref::golden
