// SPDX-License-Identifier: Apache-2.0
#include "check/handed.h"

#include <atomic>

#include "core/error.h"
#include "io/onnx/onnx.h"
#include "system/file.h"
#include "system/folder.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

void replace_all(std::string& text, const std::string& from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

/// The error with the names that its files have in their folder.
Error named_below(const Error& error, const fs::path& folder) {
  const auto below = [&](std::string text) {
    replace_all(text, folder.string() + "/", "");
    return text;
  };
  Error named(error.fault(), below(error.message()), error.way_out());
  for (const std::string& place : error.places()) named.add_place(below(place));
  return named;
}

/// What a .pb holds is not said by it: it is read as what is expected, or as the element of an optional.
Value read_message(const fs::path& file, ValueInfo info, const ValueType& expected, std::int64_t max_bytes) {
  const FileBytes bytes = read_into_memory(file, max_bytes);
  info.dtype = expected.dtype();
  info.form = expected.form;
  info.key = expected.key;
  if (info.form != Form::optional && info.form != Form::optional_sequence)
    return read_onnx_value(bytes, info, max_bytes);
  try {
    return read_onnx_value(bytes, info, max_bytes);
  } catch (const Error&) {
    info.form = expected.form == Form::optional ? Form::tensor : Form::sequence;
    return read_onnx_value(bytes, info, max_bytes);
  }
}

/// A file of arrays, or a folder of them.
Value read_arrays(const fs::path& file, DType expected, std::int64_t max_bytes) {
  TensorSource source{TensorSource::File{file, "", StatedBy::argument, true}};
  source.open_dtype = expected;
  return settle(load(source, max_bytes), expected);
}

/// An optional may be written as its element.
Value as_optional(Value value) {
  if (const auto* tensor = value.tensor()) return Optional{tensor->dtype(), *tensor};
  if (const auto* sequence = std::get_if<Sequence>(&value)) return Optional{sequence->dtype, *sequence};
  return value;
}

}  // namespace

CaseFolder::CaseFolder(const fs::path& scratch) {
  static std::atomic<int> counter = 0;
  constexpr int kFirst = 100'000'000;  // names of one length: cut lines stay the same
  path_ = scratch / std::to_string(kFirst + counter++);
  make_subfolder(path_);
  make_subfolder(path_ / "outputs");
}

CaseFolder::~CaseFolder() {
  std::error_code ignored;
  remove_path(path_, ignored);
}

Answer ask(Backend& backend, const HandedCase& handed) {
  try {
    return backend.evaluate(handed);
  } catch (const Error& error) {
    throw BackendError(error);
  }
}

void hide_temporary_names(Answer& answer, const HandedCase& handed, const fs::path& folder) {
  for (std::string* text : {&answer.why, &answer.last_lines}) {
    for (const auto& [path, word] :
         {std::pair(&handed.outputs, "{outputs}"), {&handed.inputs, "{inputs}"}, {&handed.model, "{model}"}})
      if (path->string().starts_with(folder.string() + "/")) replace_all(*text, path->string(), word);
    replace_all(*text, folder.string(), "{inputs}");  // a layer's inputs lie in the folder itself
  }
}

namespace {

/// What `read` makes of a file that a backend left: that it cannot be read, as a link to a broken file, is no trouble
/// of this machine.
Value of_backend(const fs::path& file, const auto& read) {
  try {
    return read();
  } catch (const Error& error) {
    if (dynamic_cast<const PathError*>(&error) == nullptr) pass_on(error);
    throw named_below(error, file.parent_path());
  }
}

}  // namespace

Value read_backend_value(const fs::path& file, const ValueInfo& declared, const ValueType& expected,
                         std::int64_t max_bytes) {
  Value value = of_backend(file, [&] {
    if (file.extension() != ".pb" || !is_file(file)) return read_arrays(file, expected.dtype(), max_bytes);
    return at_place([&] { return "in " + file.filename().string(); },
                    [&] { return read_message(file, declared, expected, max_bytes); });
  });
  const bool is_optional = expected.form == Form::optional || expected.form == Form::optional_sequence;
  return is_optional ? as_optional(std::move(value)) : value;
}

Value read_backend_value(const fs::path& file, const ValueInfo& declared, std::int64_t max_bytes) {
  if (declared.dtype)
    return read_backend_value(file, declared, ValueType(declared.form, *declared.dtype, declared.key), max_bytes);
  return of_backend(file, [&] {
    std::vector<std::string> warnings;
    return settle_alone(load(TensorSource{TensorSource::File{file, "", StatedBy::argument, true}}, max_bytes),
                        warnings);
  });
}

}  // namespace opref::check
