// SPDX-License-Identifier: Apache-2.0
#include "golden/json_case.h"

#include "io/json/maps.h"
#include "io/numpy/npy.h"
#include "run/names.h"
#include "run/write_outputs.h"
#include "system/file.h"

namespace opref::golden {

namespace fs = std::filesystem;

void write_text(const fs::path& path, std::string_view content) {
  FileWriter file(path);
  file.write(content);
  file.commit();
}

void write_array(const fs::path& path, const Tensor& tensor) {
  FileWriter file(path);
  try {
    write_npy(file, tensor);
  } catch (const Error& error) {
    if (error.fault() != Fault::unsupported) throw;
    fail(error.fault(), "{}, as the layout onnx has it", error.message());
  }
  file.commit();
}

Json error_json(const ExpectedError& error) {
  return Json().set("fault", name(error.fault)).set("message", error.message);
}

namespace {

/// As the case states them: lists of variadic parameters are one name.
std::vector<KnownName> stated_inputs(const Bound& bound) {
  std::vector<KnownName> names;
  for (const NamedSource& input : bound.inputs) {
    if (!input.list.empty() && !names.empty() && names.back().name == input.list)
      names.back().tensors.push_back(input.name);
    else
      names.push_back({input.list.empty() ? input.name : input.list, {input.name}, input.list});
  }
  return names;
}

std::vector<KnownName> stated_outputs(const Bound& bound) {
  if (bound.schema == nullptr) return {};
  return by_parameters(bound.schema->outputs(), bound.graph.nodes.front().outputs);
}

Json write_tensor_file(const fs::path& folder, const std::string& tensor, const Tensor& value) {
  const std::string file = file_name_of(tensor) + ".npy";
  write_array(folder / file, value);
  return Json().set("dtype", name(value.dtype())).set("file", file);
}

Json write_sequence(const fs::path& folder, const std::string& tensor, const Sequence& sequence) {
  Json list = Json::list();
  for (size_t i = 0; i < sequence.elements.size(); ++i)
    list.append(write_tensor_file(folder, name_in_list(tensor, i), sequence.elements[i]));
  return Json().set("sequence", list).set("dtype", name(sequence.dtype));
}

/// `form` is of the type: an optional without an element does not know it.
Json write_value(const fs::path& folder, const std::string& tensor, const Value& value, Form form) {
  if (value.tensor() != nullptr) return write_tensor_file(folder, tensor, *value.tensor());
  if (const auto* sequence = std::get_if<Sequence>(&value)) return write_sequence(folder, tensor, *sequence);
  if (is_of_maps(type_of(value).form)) return map_member_json(value);
  const auto& optional = std::get<Optional>(value);
  Json source;
  if (const auto* held = std::get_if<Tensor>(&optional.element))
    source.set("optional", write_tensor_file(folder, tensor, *held));
  else if (const auto* sequence = std::get_if<Sequence>(&optional.element))
    source.set("optional", write_sequence(folder, tensor, *sequence));
  else
    source.set("optional", nullptr)
        .set("type", format("{}{}", form == Form::optional_sequence ? "sequence of " : "", optional.dtype));
  return source;
}

/// A .npy for each tensor that is known; what case.json says of them.
Json write_arrays(const fs::path& folder, const Environment& environment, const std::vector<KnownName>& names) {
  Json object;
  for (const KnownName& stated : names) {
    Json list = Json::list();
    for (const std::string& tensor : stated.tensors) {
      const auto known = environment.find(tensor);
      if (known == environment.end() || !known->second.value) continue;
      Json source = write_value(folder, tensor, *known->second.value, known->second.type.form);
      stated.is_list() ? list.append(std::move(source)) : object.set(stated.name, std::move(source));
    }
    if (stated.is_list()) object.set(stated.name, std::move(list));
  }
  return object;
}

}  // namespace

void write_json_case(const JsonValue& stated, const Bound& bound, const Environment& environment,
                     const ExpectedError* error, const fs::path& folder) {
  Json json;
  for (const char* key : {"op_type", "domain", "opset", "name", "seed", "attributes", "outputs"})
    if (const auto member = stated.find(key)) json.set(key, *member);
  json.set("inputs", write_arrays(folder, environment, stated_inputs(bound)));
  const std::vector<KnownName> outputs = stated_outputs(bound);
  if (error != nullptr)
    json.set("expect_error", error_json(*error));
  else if (!outputs.empty() && environment.contains(outputs.front().tensors.front()))
    json.set("expect", write_arrays(folder, environment, outputs));
  for (const char* key : {"tolerance", "readings"})
    if (const auto member = stated.find(key)) json.set(key, *member);
  json.set("source", error != nullptr ? "opref golden: what the specification refuses"
                                      : "opref golden: the specification's formula, rounded once");
  write_text(folder / "case.json", json.text());
}

}  // namespace opref::golden
