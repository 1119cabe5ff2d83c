#include "golden/make_case.h"

#include <algorithm>
#include <array>

#include "core/error.h"
#include "io/file.h"
#include "io/json.h"
#include "io/npy.h"
#include "io/onnx.h"
#include "io/sha256.h"
#include "run/bind.h"
#include "run/load_case.h"
#include "run/write_case.h"
#include "run/write_outputs.h"

namespace opref {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kLayouts = {"onnx", "npy", "openvino"};

void write_text(const fs::path& path, std::string_view content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

void write_array(const fs::path& path, const Tensor& tensor) {
  FileWriter file(path);
  write_npy(file, tensor);
  file.commit();
}

/// As `opref run` prepares what it reads.
void prepare(Case& loaded, const EvaluationOptions& options) {
  prepare_case(loaded, {});
  require_known_operators(loaded.graph, options);
  drop_unbound_inputs(loaded, {});
}

/// The error with which a case on disk is refused, if it is.
std::optional<Error> refusal_of(const fs::path& path, EvaluationOptions options) {
  try {
    Case loaded = read_case(path.string());
    prepare(loaded, options);
    options.readings = loaded.readings;
    std::vector<std::string> warnings;
    Environment environment = load_inputs(loaded, options, warnings);
    run(loaded.graph, environment, options);
  } catch (const Error& error) {
    if (error.fault() == Fault::internal || error.fault() == Fault::system) throw;
    return error;
  }
  return std::nullopt;
}

JsonWriter error_json(const ExpectedError& error) {
  JsonWriter json;
  json.set("fault", name(error.fault)).set("message", error.message);
  return json;
}

JsonWriter type_json(const TensorType& type) {
  JsonWriter json;
  json.set("dtype", name(type.dtype)).set("shape", type.shape);
  return json;
}

/// The node in force.
JsonWriter node_json(const Step& step) {
  JsonWriter node, attributes, resolved, inputs, outputs;
  for (const auto& [attribute, value] : step.call.attributes()) attributes.set(attribute, value);
  for (const Note& note : step.notes)
    if (note.level == Note::Level::resolved) resolved.set(note.subject, note.text);
  for (const CallInput& input : step.call.inputs())
    if (!input.name.empty()) inputs.set(input.name, type_json(input.type));
  for (size_t i = 0; i < step.types.size() && i < step.node->outputs.size(); ++i)
    outputs.set(step.node->outputs[i], type_json(step.types[i]));
  node.set("op_type", step.node->op_type).set("domain", step.call.op().domain()).set("opset", step.opset);
  node.set("since_version", step.call.version());
  node.set("attributes", std::move(attributes)).set("resolved", std::move(resolved));
  node.set("inputs", std::move(inputs)).set("outputs", std::move(outputs));
  return node;
}

/// The readings that mattered: that another alternative gives another result was confirmed.
JsonWriter readings_json(const Step& step) {
  JsonWriter readings = JsonWriter::list();
  for (const ReadingReport& report : step.readings) {
    JsonWriter reading, others = JsonWriter::list();
    for (const std::string_view other : report.others) others.append(other);
    reading.set("name", report.name).set("in_force", report.in_force);
    if (!report.stands_for.empty()) reading.set("stands_for", report.stands_for);
    readings.append(std::move(reading.set("others", std::move(others))));
  }
  return readings;
}

/// SHA-256 of every file below the folder, by its path.
JsonWriter files_json(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) names.push_back(entry.path().lexically_relative(folder).generic_string());
  std::ranges::sort(names);
  JsonWriter files;
  for (const std::string& name : names) files.set(name, sha256(read_file(folder / name).bytes));
  return files;
}

/// One case on its way into a folder.
class Maker {
 public:
  Maker(const GoldenCase& golden, const MakeOptions& options, const fs::path& folder)
      : golden_(golden), document_(parse_json(golden.text)), folder_(folder), refused_(options.refused) {
    evaluation_.max_bytes = options.max_bytes;
    evaluation_.confirm_readings_below = INT64_MAX;
    loaded_ = read_json_case(document_, golden.folder);
    loaded_.origin = golden.name;
    evaluation_.readings = loaded_.readings;
    const bool openvino = loaded_.graph.nodes.front().domain == "openvino";
    layout_ = options.layout.value_or(openvino ? Layout::openvino : Layout::onnx);
    require_layout(openvino);
  }

  MadeCase make() {
    try {
      prepare(loaded_, evaluation_);
      return make_values();
    } catch (const Error& error) {
      if (error.fault() != Fault::invalid) throw;
    }
    return refused_ == Refused::kept ? make_must_fail() : MadeCase{};
  }

 private:
  void require_layout(bool openvino) const {
    if (layout_ == Layout::npy) return;
    if (openvino != (layout_ == Layout::openvino))
      fail(Fault::usage, "the layout {} does not hold operators of {}", name(layout_),
           openvino ? "openvino" : "ai.onnx");
    if (!loaded_.readings.empty())
      fail(Fault::usage, "the layout {} cannot state the reading '{}': choose --layout npy", name(layout_),
           loaded_.readings.begin()->first);
  }

  MadeCase make_values() {
    std::vector<std::string> warnings;
    Environment environment = load_inputs(loaded_, evaluation_, warnings);
    const Case frozen = with_values(environment);
    const std::vector<Step> steps = run(loaded_.graph, environment, evaluation_);
    if (layout_ == Layout::npy) {
      write_json_case(environment, nullptr);
    } else {
      write_case(frozen, evaluation_, folder_);
      write_outputs_of(environment);
    }
    JsonWriter entry = start_entry();
    entry.set("node", node_json(steps.front())).set("readings", readings_json(steps.front()));
    return {MadeCase::Kind::values, entry.set("files", files_json(folder_)).line()};
  }

  /// The case with its values in memory.
  Case with_values(const Environment& environment) const {
    Case frozen = loaded_;
    for (NamedSource& input : frozen.inputs) {
      const auto known = environment.find(input.name);
      if (known == environment.end() || !known->second.value) continue;
      input.source = {};
      input.source.in_memory = [value = *known->second.value]() -> Value { return value; };
    }
    return frozen;
  }

  void write_outputs_of(const Environment& environment) const {
    for (size_t k = 0; k < loaded_.graph.outputs.size(); ++k) {
      const std::string& output = loaded_.graph.outputs[k].name;
      const Tensor& value = *environment.find(output)->second.value;
      if (layout_ == Layout::onnx)
        write_text(folder_ / "test_data_set_0" / format("output_{}.pb", k), onnx_tensor_bytes(output, value));
      else
        write_array(folder_ / (file_name_of(output) + ".npy"), value);
    }
  }

  MadeCase make_must_fail() {
    for (NamedSource& input : loaded_.inputs)
      if (input.source.fill && looks_at_node(input.source.fill->generator))
        input.source.fill->generator = Generator::iota;
    std::optional<Error> refusal;
    try {
      std::vector<std::string> warnings;
      const Environment environment = load_inputs(loaded_, evaluation_, warnings);
      if (layout_ == Layout::npy)
        write_json_case(environment, nullptr);
      else
        write_case(with_values(environment), evaluation_, folder_);
      refusal = refusal_of(written(), evaluation_);
      if (!refusal) return {};
      const ExpectedError expected{refusal->fault(), refusal->message()};
      if (layout_ == Layout::npy)
        write_json_case(environment, &expected);
      else
        write_text(folder_ / "expect_error.json", error_json(expected).text());
      return {MadeCase::Kind::must_fail, must_fail_entry(expected)};
    } catch (const Error& error) {
      // What a layout cannot state is counted only.
      const bool cannot =
          error.fault() == Fault::invalid || error.fault() == Fault::unsupported || error.fault() == Fault::usage;
      if (!cannot) throw;
    }
    return {};
  }

  fs::path written() const { return layout_ == Layout::npy ? folder_ / "case.json" : folder_; }

  std::string must_fail_entry(const ExpectedError& expected) const {
    JsonWriter entry = start_entry(), node;
    node.set("op_type", *document_.root().find("op_type")).set("domain", domain_name());
    node.set("opset", *document_.root().find("opset"));
    if (const auto attributes = document_.root().find("attributes")) node.set("attributes", *attributes);
    entry.set("node", std::move(node)).set("expect_error", error_json(expected));
    return entry.set("files", files_json(folder_)).line();
  }

  std::string_view domain_name() const {
    const std::string& domain = loaded_.graph.nodes.front().domain;
    return domain.empty() ? "ai.onnx" : std::string_view(domain);
  }

  JsonWriter start_entry() const {
    JsonWriter entry;
    entry.set("name", golden_.name).set("seed", golden_.seed);
    return entry;
  }

  /// case.json, and a .npy for each tensor that is known.
  void write_json_case(const Environment& environment, const ExpectedError* error) const {
    const auto arrays = [&](const std::vector<std::string>& names) {
      JsonWriter object;
      for (const std::string& tensor : names) {
        const auto known = environment.find(tensor);
        if (known == environment.end() || !known->second.value) continue;
        const std::string file = file_name_of(tensor) + ".npy";
        write_array(folder_ / file, *known->second.value);
        JsonWriter source;
        source.set("dtype", name(known->second.type.dtype)).set("file", file);
        object.set(tensor, std::move(source));
      }
      return object;
    };
    JsonWriter json;
    for (const char* key : {"op_type", "domain", "opset", "name", "seed", "attributes"})
      if (const auto stated = document_.root().find(key)) json.set(key, *stated);
    std::vector<std::string> inputs, outputs;
    for (const NamedSource& input : loaded_.inputs) inputs.push_back(input.name);
    for (const ValueInfo& output : loaded_.graph.outputs) outputs.push_back(output.name);
    json.set("inputs", arrays(inputs));
    if (error != nullptr)
      json.set("expect_error", error_json(*error));
    else if (!outputs.empty() && environment.contains(outputs.front()))
      json.set("expect", arrays(outputs));
    for (const char* key : {"tolerance", "readings"})
      if (const auto stated = document_.root().find(key)) json.set(key, *stated);
    json.set("source", error != nullptr ? "opref golden: what the specification refuses"
                                        : "opref golden: the specification's formula, rounded once");
    write_text(folder_ / "case.json", json.text());
  }

  const GoldenCase& golden_;
  const JsonDocument document_;
  const fs::path& folder_;
  Refused refused_;
  EvaluationOptions evaluation_;
  Case loaded_{};
  Layout layout_;
};

}  // namespace

std::string_view name(Layout layout) { return kLayouts[static_cast<size_t>(layout)]; }

Layout parse_layout(std::string_view text) {
  const auto found = std::ranges::find(kLayouts, text);
  if (found == kLayouts.end())
    fail(Fault::usage, "'{}' is not a layout ({}){}", printable(text), join_text(kLayouts, ", "),
         did_you_mean(text, kLayouts));
  return static_cast<Layout>(found - kLayouts.begin());
}

MadeCase make_case(const GoldenCase& golden, const MakeOptions& options, const fs::path& folder) {
  return at_place([&] { return "in the case " + golden.name; }, [&] { return Maker(golden, options, folder).make(); });
}

std::optional<std::string> refusal_by_types(const GoldenCase& golden) {
  return at_place([&] { return "in the case " + golden.name; },
                  [&]() -> std::optional<std::string> {
                    try {
                      Case loaded = read_json_case(parse_json(golden.text), golden.folder);
                      const EvaluationOptions options{.opset = {}, .readings = loaded.readings, .generate = false};
                      prepare(loaded, options);
                      std::vector<std::string> warnings;
                      Environment environment = load_inputs(loaded, options, warnings);
                      infer(loaded.graph, environment, options);
                    } catch (const Error& error) {
                      if (error.fault() != Fault::invalid) throw;
                      return error.message();
                    }
                    return std::nullopt;
                  });
}

}  // namespace opref
