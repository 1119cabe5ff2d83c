// SPDX-License-Identifier: Apache-2.0
// A target for each reader.
#include <unistd.h>

#include <array>

#include "backend/runner.h"
#include "compare/tolerance.h"
#include "core/memory_limit.h"
#include "fuzz/targets.h"
#include "golden/manifest.h"
#include "golden/recipe.h"
#include "io/json/cases.h"
#include "io/json/json.h"
#include "io/json/maps.h"
#include "io/json/tree.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "io/openvino/openvino.h"
#include "io/safetensors.h"
#include "io/torch/pickle.h"
#include "io/torch/torch.h"
#include "ops/images/images.h"
#include "report/report_json.h"
#include "run/argument.h"
#include "run/bind.h"
#include "run/evaluate.h"
#include "run/load_inputs.h"
#include "run/survey.h"
#include "system/file.h"

namespace opref::fuzz {
namespace {

namespace fs = std::filesystem;

/// Files that a case names are looked for where there are none.
const fs::path kNoFolder = "/nonexistent";

FileBytes file_of(std::string_view bytes) { return in_memory(std::string(bytes)); }

/// What `infer` does with a case.
void infer_case(Case read) {
  const Bound bound = bind_case(std::move(read));
  EvaluationOptions options = bound.options;
  options.max_bytes = kMostBytes;
  std::vector<std::string> warnings;
  Environment environment = load_inputs(bound, options, warnings);
  survey(bound.graph, environment, options);
}

std::string npy_bytes(const Tensor& tensor) {
  const NpyContent content = npy_content(tensor);
  const auto elements = content.elements.bytes();
  return content.header + std::string(reinterpret_cast<const char*>(elements.data()), elements.size());
}

/// A tensor is written and read back as it is.
void require_same_array(const Tensor& tensor) {
  const std::string file = npy_bytes(tensor);
  const LoadedTensor loaded = read_npy(in_memory(file));
  const Value value = loaded.open_descr.empty() ? loaded.value : settle(loaded, tensor.dtype());
  if (npy_bytes(*value.tensor()) != file) finding("an array that was written is read as another one");
}

void npy(std::string_view bytes) {
  const LoadedTensor loaded = read_npy(file_of(bytes), kMostBytes);
  if (!loaded.open_descr.empty()) {
    for (const DType dtype : {DType::bfloat16, DType::uint16, DType::int4, DType::float8_e4m3fn, DType::uint2})
      if (descr_can_be(loaded.open_descr, dtype)) answered([&] { settle(loaded, dtype); });
    return;
  }
  require_same_array(*loaded.value.tensor());
}

void npz(std::string_view bytes) {
  NpzArchive archive(file_of(bytes));
  for (const std::string& array : archive.arrays()) answered([&] { archive.read(array, kMostBytes); });
}

/// By its only name, and by one that may be there.
void torch(std::string_view bytes) {
  for (const std::string_view key : {"", "w"}) answered([&] { read_torch(file_of(bytes), key, kMostBytes); });
}
/// The pickle alone, which no checksum guards.
void pickle(std::string_view bytes) {
  read_pickle(std::as_bytes(std::span(bytes)), [](std::string_view name) { return name.starts_with("torch"); });
}
void safetensors(std::string_view bytes) {
  for (const std::string_view key : {"", "w"}) answered([&] { read_safetensors(file_of(bytes), key, kMostBytes); });
}

void onnx(std::string_view bytes) { infer_case(read_onnx(file_of(bytes), kNoFolder)); }
void onnx_json(std::string_view bytes) { infer_case(read_onnx_json(bytes, kNoFolder)); }
void onnx_text(std::string_view bytes) { infer_case(read_onnx_text(bytes)); }
void openvino(std::string_view bytes) { infer_case(read_openvino(file_of(bytes), {})); }

void onnx_value(std::string_view bytes) {
  for (const Form form : kForms)
    answered([&] {
      ValueInfo declared;
      declared.form = form;
      const Value value = read_onnx_value(file_of(bytes), declared, kMostBytes);
      const std::string written = onnx_value_bytes("x", value);
      declared.form = type_of(value).form;
      declared.dtype = type_of(value).dtype();
      declared.key = type_of(value).key;
      if (onnx_value_bytes("x", read_onnx_value(in_memory(written), declared)) != written)
        finding("a value that was written is read as another one");
    });
  answered([&] { likely_form_of_maps(file_of(bytes)); });
}

/// Maps are written and read back as they are.
void maps(std::string_view bytes) {
  const std::string written = map_member_json(read_map_document(bytes)).text();
  if (map_member_json(read_map_document(written)).text() != written)
    finding("maps that were written are read as others");
}

void json_case(std::string_view bytes) {
  const JsonCaseFile file(bytes);
  for (const JsonCase& one : file.cases)
    answered([&] { infer_case(read_json_case(one.object, one.opset, kNoFolder)); });
}

/// The part behind NAME=, and every other small language of the command line.
void argument(std::string_view bytes) {
  answered([&] {
    const TensorSource source = parse_value(bytes);
    if (source.file() != nullptr) return;
    std::vector<std::string> warnings;
    settle_alone(load(source, kMostBytes, "x"), warnings);
  });
  answered([&] { parse_kernel(bytes); });
  backend::parse_answer(bytes, "1");
}

void recipe(std::string_view bytes) {
  const std::vector<golden::RecipeFile> files = golden::parse_recipes("recipe", kNoFolder, bytes);
  size_t lists = 0;  // a million cases of a few lists are an answer that takes long
  for (size_t at = 0; (at = bytes.find("\"e", at)) != bytes.npos; ++at) ++lists;
  if (lists <= 2) golden::expand(files, std::nullopt);
}

std::string report_text(std::string_view bytes) {
  report::CheckReport report;
  static_cast<report::RunRecord&>(report) = report::read_report(bytes_of(bytes), "report.json", report.cases);
  std::string text;
  report::json_document(report, [&](std::string_view part) { text += part; });
  return text;
}

void report(std::string_view bytes) {
  const std::string text = report_text(bytes);
  if (report_text(text) != text) finding("a report that was written is read as another one");
}

void manifest(std::string_view bytes) {
  static const fs::path folder = [] {
    fs::path path = fs::temp_directory_path() / format("opref-fuzz-{}", getpid());
    fs::create_directories(path);
    return path;
  }();
  FileWriter file(folder / golden::kManifestFile);
  file.write(bytes);
  file.commit();
  golden::read_manifest(folder);
}

/// Pixels, or an error that is not thrown.
void image(std::string_view bytes) {
  const MemoryLimit limit(kMostBytes);
  const auto decoded = ops::images::decode(std::as_bytes(std::span(bytes)));
  if (decoded.pixels.has_value() == decoded.error.has_value()) finding("an image and an error, or neither");
  if (decoded.error) throw Error(*decoded.error);
}

constexpr std::array kTargets = {Target{"node", evaluate_node},
                                 Target{"function", evaluate_function},
                                 Target{"subgraphs", evaluate_subgraphs},
                                 Target{"npy", npy},
                                 Target{"npz", npz},
                                 Target{"torch", torch},
                                 Target{"pickle", pickle},
                                 Target{"safetensors", safetensors},
                                 Target{"onnx", onnx},
                                 Target{"onnx_value", onnx_value},
                                 Target{"onnx_json", onnx_json},
                                 Target{"onnx_text", onnx_text},
                                 Target{"openvino", openvino},
                                 Target{"json", json_case},
                                 Target{"maps", maps},
                                 Target{"argument", argument},
                                 Target{"image", image},
                                 Target{"recipe", recipe},
                                 Target{"report", report},
                                 Target{"manifest", manifest}};

}  // namespace

std::span<const Target> reader_targets() { return kTargets; }

}  // namespace opref::fuzz
