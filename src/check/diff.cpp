// SPDX-License-Identifier: Apache-2.0
#include "check/diff.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/error.h"
#include "io/json/maps.h"
#include "io/numpy/npy.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::check {
namespace {

namespace fs = std::filesystem;

/// A tensor that is not read yet, or why it cannot be.
struct Found {
  TensorSource source;
  std::optional<Error> trouble = {};
};

/// The tensors of one argument, by their names; one archive after another is opened for them.
struct Collection {
  std::map<std::string, Found> tensors = {};
  std::shared_ptr<LastArchive> last_archive = std::make_shared<LastArchive>();
};

bool is_named_folder(const TensorSource::File& file) { return file.member.empty() && system::is_folder(file.path); }

/// Whether it may be a sequence: 0.npy, 1.npy, … (or .pb).
bool has_elements(const fs::path& folder) { return is_file(folder / "0.npy") || is_file(folder / "0.pb"); }

bool is_archive(const TensorSource::File& file) { return file.member.empty() && file.path.extension() == ".npz"; }

bool is_collection(const TensorSource::File& file) { return is_named_folder(file) || is_archive(file); }

/// A name stands for one tensor.
void add(Collection& collection, const std::string& name, Found found) {
  const auto [at, added] = collection.tensors.try_emplace(name, std::move(found));
  if (!added) fail(Fault::usage, "there are two tensors '{}'", printable(name));
}

/// `prefix` stands before the names of the arrays.
void add_arrays(Collection& collection, const fs::path& file, const std::string& prefix) {
  at_place([&] { return "in " + shown(file); },
           [&] {
             for (const std::string& member : collection.last_archive->open(file)->arrays())
               add(collection, prefix + member,
                   {{TensorSource::File{file, member, StatedBy::option, false, collection.last_archive}}});
           });
}

/// One of several: that it cannot be read does not hide the others.
void add_archive(Collection& collection, const fs::path& file, const std::string& name) {
  try {
    add_arrays(collection, file, name + ":");
  } catch (const Error& error) {
    pass_on(error);
    add(collection, name, {TensorSource::alone(file.string()), error});
  }
}

void add_files(Collection& collection, const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> above = {fs::canonical(folder, error)};
  fs::recursive_directory_iterator entry(folder, fs::directory_options::follow_directory_symlink, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    fs::path path = entry->path();
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      above.resize(static_cast<size_t>(entry.depth()) + 1);
      const fs::path real = fs::canonical(path, ignored);
      if (std::ranges::find(above, real) != above.end())
        fail(Fault::system, "the link {} leads to a folder that it is in", shown(path));
      above.push_back(real);
      continue;
    }
    const std::string extension = path.extension().string();
    const bool is_maps =
        extension == ".json" && entry->is_regular_file(ignored) && is_map_document(read_file(path).text());
    if (extension != ".npy" && extension != ".pb" && extension != ".npz" && !is_maps) continue;
    fs::path relative = path.lexically_relative(folder);
    if (extension == ".npz") {
      add_archive(collection, path, relative.generic_string());
    } else {
      add(collection, relative.replace_extension().generic_string(),
          {{TensorSource::File{std::move(path), "", StatedBy::option}}});
    }
  }
  if (error) fail(Fault::system, "the folder cannot be read: {}", error.message());
}

Collection collect(const TensorSource::File& file) {
  Collection collection;
  if (is_named_folder(file))
    at_place([&] { return "in " + shown(file.path); }, [&] { add_files(collection, file.path); });
  else
    add_arrays(collection, file.path, "");
  return collection;
}

bool is_byte_void(const LoadedTensor& loaded) { return loaded.open_descr.ends_with("V1"); }

std::string type_text(const LoadedTensor& loaded) {
  return is_byte_void(loaded) ? loaded.open_descr : to_text(loaded.value.tensor()->dtype());
}

/// The type that both are read as; nothing where their files decide it, each for itself.
std::optional<DType> common_type(const LoadedTensor& actual, const LoadedTensor& expected, std::optional<DType> dtype) {
  if (actual.literal || expected.literal) {  // which takes the type of the other
    const LoadedTensor& other = actual.literal ? expected : actual;
    const Tensor* known = other.literal || !other.open_descr.empty() ? nullptr : other.value.tensor();
    return known != nullptr ? std::optional(known->dtype()) : dtype;
  }
  const bool actual_open = !actual.open_descr.empty(), expected_open = !expected.open_descr.empty();
  if (!actual_open && !expected_open) return std::nullopt;
  if (actual_open != expected_open) {
    const Tensor* known = (actual_open ? expected : actual).value.tensor();
    return known != nullptr ? std::optional(known->dtype()) : dtype;
  }
  if (dtype) return dtype;
  if (is_byte_void(actual) || is_byte_void(expected))
    fail(Fault::usage, kStateDtype, "neither file says which type of up to 8 bits it has");
  const bool two_bytes = actual.open_descr.ends_with("V2") || expected.open_descr.ends_with("V2");
  return two_bytes && actual.open_descr != expected.open_descr ? std::optional(DType::bfloat16) : std::nullopt;
}

Value settled(LoadedTensor loaded, std::optional<DType> dtype, std::vector<std::string>& warnings) {
  return dtype ? settle(std::move(loaded), *dtype) : settle_alone(std::move(loaded), warnings);
}

}  // namespace

std::vector<TensorPair> pair_tensors(const std::string& actual, const std::string& expected) {
  const TensorSource sources[] = {TensorSource::alone(actual), TensorSource::alone(expected)};
  const TensorSource::File &a = *sources[0].file(), &e = *sources[1].file();
  if (is_collection(a) != is_collection(e)) {
    // An archive of one array is as good as that array.
    if (is_named_folder(a) || is_named_folder(e)) {
      const fs::path &folder = (is_named_folder(a) ? a : e).path, &other = (is_named_folder(a) ? e : a).path;
      std::error_code ignored;
      if (other != "-" && !fs::exists(other, ignored)) fail(Fault::system, "no such file: {}", shown(other));
      if (!has_elements(folder)) fail(Fault::usage, "{} is a folder, but {} is not", shown(folder), shown(other));
    }
  } else if (is_collection(a)) {
    std::map<std::string, TensorPair> pairs;
    for (auto& [name, found] : collect(a).tensors) pairs[name] = {name, found.source, {}, found.trouble};
    for (auto& [name, found] : collect(e).tensors) {
      TensorPair& pair = pairs[name];
      pair.name = name;
      pair.expected = found.source;
      if (!pair.trouble) pair.trouble = found.trouble;
    }
    if (pairs.empty()) fail(Fault::usage, "there are no tensors in {} and {}", shown(a.path), shown(e.path));
    std::vector<TensorPair> list;
    for (auto& [name, pair] : pairs) list.push_back(std::move(pair));
    return list;
  }
  if (actual == "-" && expected == "-") fail(Fault::usage, "only one of the two can be standard input");
  return {{actual, sources[0], sources[1]}};
}

ComparedPair compare_pair(const TensorPair& pair, const Tolerance& tolerance, std::optional<DType> dtype,
                          std::int64_t max_bytes, std::vector<std::string>& warnings) {
  if (pair.trouble) throw *pair.trouble;
  ComparedPair compared{{}, tolerance};
  Comparison& comparison = compared.comparison;
  if (!pair.actual || !pair.expected) {
    comparison.reason = format("missing in {}", pair.actual ? "expected" : "actual");
    return compared;
  }
  LoadedTensor actual = load(*pair.actual, max_bytes);
  LoadedTensor expected = load(*pair.expected, max_bytes - byte_size(actual.value));
  for (const LoadedTensor* loaded : {&actual, &expected})
    if (dtype && !loaded->open_descr.empty() && !descr_can_be(loaded->open_descr, *dtype))
      fail(Fault::usage, "the elements of {} cannot be {}, by their descr '{}'", loaded->origin, *dtype,
           loaded->open_descr);
  const std::optional<DType> common = common_type(actual, expected, dtype);
  if (common && ((is_byte_void(actual) && !descr_can_be(actual.open_descr, *common)) ||
                 (is_byte_void(expected) && !descr_can_be(expected.open_descr, *common)))) {
    comparison.reason = format("dtype {}, but {} is expected", type_text(actual), type_text(expected));
    return compared;
  }
  const Value a = settled(std::move(actual), common, warnings), e = settled(std::move(expected), common, warnings);
  compared.rule = rule_for(type_of(a).dtype(), type_of(e).dtype(), tolerance);
  comparison = compare_values(a, e, compared.rule);
  if (comparison.obstacle == Comparison::Obstacle::dtypes && !tolerance.ignore_dtype) {
    Tolerance any_dtype = tolerance;
    any_dtype.ignore_dtype = true;
    if (compare_values(a, e, any_dtype).equal()) comparison.reason += ", and the values are equal";
  }
  return compared;
}

}  // namespace opref::check
