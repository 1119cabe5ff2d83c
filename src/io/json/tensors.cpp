// SPDX-License-Identifier: Apache-2.0
#include "io/json/tensors.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/error.h"
#include "core/map.h"
#include "io/generate.h"
#include "io/json/fields.h"
#include "io/json/maps.h"

namespace opref::io {
namespace {

[[noreturn]] void rank_too_large(const JsonValue& value) {
  fail(Fault::unsupported, "{} has more than {} axes", place(value), Dims::kCapacity);
}

}  // namespace

Dims read_shape(const JsonValue& value) {
  require_kind(value, JsonKind::list);
  if (value.size() > Dims::kCapacity) rank_too_large(value);
  Dims shape;
  for (const JsonValue size : value) shape.push_back(integer_of(size, 0));
  malformed_at(value, [&] { return element_count(shape); });
  return shape;
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 6> kTensorKeys = {"dtype", "shape", "file", "data", "fill", "seed"};
constexpr std::array<std::string_view, 3> kNamedElements = {"NaN", "Inf", "-Inf"};

bool is_named_element(std::string_view text) {
  if (std::ranges::find(kNamedElements, text) != kNamedElements.end()) return true;
  return text.size() > 2 && text.starts_with("0x") &&
         text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos;
}

}  // namespace

std::string element_text_of(const JsonValue& value, std::optional<DType> dtype) {
  const std::string_view text = value.text();
  const auto is_of = [&](Kind kind) { return dtype && info(*dtype).kind == kind; };
  if (is_of(Kind::string)) return string_of(value);
  if (value.kind() == JsonKind::string && is_generator(text))
    fail(Fault::malformed, R"({} is '{}', a generator: write "fill": "{}" and the "shape", and no "data")",
         place(value), text, text);
  const bool may_be_text = is_of(Kind::complex);  // "1+2j"
  if (value.kind() == JsonKind::string && !may_be_text && !is_named_element(text))
    fail(Fault::malformed,
         R"({} is '{}', but as a string an element is "NaN", "Inf", "-Inf" or its bits as in "0x7fc1"{})", place(value),
         printable(text), did_you_mean(text, kNamedElements));
  const bool single =
      value.kind() == JsonKind::string || value.kind() == JsonKind::number || value.kind() == JsonKind::boolean;
  if (!single) must_be(value, R"(a number, a boolean, "NaN", "Inf", "-Inf" or bits as in "0x7fc1")");
  return std::string(text);
}

namespace {

/// Reads nested lists of elements, or a single element.
class DataReader {
 public:
  explicit DataReader(std::optional<DType> dtype) : dtype_(dtype) {}

  Literal read(const JsonValue& data) {
    for (JsonValue first = data; first.kind() == JsonKind::list; first = *first.begin()) {
      if (literal_.shape.size() == Dims::kCapacity) rank_too_large(data);
      literal_.shape.push_back(static_cast<std::int64_t>(first.size()));
      if (first.size() == 0) break;
    }
    add(data, 0);
    literal_.fault = Fault::malformed;
    return std::move(literal_);
  }

 private:
  void add(const JsonValue& value, size_t depth) {
    const Dims& shape = literal_.shape;
    if (depth == shape.size()) {
      literal_.elements.push_back(element(value));
      return;
    }
    if (value.kind() != JsonKind::list) must_be(value, format("a list of {}, as the first beside it", shape[depth]));
    if (static_cast<std::int64_t>(value.size()) != shape[depth])
      fail(Fault::malformed, "{} has {}, but the first list beside it has {}", place(value),
           counted(static_cast<long long>(value.size()), "item"), shape[depth]);
    for (const JsonValue item : value) add(item, depth + 1);
  }

  std::string element(const JsonValue& value) const { return element_text_of(value, dtype_); }

  std::optional<DType> dtype_;
  Literal literal_;
};

/// Lists and what is in them as JSON writes them, but an ellipsis in place of a long text.
std::string json_text(const JsonValue& value) {
  constexpr size_t kMost = 200;
  if (value.kind() == JsonKind::string) return json_string(printable(value.text()));
  if (value.kind() == JsonKind::object) return "{…}";
  if (value.kind() != JsonKind::list) return std::string(value.text());
  std::string text = "[";
  for (const JsonValue item : value) {
    if (text.size() > 1) text += ',';
    text += json_text(item);
    if (text.size() > kMost) return "[…]";
  }
  return text + "]";
}

/// A tensor as a case writes it.
std::string object_of(const std::string& data) {
  return R"({"dtype": "float32", "data": )" + (data.empty() ? "[[1,2]]" : data) + "}";
}

/// Lists cannot say every shape ([0,3]) and are tedious for others: flat ones take any stated shape of their size.
void apply_stated_shape(Literal& literal, const Dims& stated, const JsonValue& tensor) {
  const bool fits = literal.shape.size() <= 1
                        ? static_cast<std::int64_t>(literal.elements.size()) == element_count(stated)
                        : literal.shape == stated;
  if (!fits)
    fail(Fault::malformed, "'{}' is {}, but 'data' has shape {}", required(tensor, "shape").path(), stated,
         literal.shape);
  literal.shape = stated;
}

TensorSource::File read_file_name(const JsonValue& value, const fs::path& folder) {
  std::string name = string_of(value);
  TensorSource::File file;
  if (const size_t npz = name.rfind(".npz:"); npz != std::string::npos) {
    file.member = name.substr(npz + 5);
    name.resize(npz + 4);
    if (file.member.empty()) fail(Fault::malformed, "{} names no member after '.npz:'", place(value));
  }
  if (name.empty() || name.find('\0') != std::string::npos)
    fail(Fault::malformed, "{} is '{}', which is no file name", place(value), printable(name));
  file.path = folder / name;
  if (file.path == "-") file.path = fs::path(".") / name;  // a bare one would be standard input
  file.stated_by = StatedBy::json;
  return file;
}

void read_fill(TensorSource& source, const JsonValue& value, const TensorsOf& all) {
  const auto fill = value.find("fill"), seed = value.find("seed");
  if (!fill && seed) fail(Fault::malformed, "{} has a 'seed', but no 'fill'", place(value));
  if (!fill) return;
  if (value.find("file") || value.find("data"))
    fail(Fault::malformed, "{} has 'fill' beside 'file' or 'data'", place(value));
  if (all.values == Values::compulsory)
    fail(Fault::malformed, "{}: what is expected cannot be generated", place(*fill));
  if (!source.shape) fail(Fault::malformed, "{} has 'fill', but no 'shape'", place(value));
  const std::string generator = string_of(*fill);
  malformed_at(*fill, [&] {
    if (source.dtype) require_generates(generator, *source.dtype);
  });
  // An operator may have it: whoever knows the node looks.
  source.from = Fill{generator, seed ? unsigned_of(*seed) : all.seed};
}

DType read_dtype(const JsonValue& value) {
  const std::string name = string_of(value);
  return malformed_at(value, [&] { return parse_dtype(name); });
}

}  // namespace

TensorSource read_tensor(const JsonValue& value, const TensorsOf& all) {
  const auto& [folder, values, ignored, dtype_of_all] = all;
  TensorSource source;
  source.dtype = dtype_of_all;
  if (value.kind() == JsonKind::string) {
    source.from = read_file_name(value, folder);
    return source;
  }
  if (value.kind() != JsonKind::object)
    must_be(value, format("a file name or an object, as {} is",
                          object_of(value.kind() == JsonKind::null ? "" : json_text(value))));
  require_known_keys(value, kTensorKeys);
  if (const auto dtype = value.find("dtype")) source.dtype = read_dtype(*dtype);
  if (const auto shape = value.find("shape")) source.shape = read_shape(*shape);
  read_fill(source, value, all);
  const auto file = value.find("file"), data = value.find("data");
  if (file && data) fail(Fault::malformed, "{} has both 'file' and 'data'", place(value));
  if (file) {
    source.from = read_file_name(*file, folder);
    if (source.shape && !source.dtype)
      fail(Fault::malformed, "{} has a 'shape', as for raw bytes, but no 'dtype'", place(value));
  } else if (data) {
    Literal literal = DataReader(source.dtype).read(*data);
    if (source.shape) apply_stated_shape(literal, *source.shape, value);
    source.from = std::move(literal);
  } else if (values == Values::compulsory) {
    fail(Fault::malformed, "{} has neither 'file' nor 'data'", place(value));
  } else if (!source.has_values() && (!source.dtype || !source.shape)) {
    fail(Fault::malformed, "{} has neither 'file' nor 'data' nor both 'dtype' and 'shape'", place(value));
  }
  return source;
}

namespace {

/// A sequence whose tensors are not read yet.
struct SequenceSource {
  std::optional<DType> dtype;  ///< stated of all; else that of the first tensor which has one
  std::vector<NamedSource> elements;

  Sequence load(std::int64_t max_bytes) const {
    std::vector<LoadedTensor> loaded;
    std::optional<DType> type = dtype;
    for (const NamedSource& element : elements) {
      loaded.push_back(io::load(element.source, max_bytes, element.name));
      const Tensor* tensor = loaded.back().value.tensor();
      if (tensor == nullptr) fail(Fault::malformed, "'{}' is no tensor, but in a sequence", printable(element.name));
      max_bytes -= byte_size(tensor->type()) + kSequenceElementBytes;
      if (!type && !loaded.back().literal && loaded.back().open_descr.empty()) type = tensor->dtype();
    }
    if (!type) fail(Fault::malformed, "a sequence needs a 'dtype', which none of its tensors states");
    Sequence sequence{*type};
    for (size_t i = 0; i < loaded.size(); ++i) {
      sequence.elements.push_back(std::get<Tensor>(settle(std::move(loaded[i]), *type)));
      if (sequence.elements.back().dtype() != *type)
        fail(Fault::malformed, "'{}' has type {}, but is in a sequence of {}", printable(elements[i].name),
             sequence.elements.back().dtype(), *type);
    }
    return sequence;
  }
};

SequenceSource read_sequence(const std::string& name, const JsonValue& value, const TensorsOf& all) {
  constexpr std::array<std::string_view, 2> kKeys = {"sequence", "dtype"};
  require_known_keys(value, kKeys);
  const JsonValue list = required(value, "sequence");
  require_kind(list, JsonKind::list);
  SequenceSource sequence{all.dtype, {}};
  if (const auto dtype = value.find("dtype")) sequence.dtype = read_dtype(*dtype);
  const TensorsOf of_sequence{all.folder, all.values, all.seed, sequence.dtype};
  for (const JsonValue item : list) {
    NamedSource element{name_in_list(name, sequence.elements.size()), read_tensor(item, of_sequence)};
    if (!element.source.has_values()) fail(Fault::malformed, "{} has no values, but is in a sequence", place(item));
    if (sequence.dtype && element.source.dtype != sequence.dtype)
      fail(Fault::malformed, "{} is {}, but the sequence is one of {}", place(item), *element.source.dtype,
           *sequence.dtype);
    if (const Fill* fill = element.source.fill(); fill != nullptr && !is_generator(fill->generator))
      malformed_at(item, [&] { unknown_generator(fill->generator, generator_names()); });
    sequence.elements.push_back(std::move(element));
  }
  if (sequence.elements.empty() && !sequence.dtype)
    fail(Fault::malformed, "{} is empty, so a 'dtype' must say of what", place(list));
  return sequence;
}

/// "float32", "sequence of float32"
std::pair<Form, DType> read_optional_type(const JsonValue& value) {
  const std::string text = string_of(value);
  const bool of_sequence = text.starts_with(prefix(Form::sequence));
  const std::string dtype = text.substr(of_sequence ? prefix(Form::sequence).size() : 0);
  return {of_sequence ? Form::optional_sequence : Form::optional,
          malformed_at(value, [&] { return parse_dtype(dtype); })};
}

/// The element of an optional: a tensor or a sequence.
Value load_element(const TensorSource& element, std::string_view name, std::int64_t max_bytes) {
  LoadedTensor loaded = load(element, max_bytes, name);
  if (loaded.literal || !loaded.open_descr.empty())
    fail(Fault::malformed, "an optional needs a 'type', which its tensor does not state");
  if (std::holds_alternative<Optional>(loaded.value))
    fail(Fault::malformed, "'{}' is an optional in an optional", printable(name));
  if (const ValueType type = type_of(loaded.value); is_of_maps(type.form))
    fail(Fault::unsupported, "'{}' is an optional of a {}, which there is none of", printable(name), type);
  return std::move(loaded.value);
}

Optional optional_of(Value element, std::optional<std::pair<Form, DType>> stated) {
  const ValueType type = type_of(element);
  const Form form = type.form == Form::sequence ? Form::optional_sequence : Form::optional;
  if (stated && (stated->first != form || stated->second != type.dtype()))
    fail(Fault::malformed, "the optional holds {}{}, but is stated as {}{}", prefix(type.form), type.dtype(),
         prefix(stated->first == Form::optional_sequence ? Form::sequence : Form::tensor), stated->second);
  if (auto* sequence = std::get_if<Sequence>(&element)) return {type.dtype(), std::move(*sequence)};
  return {type.dtype(), std::get<Tensor>(std::move(element))};
}

/// As a map, if that is what they can be.
Map map_of_values(const Value& keys, const Value& values, std::string_view name) {
  const Tensor *k = keys.tensor(), *v = values.tensor();
  const bool fits = k != nullptr && v != nullptr && is_key_type(k->dtype()) && k->shape().size() == 1;
  if (!fits || v->shape() != k->shape())
    fail(Fault::malformed,
         "'{}' has keys of {} and values of {}, but a map has a list of integers or strings and a list of as many "
         "values",
         printable(name), type_of(keys), type_of(values));
  return map_of(*k, *v);
}

TensorSource read_value(const std::string& name, const JsonValue& value, const TensorsOf& all);

TensorSource read_optional(const std::string& name, const JsonValue& value, const TensorsOf& all) {
  constexpr std::array<std::string_view, 2> kKeys = {"optional", "type"};
  require_known_keys(value, kKeys);
  const JsonValue held = required(value, "optional");
  std::optional<std::pair<Form, DType>> type;
  if (const auto stated = value.find("type")) type = read_optional_type(*stated);
  TensorSource source;
  if (held.kind() == JsonKind::null) {
    if (!type) fail(Fault::malformed, "{} has no element, so a 'type' must say of what", place(value));
    source.form = type->first;
    source.from = TensorSource::Loaded{[dtype = type->second](std::int64_t) -> Value { return Optional{dtype}; }};
    return source;
  }
  if (held.find("optional")) fail(Fault::malformed, "{} is an optional in an optional", place(held));
  TensorsOf of_type = all;
  if (type) of_type.dtype = type->second;
  TensorSource element = read_value(name, held, of_type);
  if (!element.has_values()) fail(Fault::malformed, "{} has no values, but is in an optional", place(held));
  std::vector<fs::path> files = files_of(element);
  source.from = TensorSource::Loaded{[element = std::move(element), type, name](std::int64_t max_bytes) -> Value {
                                       return optional_of(load_element(element, name, max_bytes), type);
                                     },
                                     std::move(files)};
  return source;
}

/// A map of keys and values that are stated as tensors.
TensorSource read_keys_and_values(const std::string& name, const JsonValue& value, const TensorsOf& all) {
  constexpr std::array<std::string_view, 2> kKeys = {"keys", "values"};
  require_known_keys(value, kKeys);
  std::vector<NamedSource> parts;
  std::vector<fs::path> files;
  for (const std::string_view key : kKeys) {
    const JsonValue part = required(value, key);
    parts.push_back({format("{}_{}", name, key), read_tensor(part, all)});
    const TensorSource& source = parts.back().source;
    if (!source.has_values()) fail(Fault::malformed, "{} has no values, but is in a map", place(part));
    if (source.literal() != nullptr && !source.dtype)
      fail(Fault::malformed, "{} has values without a type: state it as in \"dtype\": \"int64\"", place(part));
    for (fs::path& file : files_of(source)) files.push_back(std::move(file));
  }
  return {TensorSource::Loaded{[parts = std::move(parts), name](std::int64_t max_bytes) -> Value {
                                 std::vector<std::string> ignored;
                                 const Value keys =
                                     settle_alone(io::load(parts[0].source, max_bytes, parts[0].name), ignored);
                                 const Value values = settle_alone(
                                     io::load(parts[1].source, max_bytes - byte_size(keys), parts[1].name), ignored);
                                 return map_of_values(keys, values, name);
                               },
                               std::move(files)}};
}

/// A tensor, a sequence, a map or an optional.
TensorSource read_value(const std::string& name, const JsonValue& value, const TensorsOf& all) {
  if (value.find("map")) {
    const Value maps = read_map_member(value);
    return {TensorSource::Loaded{[maps](std::int64_t) { return maps; }}};
  }
  if (value.find("keys")) return read_keys_and_values(name, value, all);
  if (value.find("optional")) return read_optional(name, value, all);
  if (!value.find("sequence")) return read_tensor(value, all);
  SequenceSource sequence = read_sequence(name, value, all);
  std::vector<fs::path> files;
  for (const NamedSource& element : sequence.elements)
    for (fs::path& file : files_of(element.source)) files.push_back(std::move(file));
  return {TensorSource::Loaded{
      [sequence = std::move(sequence)](std::int64_t max_bytes) -> Value { return sequence.load(max_bytes); },
      std::move(files)}};
}

/// Whether the list is meant as values: its first element is one.
bool holds_numbers(const JsonValue& list) {
  JsonValue first = list;
  while (first.kind() == JsonKind::list && first.size() > 0) first = *first.begin();
  return first.kind() == JsonKind::number || first.kind() == JsonKind::boolean;
}

/// The tensors of a variadic parameter.
void add_list(std::vector<NamedSource>& tensors, const std::string& name, const JsonValue& list, const TensorsOf& all) {
  if (list.size() == 0) fail(Fault::malformed, "{} has no tensors: leave it out", place(list));
  if (holds_numbers(list))
    fail(Fault::malformed, "{} has values without a type: state it as in {}: {}", place(list), json_string(name),
         object_of(json_text(list)));
  size_t number = 0;
  for (const JsonValue item : list) {
    const std::string own = name_in_list(name, number++);
    tensors.push_back({own, read_value(own, item, all), name});
  }
}

}  // namespace

std::vector<NamedSource> read_tensors(const JsonValue& document, std::string_view key, const TensorsOf& all) {
  std::vector<NamedSource> tensors;
  const auto object = document.find(key);
  if (!object) return tensors;
  if (object->kind() != JsonKind::object) must_be(*object, R"(an object, as {"X": "x.npy"} is, with names as keys)");
  for (const JsonValue member : *object) {
    const std::string name(member.key());
    if (name.empty()) fail(Fault::malformed, "{} has a tensor without a name", place(*object));
    if (member.kind() == JsonKind::list)
      add_list(tensors, name, member, all);
    else
      tensors.push_back({name, read_value(name, member, all)});
  }
  return tensors;
}

}  // namespace opref::io
