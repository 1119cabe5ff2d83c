// SPDX-License-Identifier: Apache-2.0
#include "run/write_outputs.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <list>
#include <optional>
#include <set>

#include "core/error.h"
#include "io/json/maps.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "run/remedies.h"
#include "run/sound_names.h"
#include "system/file.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

bool is_folder_name(const std::string& path) { return path.ends_with('/') || is_folder(fs::path(path)); }

void check_extension(const std::string& path) {
  const std::string extension = fs::path(path).extension().string();
  if (extension.starts_with(".npz:"))
    fail(Fault::usage, "the output '{}': an .npz gets an array for each output, named as it is, and takes no ':NAME'",
         printable(path));
  if (path != "-" && extension != ".npy" && extension != ".npz" && extension != ".pb" && extension != ".json")
    fail(Fault::usage, "the output '{}': a file ends with .npy, .npz, .pb or, of maps, .json, a folder with /",
         printable(path));
}

using NamedTensor = std::pair<std::string, Tensor>;
using NamedValue = std::pair<std::string, Value>;

/// An optional's element where it has one, else the value itself.
Value unwrapped(const Value& value) {
  const auto* optional = std::get_if<Optional>(&value);
  if (optional == nullptr) return value;
  if (const auto* tensor = std::get_if<Tensor>(&optional->element)) return *tensor;
  if (const auto* sequence = std::get_if<Sequence>(&optional->element)) return *sequence;
  return value;
}

const Tensor& only_tensor(const Value& value, const std::string& name) {
  if (const Tensor* tensor = value.tensor()) return *tensor;
  if (is_of_maps(type_of(value).form))
    fail(Fault::usage, "a .npy holds one tensor, but '{}' is {}: give a .pb, .json or a folder", printable(name),
         type_of(value));
  fail(Fault::usage, "a .npy holds one tensor, but '{}' is {}: give an .npz, .pb or a folder", printable(name),
       type_of(value));
}

/// Of several values each one a tensor; of a sequence alone its elements, by their positions.
std::vector<NamedTensor> npz_arrays(const std::vector<NamedValue>& values) {
  std::vector<NamedTensor> arrays;
  for (const auto& [name, value] : values) {
    const Value held = unwrapped(value);
    if (const Tensor* tensor = held.tensor()) {
      arrays.emplace_back(name, *tensor);
      continue;
    }
    const auto* sequence = std::get_if<Sequence>(&held);
    if (const ValueType type = type_of(held); is_of_maps(type.form))
      fail(Fault::usage, "an .npz holds tensors, but '{}' is {}: give it a .pb or .json", printable(name), type);
    if (sequence == nullptr || values.size() != 1)
      fail(Fault::usage, "an .npz of several values holds tensors, but '{}' is {}: give it a file of its own",
           printable(name), type_of(value));
    for (const Tensor& element : sequence->elements) arrays.emplace_back(std::to_string(arrays.size()), element);
  }
  return arrays;
}

/// Several values only as .npz.
void write_content(FileWriter& file, const fs::path& path, const std::vector<NamedValue>& values) {
  if (path.extension() == ".npz") return write_npz(file, npz_arrays(values));
  const auto& [name, value] = values.front();
  if (path.extension() == ".pb") return write_onnx_value(file, name, value);
  if (path.extension() == ".json") {
    if (!is_of_maps(type_of(value).form))
      fail(Fault::usage, "a .json holds maps, but '{}' is {}: give a .npy or .pb", printable(name), type_of(value));
    file.write(map_member_json(value).text());
  } else {
    write_npy(file, only_tensor(unwrapped(value), name));
  }
}

/// Folders that were made for outputs; they go again unless the outputs are kept.
class NewFolders {
 public:
  NewFolders() = default;
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  ~NewFolders() {
    std::error_code ignored;
    for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
  }
  void make(const fs::path& folder) {
    std::error_code error;
    if (folder.empty() || fs::is_directory(folder, error)) return;
    make(folder.has_filename() ? folder.parent_path() : folder.parent_path().parent_path());
    if (!fs::create_directory(folder, error) && error)
      fail(Fault::system, "cannot make the folder {}: {}", printable(folder.string()), error.message());
    made_.push_back(folder);
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;
};

/// Whether a folder's entry is called as the elements of a sequence: 0.npy, 1.npy, …; then its position.
std::optional<size_t> element_position(const fs::path& entry) {
  const std::string name = entry.filename().string();
  size_t position = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), position);
  const bool is_element = error == std::errc{} && name == std::to_string(position) + ".npy" && !is_folder(entry);
  return is_element ? std::optional(position) : std::nullopt;
}

/// An earlier result's file or folder in an output's place; it is somebody's, and not for this to remove.
[[noreturn]] void stands_in_the_way(const fs::path& there, std::string_view why) {
  fail(Fault::usage, "{} {}: remove it, or choose another folder", shown(there), why);
}

template <class Found>
void each_entry(const fs::path& folder, const Found& found) {
  std::error_code error;
  for (fs::directory_iterator entry(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error))
    found(entry->path());
}

/// Nothing beside an output that is a sequence of `count` elements now makes it another value.
void require_only_elements(const OutputPlace& place, size_t count) {
  const std::string name = printable(place.tensors.front());
  if (is_file(place.file)) stands_in_the_way(place.file, format("is there, but '{}' is a sequence", name));
  each_entry(place.elements, [&](const fs::path& entry) {
    const auto position = element_position(entry);
    if (!position || *position >= count)
      stands_in_the_way(entry,
                        format("is none of the {} of '{}' that this folder is for", counted(count, "element"), name));
  });
}

/// Of an output that has no elements of its own now: a folder with something else in it is none of a sequence.
void require_no_elements(const OutputPlace& place) {
  bool is_sequence = is_folder(place.elements);
  each_entry(place.elements, [&](const fs::path& entry) { is_sequence = is_sequence && element_position(entry); });
  if (is_sequence)
    stands_in_the_way(place.elements, format("holds a sequence, but '{}' is none", printable(place.tensors.front())));
}

/// What a tensor takes in a file; strings in .npy have all the length of the longest.
std::int64_t bytes_in_file(const Tensor& tensor, bool as_npy) {
  constexpr std::int64_t kHeader = 128, kLetter = 4;
  if (tensor.dtype() != DType::string) return checked_add(kHeader, byte_size(tensor.type()));
  std::int64_t all = 0, longest = 0;
  for (const std::string& element : tensor.strings()) {
    all = checked_add(all, std::ssize(element));
    longest = std::max(longest, std::ssize(element));
  }
  return checked_add(kHeader, as_npy ? checked_multiply(kLetter * longest, tensor.count()) : all);
}

void require_written(const Bound& bound, const Environment& environment, std::span<const Destination> destinations,
                     std::int64_t most) {
  std::int64_t total = 0;
  for (const Destination& destination : destinations)
    for (const OutputPlace& place : places_of(bound, destination))
      for (const std::string& name : place.tensors)
        for (const Tensor& tensor : tensors_in(value_of(environment, name)))
          total = checked_add(total, bytes_in_file(tensor, place.file.extension() != ".pb"));
  if (total > most)
    fail(Fault::system, kMoreWritten, "the outputs take {} in files, but the limit is {}", counted(total, "byte"),
         most);
}

/// The files that are being written.
struct Writing {
  NewFolders folders;
  std::list<FileWriter> files;
};

/// One output in a folder: a file, of maps a .json, a folder of elements, or nothing.
void write_in_folder(const OutputPlace& place, const Value& value, Writing& writing) {
  const Value held = unwrapped(value);
  const auto* sequence = std::get_if<Sequence>(&held);
  if (sequence == nullptr) {
    const std::string name = printable(place.tensors.front());
    require_no_elements(place);
    const bool is_of_npy = held.tensor() != nullptr;
    if (!is_of_npy && is_file(place.file))
      stands_in_the_way(place.file, is_of_maps(type_of(held).form)
                                        ? format("is there, but '{}' is {}", name, type_of(held))
                                        : format("is there, but '{}' has no element", name));
    if (is_of_maps(type_of(held).form))
      writing.files.emplace_back(place.elements.string() + ".json").write(map_member_json(held).text());
    if (is_of_npy) write_npy(writing.files.emplace_back(place.file), *held.tensor());
    return;
  }
  require_only_elements(place, sequence->elements.size());
  writing.folders.make(place.elements);
  for (size_t i = 0; i < sequence->elements.size(); ++i)
    write_npy(writing.files.emplace_back(place.elements / format("{}.npy", i)), sequence->elements[i]);
}

}  // namespace

std::vector<OutputPlace> places_of(const Bound& bound, const Destination& destination) {
  std::vector<std::string> tensors;
  if (!destination.tensor.empty()) tensors.push_back(destination.tensor);
  if (destination.tensor.empty())
    for (const ValueInfo& output : bound.graph.outputs) tensors.push_back(output.name);
  if (!is_folder_name(destination.path)) return {{destination.path, {}, tensors}};
  std::vector<OutputPlace> places;
  for (const std::string& tensor : tensors) {
    const fs::path elements = fs::path(destination.path) / file_name_of(tensor);
    places.push_back({elements.string() + ".npy", elements, {tensor}});
  }
  return places;
}

std::string file_name_of(std::string_view tensor) {
  if (tensor == "." || tensor == "..") return tensor == "." ? "%2E" : "%2E%2E";  // folders' own names
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string name;
  for (const char c : tensor) {
    const bool plain =
        (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
    const auto byte = static_cast<unsigned char>(c);
    name += plain ? std::string(1, c) : std::string{'%', kHex[byte >> 4], kHex[byte & 15]};
  }
  return name;
}

std::vector<Destination> parse_destinations(const Bound& bound, std::span<const std::string> arguments) {
  require_an_output(bound.graph);
  std::vector<Destination> destinations;
  std::set<std::string> written;
  for (const std::string& argument : arguments) {
    // The longest known name before an equals sign; a path may contain one too.
    Destination destination{"", argument};
    for (size_t equals = argument.find('='); equals != std::string::npos; equals = argument.find('=', equals + 1)) {
      if (const auto tensor = known_tensor(bound, argument.substr(0, equals), Names::any))
        destination = {*tensor, argument.substr(equals + 1)};
    }
    const size_t equals = argument.find('=');
    if (destination.tensor.empty() && equals != std::string::npos && argument.find('/') > equals)
      unknown_tensor(bound, argument.substr(0, equals), Names::any);
    const bool single = !is_folder_name(destination.path) && fs::path(destination.path).extension() != ".npz";
    if (!is_folder_name(destination.path)) check_extension(destination.path);
    if (destination.tensor.empty() && single && bound.read->format == CaseFormat::operator_name)
      destination.tensor = bound.graph.outputs.front().name;
    if (destination.tensor.empty() && single && bound.graph.outputs.size() != 1) {
      std::vector<std::string> names;
      for (const ValueInfo& output : bound.graph.outputs) names.push_back(output.name);
      fail(Fault::usage, kNameOutput, "{} takes one output, but there are {} ({})", printable(argument), names.size(),
           printable_names(names));
    }
    for (const OutputPlace& place : places_of(bound, destination))
      if (!written.insert(canonical_name(place.file)).second)
        fail(Fault::usage, "the output '{}': {} is written twice", printable(argument), printable(place.file.string()));
    destinations.push_back(std::move(destination));
  }
  return destinations;
}

std::function<void(const std::string&, const ValueType&)> size_check(const Bound& bound,
                                                                     std::span<const Destination> destinations) {
  std::set<std::string> in_protobuf;
  for (const Destination& destination : destinations)
    for (const OutputPlace& place : places_of(bound, destination))
      if (place.file.extension() == ".pb") in_protobuf.insert(place.tensors.begin(), place.tensors.end());
  if (in_protobuf.empty()) return {};
  return [in_protobuf](const std::string& name, const ValueType& type) {
    if (in_protobuf.contains(name)) require_onnx_size(type);
  };
}

void write_outputs(const Bound& bound, const Environment& environment, std::span<const Destination> destinations,
                   std::int64_t most) {
  require_written(bound, environment, destinations, most);
  Writing writing;
  for (const Destination& destination : destinations) {
    if (is_folder_name(destination.path)) writing.folders.make(destination.path);
    for (const OutputPlace& place : places_of(bound, destination)) {
      std::vector<NamedValue> values;
      for (const std::string& name : place.tensors) values.emplace_back(name, value_of(environment, name));
      if (place.elements.empty())
        write_content(writing.files.emplace_back(place.file), place.file, values);
      else
        write_in_folder(place, values.front().second, writing);
    }
  }
  for (FileWriter& file : writing.files) file.commit();
  writing.folders.keep();
}

void write_value(const std::string& path, const std::string& name, const Value& value, Link link) {
  check_extension(path);
  FileWriter file(path, link);
  write_content(file, path, {{name, value}});
  file.commit();
}

}  // namespace opref::run
