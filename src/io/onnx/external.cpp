// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/external.h"

#include <algorithm>

#include "core/error.h"
#include "io/onnx/proto.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

/// Those of all tensors in the message.
void add_files(const OnnxMessage& message, const MessageType& type, const fs::path& folder,
               std::vector<fs::path>& files) {
  if (&type == &kTensorProto) {
    for (fs::path& file : external_files(message, folder)) files.push_back(std::move(file));
    return;
  }
  for (const MessageField& field : type.fields) {
    if (field.type != FieldType::message || !message.is_set(field.name)) continue;
    if (field.is_repeated())
      for (const OnnxMessage& one : message.messages(field.name)) add_files(one, *field.message, folder, files);
    else
      add_files(message.message(field.name), *field.message, folder, files);
  }
}

/// Also by the links on its way.
bool lies_in(const fs::path& file, const fs::path& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error), path = error ? fs::path() : fs::canonical(file, error);
  return !error && std::ranges::mismatch(root, path).in1 == root.end();
}

/// Whether a copy of the file at this place beside a model would lie there too, and among no tensors of a case.
bool may_be_copied(const fs::path& location) {
  return location.is_relative() && std::ranges::find(location, fs::path("..")) == location.end() &&
         !location.begin()->string().starts_with("test_data_set_") && *location.begin() != "outputs";
}

}  // namespace

std::vector<fs::path> external_data(const fs::path& model) {
  const fs::path folder = model.has_parent_path() ? model.parent_path() : fs::path(".");
  std::vector<fs::path> files, locations;
  try {
    if (const auto message = OnnxMessage::parse(kModelProto, read_file(model)))
      add_files(*message, kModelProto, folder, files);
  } catch (const Error& error) {  // of a model that cannot be read
    pass_on(error);
  }
  for (const fs::path& file : files)
    if (const fs::path location = file.lexically_relative(folder);
        is_file(file) && lies_in(file, folder) && may_be_copied(location))
      locations.push_back(location);
  std::ranges::sort(locations);
  locations.erase(std::unique(locations.begin(), locations.end()), locations.end());
  return locations;
}

}  // namespace opref::io
