// SPDX-License-Identifier: Apache-2.0
#include "io/tensor_source.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "io/elements.h"
#include "io/foreign_file.h"
#include "io/json/maps.h"
#include "io/literal.h"
#include "io/numpy/npy.h"
#include "io/onnx/onnx.h"
#include "io/safetensors.h"
#include "io/torch/torch.h"
#include "system/file.h"
#include "system/folder.h"

namespace opref::io {
namespace {

namespace fs = std::filesystem;

enum class Format : std::uint8_t { npy, npz, onnx, json, safetensors, torch, raw };

/// The end of a sentence, by where a type can be stated; nothing where that is an option, which the program names.
std::string_view advice(StatedBy by, std::string_view argument, std::string_view json) {
  return by == StatedBy::argument ? argument : by == StatedBy::json ? json : std::string_view();
}

Remedy dtype_option(StatedBy by) { return by == StatedBy::option ? kStateDtype : kNoRemedy; }

/// "x.csv", or another text of numbers: raw bytes are hardly ever that.
bool is_table(std::string_view extension, std::string_view content) {
  constexpr std::string_view kTables[] = {".csv", ".tsv", ".txt", ".dat"};
  const bool is_text = std::ranges::none_of(content.substr(0, 4096), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x7f || (byte < 0x20 && c != '\t' && c != '\n' && c != '\r');
  });
  const std::string_view begin = content.substr(0, 4096);
  const bool are_numbers = begin.find_first_not_of("0123456789+-.eE,;[]() \t\r\n") == std::string_view::npos &&
                           begin.find_first_of(",; \t\n") != std::string_view::npos;
  return !content.empty() && is_text && (are_numbers || std::ranges::find(kTables, extension) != std::end(kTables));
}

/// It begins with a pickled number.
bool is_old_torch(std::string_view content) {
  return content.starts_with("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19");
}

/// A stated shape makes any file raw, unless its name says what it is; otherwise content decides before the name.
Format format_of(const TensorSource& source, std::string_view content) {
  const std::string extension = source.file()->path.extension().string();
  const bool named = extension == ".npy" || extension == ".npz" || extension == ".pb";
  if (extension == ".json") return Format::json;
  if (source.shape && !named) return Format::raw;
  if (content.starts_with("\x93NUMPY")) return Format::npy;
  const bool is_torch = extension == ".pt" || extension == ".pth" || extension == ".ckpt";
  if (content.starts_with("PK\x03\x04") || content.starts_with("PK\x05\x06"))
    return is_torch ? Format::torch : Format::npz;
  if (is_torch && is_old_torch(content))
    fail(Fault::unsupported, "the file is of PyTorch before 1.6: load it, and save it again with torch.save");
  require_no_foreign_file(content);
  if (extension == ".safetensors" || (!named && is_safetensors(content))) return Format::safetensors;
  if (named) return extension == ".npy" ? Format::npy : extension == ".npz" ? Format::npz : Format::onnx;
  if (is_table(extension, content))
    fail(Fault::usage, "the file is text, which is not read: save the tensor with numpy.save");
  fail(Fault::usage, "the file is neither .npy, .npz, .pb, .pt nor .safetensors{}",
       advice(source.file()->stated_by, "; raw bytes need a type and a shape: NAME:float32[1,3]=FILE",
              R"(; raw bytes need "dtype" and "shape" beside "file")"));
}

[[noreturn]] void fail_without_elements(const TensorSource& source, std::string_view what) {
  const StatedBy by = source.file()->stated_by;
  fail(Fault::usage, dtype_option(by), "{}, so nothing says of what type they would be{}", what,
       advice(by, ": state it as in NAME:float32=FILE", R"(: state it as in "dtype": "float32")"));
}

/// The elements of a sequence, each with a type: its own, or the one that is stated for all.
Sequence load_elements(const TensorSource& source, std::vector<TensorSource> elements, std::int64_t max_bytes) {
  Sequence sequence;
  for (TensorSource& element : elements) {
    element.dtype = source.dtype;
    element.open_dtype = source.open_dtype;
    LoadedTensor loaded = load(element, max_bytes);
    const Tensor* tensor = loaded.value.tensor();
    if (tensor == nullptr)
      fail(Fault::unsupported, "element {} of the sequence is no tensor", sequence.elements.size());
    if (!loaded.open_descr.empty())
      fail(Fault::usage, dtype_option(source.file()->stated_by), "descr '{}' of element {} does not say its type{}",
           loaded.open_descr, sequence.elements.size(),
           advice(source.file()->stated_by, ": state it as in NAME:bfloat16=FILE",
                  R"(: state it as in "dtype": "bfloat16")"));
    if (!sequence.elements.empty() && tensor->dtype() != sequence.dtype)
      fail(Fault::malformed, "element 0 of the sequence is {}, but element {} is {}", sequence.dtype,
           sequence.elements.size(), tensor->dtype());
    sequence.dtype = tensor->dtype();
    max_bytes -= byte_size(tensor->type()) + kSequenceElementBytes;
    sequence.elements.push_back(*tensor);
  }
  if (sequence.elements.empty()) {
    if (!source.dtype && !source.open_dtype) fail_without_elements(source, "the sequence has no tensors");
    sequence.dtype = source.dtype ? *source.dtype : *source.open_dtype;
  }
  return sequence;
}

/// A folder of 0.npy, 1.npy, … (or .pb) is a sequence.
Sequence load_folder(const TensorSource& source, std::int64_t max_bytes) {
  const fs::path& folder = source.file()->path;
  std::vector<TensorSource> elements;
  const auto count = static_cast<std::int64_t>(entries_of(folder).size());
  if (count == 0 && !source.dtype && !source.open_dtype)
    fail_without_elements(source, "the folder is empty; one tensor is a file, and this sequence has no tensors");
  for (std::int64_t i = 0; i < count; ++i) {
    fs::path file = folder / format("{}.npy", i);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) file.replace_extension(".pb");
    if (i == 0 && !fs::exists(file, ignored))
      for (const std::string_view model : {"model.onnx", "layer.xml", "model.xml"})
        if (fs::exists(folder / model, ignored))
          fail(Fault::usage, "the folder is a case, no tensor: its model is {}", shown(folder / model));
    if (!fs::exists(file, ignored))
      fail(Fault::malformed,
           "a folder stands for a sequence, of files 0.npy, 1.npy, … (or .pb), but in this one there is no {}.npy; "
           "for one tensor name a file",
           i);
    elements.push_back({TensorSource::File{std::move(file), "", source.file()->stated_by, source.file()->may_change}});
  }
  return load_elements(source, std::move(elements), max_bytes);
}

/// Whether the arrays of an .npz are called 0, 1, …: then it is a sequence.
bool is_numbered(const NpzArchive& archive) {
  const size_t count = archive.arrays().size();
  for (size_t i = 0; i < count; ++i)
    if (!archive.has_array(std::to_string(i))) return false;
  return count > 0;
}

Sequence load_numbered(const TensorSource& source, const std::shared_ptr<NpzArchive>& archive, std::int64_t max_bytes) {
  TensorSource::File file = *source.file();
  file.last_archive = std::make_shared<LastArchive>();
  file.last_archive->keep(file.path, archive);
  std::vector<TensorSource> elements;
  for (size_t i = 0; i < archive->arrays().size(); ++i) {
    file.member = std::to_string(i);
    elements.push_back({file});
  }
  return load_elements(source, std::move(elements), max_bytes);
}

LoadedTensor load_npz(const TensorSource& source, const FileBytes& file, std::int64_t max_bytes) {
  const auto archive = std::make_shared<NpzArchive>(file);
  const std::string& stated = source.file()->member;
  if (!stated.empty()) return archive->read(stated, max_bytes);
  const std::vector<std::string>& members = archive->arrays();
  if (is_numbered(*archive) || (members.empty() && (source.dtype || source.open_dtype))) {
    LoadedTensor loaded;
    loaded.value = load_numbered(source, archive, max_bytes);
    return loaded;
  }
  if (members.size() == 1) return archive->read(members.front(), max_bytes);
  if (members.empty() && is_torch_archive(file))
    fail(Fault::usage, "the file is one of torch.save: name it with .pt at its end");
  if (members.empty()) fail_without_elements(source, "the .npz has no arrays");
  fail(Fault::usage, "the .npz has {} arrays: name one of {}, as in FILE.npz:{}", members.size(),
       printable_names(members), printable(members.front()));
}

Tensor load_raw(const TensorSource& source, const FileBytes& file, std::int64_t max_bytes) {
  if (!source.dtype) fail(Fault::usage, "raw bytes need a type beside the shape {}", *source.shape);
  const TensorType type{*source.dtype, *source.shape};
  if (type.dtype == DType::string) fail(Fault::unsupported, "strings are not read from raw bytes");
  const std::int64_t size = byte_size(type);
  if (static_cast<std::int64_t>(file.bytes.size()) != size)
    fail(Fault::malformed, "{} takes {}, but the file has {}", type, counted(size, "byte"), file.bytes.size());
  require_bytes(type, max_bytes);
  return tensor_from_bytes(type, file.bytes, file.owner);
}

/// A .pb does not say which kind of value it is: what is no tensor may be a sequence or an optional.
Value read_any_onnx_value(const FileBytes& file, std::int64_t max_bytes) {
  try {
    return read_onnx_value(file, {}, max_bytes);
  } catch (const Error& no_tensor) {  // of any fault: a sequence's name can be read as sizes
    const auto read_as = [&](Form form) {
      return read_onnx_value(file, {.name = "", .type_text = "", .dtype = {}, .dims = {}, .form = form}, max_bytes);
    };
    for (const Form form : {Form::sequence, Form::optional}) {
      try {
        return read_as(form);
      } catch (const Error& other) {
        if (other.fault() == Fault::system) throw;
      }
    }
    if (const Form form = likely_form_of_maps(file); form != Form::tensor) return read_as(form);
    throw no_tensor;
  }
}

/// A .pb whose form is stated beside it.
Value read_stated_onnx_value(const TensorSource& source, const FileBytes& file, std::int64_t max_bytes) {
  return read_onnx_value(
      file, {.name = "", .type_text = "", .dtype = source.dtype, .dims = {}, .form = source.form, .key = source.key},
      max_bytes);
}

/// Of a value without elements.
void set_type_without_elements(Value& value, DType dtype) {
  if (auto* sequence = std::get_if<Sequence>(&value)) sequence->dtype = dtype;
  if (auto* map = std::get_if<Map>(&value)) map->values = Tensor({dtype, Dims{0}}, nullptr);
  if (auto* maps = std::get_if<MapSequence>(&value)) maps->dtype = dtype;
  if (auto* optional = std::get_if<Optional>(&value)) {
    optional->dtype = dtype;
    if (auto* sequence = std::get_if<Sequence>(&optional->element)) sequence->dtype = dtype;
  }
}

/// Whether no tensor in it says of which type the value is: a map's keys do not.
bool has_no_elements(const Value& value) {
  const auto* map = std::get_if<Map>(&value);
  return map != nullptr ? map->keys.count() == 0 : value.tensor() == nullptr && tensors_in(value).empty();
}

/// Compares with the type that is stated beside the file.
void require_stated_kind(const TensorSource& source, const Value& value) {
  const ValueType type = type_of(value), stated(source.form, source.dtype.value_or(type.dtype()), source.key);
  if (is_of_maps(source.form) && type != stated)
    fail(Fault::usage, "the file has {}, but {} is stated", kind_text(type), stated);
  if (is_of_maps(type.form) && !is_of_maps(source.form) && source.dtype && *source.dtype != type.dtype())
    fail(Fault::usage, "the file has {}, but {} is stated", type, *source.dtype);
}

/// The elements as the stated type has them, else with their type open.
LoadedTensor load_literal(const TensorSource& source, const Literal& literal, std::int64_t max_bytes) {
  LoadedTensor loaded;
  if (source.shape && *source.shape != literal.shape)
    fail(Fault::usage, "the values have shape {}, but {} is stated", literal.shape, *source.shape);
  if (source.dtype) require_bytes({*source.dtype, literal.shape}, max_bytes);
  if (source.dtype)
    loaded.value = make_tensor(literal, *source.dtype);
  else
    loaded.literal = literal;
  return loaded;
}

/// Whether JSON is a list of numbers, texts or lists, which is a tensor.
bool is_list_document(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\xef\xbb\xbf";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos || text[first] != '[') return false;
  const size_t second = text.find_first_not_of(kSpace, first + 1);
  return second == std::string_view::npos || text[second] != '{';
}

LoadedTensor load_list(const TensorSource& source, std::string_view text, std::int64_t max_bytes) {
  text.remove_prefix(text.find('['));
  text.remove_suffix(text.size() - text.find_last_not_of(" \t\r\n") - 1);
  Literal literal = parse_literal(text);
  literal.fault = Fault::malformed;
  return load_literal(source, literal, max_bytes);
}

LoadedTensor load_content(const TensorSource& source, const FileBytes& file, std::int64_t max_bytes) {
  if (file.bytes.empty() && !source.shape) fail(Fault::malformed, "the file is empty");
  const Format format = format_of(source, file.text());
  const std::string& member = source.file()->member;
  const bool has_names = format == Format::npz || format == Format::torch || format == Format::safetensors;
  if (!member.empty() && !has_names)
    fail(Fault::usage, "the file is no .npz, so it has no member '{}'", printable(member));
  LoadedTensor loaded;
  switch (format) {
    case Format::npy:
      return read_npy(file, max_bytes);
    case Format::npz:
      return load_npz(source, file, max_bytes);
    case Format::onnx:
      loaded.value = is_of_maps(source.form) ? read_stated_onnx_value(source, file, max_bytes)
                                             : read_any_onnx_value(file, max_bytes);
      if (has_no_elements(loaded.value)) {
        loaded.is_open_without_elements = !source.dtype;
        if (source.dtype) set_type_without_elements(loaded.value, *source.dtype);
      }
      require_stated_kind(source, loaded.value);
      return loaded;
    case Format::json:
      if (is_list_document(file.text())) return load_list(source, file.text(), max_bytes);
      loaded.value = read_map_document(file.text());
      require_stated_kind(source, loaded.value);
      return loaded;
    case Format::safetensors:
      loaded.value = read_safetensors(file, member, max_bytes);
      return loaded;
    case Format::torch:
      loaded.value = read_torch(file, member, max_bytes);
      return loaded;
    case Format::raw:
      break;
  }
  loaded.value = load_raw(source, file, max_bytes);
  return loaded;
}

Tensor retyped(const LoadedTensor& loaded, DType dtype) {
  const Tensor& tensor = *loaded.value.tensor();
  return info(tensor.dtype()).bits == 8 ? retyped_bytes(tensor, dtype) : tensor.reinterpreted(dtype);
}

/// Compares with the type and shape that are stated beside the file; a stated type settles an open one.
void apply_stated_type(const TensorSource& source, LoadedTensor& loaded) {
  const Tensor* tensor = loaded.value.tensor();
  if (tensor == nullptr) return;
  if (source.shape && *source.shape != tensor->shape())
    fail(Fault::usage, "the file has shape {}, but {} is stated", tensor->shape(), *source.shape);
  if (!source.dtype && source.open_dtype && descr_can_be(loaded.open_descr, *source.open_dtype)) {
    loaded.value = retyped(loaded, *source.open_dtype);
    loaded.open_descr.clear();
  }
  if (!source.dtype) return;
  if (loaded.open_descr.empty()) {
    if (tensor->dtype() != *source.dtype)
      fail(Fault::usage, "the file has elements of type {}, but {} is stated", tensor->dtype(), *source.dtype);
    return;
  }
  if (!descr_can_be(loaded.open_descr, *source.dtype))
    fail(Fault::usage, "the file's descr '{}' cannot be {}, which is stated", loaded.open_descr, *source.dtype);
  loaded.value = retyped(loaded, *source.dtype);
  loaded.open_descr.clear();
}

LoadedTensor load_generated(const TensorSource& source, std::int64_t max_bytes, std::string_view input) {
  if (!source.dtype) fail(Fault::usage, "generated values need a type: NAME=float32[1,3]:normal");
  const TensorType type{*source.dtype, source.shape.value()};
  require_generates(source.fill()->generator, type.dtype);
  require_bytes(type, max_bytes);
  LoadedTensor loaded;
  loaded.value = generate(*source.fill(), input, type);
  return loaded;
}

FileBytes bytes_of(const fs::path& path, bool may_change, std::int64_t max_bytes) {
  return may_change ? read_into_memory(path, max_bytes) : read_file(path, max_bytes);
}

/// Runs `body` with the file as the place of its errors.
template <class Body>
decltype(auto) in_file(const std::string& origin, const Body& body) {
  if (origin.empty()) return body();
  return at_place([&] { return "in " + origin; }, body);
}

}  // namespace

TensorSource TensorSource::of_file(std::string_view name) {
  constexpr std::string_view kOfNames[] = {".npz:", ".safetensors:", ".pt:", ".pth:", ".ckpt:"};
  for (const std::string_view extension : kOfNames)
    if (const size_t at = name.rfind(extension); at != std::string_view::npos) {
      const size_t end = at + extension.size();
      return {File{name.substr(0, end - 1), std::string(name.substr(end))}};
    }
  return {File{name}};
}

TensorSource TensorSource::alone(std::string_view name) {
  TensorSource source = of_file(name);
  std::get<File>(source.from).stated_by = StatedBy::option;
  return source;
}

const std::shared_ptr<NpzArchive>& LastArchive::open(const fs::path& path, bool may_change, std::int64_t max_bytes) {
  if (archive_ == nullptr || path_ != path)
    keep(path, std::make_shared<NpzArchive>(bytes_of(path, may_change, max_bytes)));
  return archive_;
}

void LastArchive::keep(const fs::path& path, std::shared_ptr<NpzArchive> archive) {
  path_ = path;
  archive_ = std::move(archive);
}

std::vector<fs::path> files_of(const TensorSource& source) {
  if (const auto* known = source.loaded()) return known->files;
  if (source.file() == nullptr || source.file()->path == "-") return {};
  return {source.file()->path};
}

LoadedTensor load(const TensorSource& source, std::int64_t max_bytes, std::string_view input) {
  if (source.fill() != nullptr) return load_generated(source, max_bytes, input);
  if (source.literal() != nullptr) return load_literal(source, *source.literal(), max_bytes);
  if (const auto* known = source.loaded()) {
    LoadedTensor loaded;
    loaded.value = known->decode(max_bytes);
    apply_stated_type(source, loaded);
    return loaded;
  }
  if (source.file() == nullptr) fail(Fault::usage, "a type alone has no values: give NAME=FILE");
  const TensorSource::File& from = *source.file();
  LoadedTensor loaded;
  if (from.path != "-" && is_folder(from.path)) {
    loaded.value = in_file(shown(from.path), [&] { return load_folder(source, max_bytes); });
    return loaded;
  }
  const FileBytes file = from.last_archive ? FileBytes() : bytes_of(from.path, from.may_change, max_bytes);
  const std::string origin = shown(from.path) + (from.member.empty() ? "" : ":" + printable(from.member));
  loaded = in_file(origin, [&] {
    LoadedTensor content =
        from.last_archive ? from.last_archive->open(from.path, from.may_change, max_bytes)->read(from.member, max_bytes)
                          : load_content(source, file, max_bytes);
    apply_stated_type(source, content);
    return content;
  });
  loaded.origin = origin;
  loaded.stated_by = from.stated_by;
  return loaded;
}

Value settle(LoadedTensor loaded, DType dtype) {
  if (loaded.literal) return make_tensor(*loaded.literal, dtype);
  if (loaded.is_open_without_elements) set_type_without_elements(loaded.value, dtype);
  if (loaded.open_descr.empty()) return std::move(loaded.value);
  return in_file(loaded.origin, [&]() -> Value {
    if (descr_can_be(loaded.open_descr, dtype)) return retyped(loaded, dtype);
    if (loaded.open_descr.ends_with("V1"))
      fail(Fault::usage, "the file's descr '{}' cannot be {}, which the node asks for", loaded.open_descr, dtype);
    return std::move(loaded.value);
  });
}

namespace {

bool can_be(const LoadedTensor& loaded, DType dtype) {
  try {
    return settle(loaded, dtype), true;
  } catch (const Error&) {
    return false;
  }
}

/// The literal with a type, if it is short: "[0.5,2]:float32".
std::string typed_example(const LoadedTensor& loaded) {
  constexpr size_t kMost = 4, kLongest = 12;
  const Literal& literal = *loaded.literal;
  const bool is_short =
      literal.shape.size() <= 1 && !literal.elements.empty() && literal.elements.size() <= kMost &&
      std::ranges::all_of(literal.elements, [](const std::string& x) { return x.size() <= kLongest; });
  const bool is_number = can_be(loaded, DType::float32);
  if (!is_number && !can_be(loaded, DType::boolean)) return R"(NAME=["a","b"]:string)";
  if (!is_short) return "NAME=[[1,2],[3,4]]:float32";
  const std::string elements = join_text(literal.elements, ",");
  const bool is_shape = literal.elements.size() > 1 && std::ranges::all_of(literal.elements, [](const std::string& x) {
                          return x.find_first_not_of("0123456789") == std::string::npos;
                        });
  return format("{}:{}{}", literal.shape.empty() ? elements : "[" + elements + "]",
                is_number ? DType::float32 : DType::boolean,
                is_shape ? format(", or as a shape without values: float32[{}]", elements) : "");
}

}  // namespace

Value settle_alone(LoadedTensor loaded, std::vector<std::string>& warnings) {
  if (loaded.literal && !loaded.origin.empty())
    in_file(loaded.origin, [&]() -> Value {
      fail(Fault::usage, dtype_option(loaded.stated_by), "the file has values without a type{}",
           advice(loaded.stated_by, ": state it as in NAME:float32=FILE", R"(: state it as in "dtype": "float32")"));
    });
  if (loaded.literal && loaded.literal->fault == Fault::malformed)
    fail(Fault::malformed, R"(values without a type: state it beside "data", as in "dtype": "float32")");
  if (loaded.literal) fail(Fault::usage, "values without a type: state it as in {}", typed_example(loaded));
  return in_file(loaded.origin, [&]() -> Value {
    if (loaded.open_descr.ends_with("V1"))
      fail(Fault::usage, dtype_option(loaded.stated_by),
           "the file's descr '{}' can be any type of at most 8 bits (float8_e4m3fn, int4, …){}", loaded.open_descr,
           advice(loaded.stated_by, ": state it as in NAME:float8_e4m3fn=FILE",
                  R"(: state it as in "dtype": "float8_e4m3fn")"));
    if (loaded.open_descr.ends_with("V2"))
      warnings.push_back(format("{}: descr '{}' does not say the element type; it is read as bfloat16", loaded.origin,
                                loaded.open_descr));
    if (loaded.is_open_without_elements)
      warnings.push_back(
          format("{}: no element says of which type it is; it is read as {}{}", loaded.origin, type_of(loaded.value),
                 advice(loaded.stated_by, ": NAME:int64=FILE states another", R"(: "dtype": "int64" states another)")));
    return std::move(loaded.value);
  });
}

}  // namespace opref::io

template struct opref::core::Alternatives<opref::io::TensorSource::Type, opref::io::TensorSource::File,
                                          opref::io::Literal, opref::io::Fill, opref::io::TensorSource::Loaded>;
