// SPDX-License-Identifier: Apache-2.0
#include "io/torch/torch.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/index.h"
#include "io/elements.h"
#include "io/named_tensors.h"
#include "io/numpy/zip.h"
#include "io/torch/pickle.h"

namespace opref::io {
namespace {

using Kind = PickleValue::Kind;

constexpr std::string_view kPickle = "data.pkl";
constexpr std::string_view kRebuild = "torch._utils._rebuild_tensor_v2",
                           kRebuildTyped = "torch._utils._rebuild_tensor_v3",
                           kParameter = "torch._utils._rebuild_parameter", kDict = "collections.OrderedDict";

/// Of a storage's class, or of a dtype by its name in torch.
std::optional<DType> dtype_of(std::string_view name) {
  constexpr std::pair<std::string_view, DType> kTypes[] = {{"torch.DoubleStorage", DType::float64},
                                                           {"torch.FloatStorage", DType::float32},
                                                           {"torch.HalfStorage", DType::float16},
                                                           {"torch.BFloat16Storage", DType::bfloat16},
                                                           {"torch.LongStorage", DType::int64},
                                                           {"torch.IntStorage", DType::int32},
                                                           {"torch.ShortStorage", DType::int16},
                                                           {"torch.CharStorage", DType::int8},
                                                           {"torch.ByteStorage", DType::uint8},
                                                           {"torch.BoolStorage", DType::boolean},
                                                           {"torch.ComplexFloatStorage", DType::complex64},
                                                           {"torch.ComplexDoubleStorage", DType::complex128},
                                                           {"torch.float64", DType::float64},
                                                           {"torch.float32", DType::float32},
                                                           {"torch.float16", DType::float16},
                                                           {"torch.bfloat16", DType::bfloat16},
                                                           {"torch.int64", DType::int64},
                                                           {"torch.int32", DType::int32},
                                                           {"torch.int16", DType::int16},
                                                           {"torch.int8", DType::int8},
                                                           {"torch.uint8", DType::uint8},
                                                           {"torch.uint16", DType::uint16},
                                                           {"torch.uint32", DType::uint32},
                                                           {"torch.uint64", DType::uint64},
                                                           {"torch.bool", DType::boolean},
                                                           {"torch.float8_e4m3fn", DType::float8_e4m3fn},
                                                           {"torch.float8_e5m2", DType::float8_e5m2},
                                                           {"torch.float8_e4m3fnuz", DType::float8_e4m3fnuz},
                                                           {"torch.float8_e5m2fnuz", DType::float8_e5m2fnuz}};
  const auto* const found = std::ranges::find(kTypes, name, &std::pair<std::string_view, DType>::first);
  return found == std::end(kTypes) ? std::nullopt : std::optional(found->second);
}

bool may_name(std::string_view name) {
  return name == kRebuild || name == kRebuildTyped || name == kParameter || name == kDict ||
         name == "torch.storage.UntypedStorage" || dtype_of(name).has_value();
}

[[noreturn]] void broken(std::string_view what) {
  fail(Fault::malformed, "the pickle is none of torch.save: {}", what);
}

/// A tensor as the pickle has it.
struct Stored {
  DType dtype;
  std::string storage;  ///< the member's name after "data/"
  std::int64_t offset;  ///< in elements, as the strides
  Dims shape;
  std::vector<std::int64_t> strides;
};

/// Finds the tensors of a pickle with their keys, in its order.
class Finder {
 public:
  explicit Finder(const Pickle& pickle) : pickle_(pickle) { visit(pickle.result, "", 0); }

  std::vector<std::string> names;
  std::vector<std::size_t> calls;  ///< of each name

  Stored stored(std::size_t call) const {
    const PickleValue& arguments = pickle_.at(pickle_.at(call).items[1]);
    const bool is_typed = function_of(call) == kRebuildTyped;
    if (arguments.items.size() < (is_typed ? 7U : 4U)) broken("a tensor lacks its parts");
    const PickleValue& persistent = argument(arguments, 0, Kind::persistent);
    const PickleValue& id = pickle_.at(persistent.items[0]);
    if (id.kind != Kind::tuple || id.items.size() < 5 || pickle_.at(id.items[0]).text != "storage")
      broken("a storage lacks its parts");
    const std::string_view type = argument(is_typed ? arguments : id, is_typed ? 6 : 1, Kind::global).text;
    const std::optional<DType> dtype = dtype_of(type);
    if (!dtype) fail(Fault::unsupported, "the tensor has type {}, which is not read", printable(type));
    Stored stored{*dtype, argument(id, 2, Kind::text).text, argument(arguments, 1, Kind::integer).number, {}, {}};
    const PickleValue &sizes = argument(arguments, 2, Kind::tuple), &strides = argument(arguments, 3, Kind::tuple);
    if (sizes.items.size() > Dims::kCapacity || sizes.items.size() != strides.items.size() || stored.offset < 0)
      broken("a tensor's sizes and strides");
    for (std::size_t i = 0; i < sizes.items.size(); ++i) {
      const std::int64_t size = argument(sizes, i, Kind::integer).number;
      const std::int64_t stride = argument(strides, i, Kind::integer).number;
      if (size < 0 || stride < 0) broken("a tensor's sizes and strides");
      stored.shape.push_back(size);
      stored.strides.push_back(stride);
    }
    return stored;
  }

 private:
  const PickleValue& argument(const PickleValue& of, std::size_t place, Kind kind) const {
    const PickleValue& value = pickle_.at(of.items[place]);
    if (value.kind != kind) broken("a tensor's parts are of other kinds");
    return value;
  }
  const std::string& function_of(std::size_t call) const { return pickle_.at(pickle_.at(call).items[0]).text; }

  void visit(std::size_t place, const std::string& name, int depth) {
    constexpr int kDeepest = 64;
    constexpr std::size_t kMost = 1000000, kMostText = std::size_t{1} << 28;
    text_ += name.size();
    if (depth > kDeepest || ++visited_ > kMost || text_ > kMostText)
      fail(Fault::unsupported, "the pickle's dicts are nested more than {} deep, or have more than {} items", kDeepest,
           kMost);
    const PickleValue& value = pickle_.at(place);
    const auto inside = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
    if (value.kind == Kind::dict)
      for (std::size_t i = 0; i + 1 < value.items.size(); i += 2)
        visit(value.items[i + 1], inside(key_text(pickle_.at(value.items[i]))), depth + 1);
    if (value.kind == Kind::list || value.kind == Kind::tuple)
      for (std::size_t i = 0; i < value.items.size(); ++i) visit(value.items[i], inside(std::to_string(i)), depth + 1);
    if (value.kind == Kind::call) visit_call(place, name, depth);
  }

  void visit_call(std::size_t place, const std::string& name, int depth) {
    const std::string& function = function_of(place);
    const PickleValue& arguments = pickle_.at(pickle_.at(place).items[1]);
    if (function == kRebuild || function == kRebuildTyped) {
      names.push_back(name);
      calls.push_back(place);
    } else if (function == kParameter) {
      if (arguments.items.empty()) broken("a parameter has no tensor");
      visit(arguments.items[0], name, depth + 1);
    } else if (function != kDict) {
      fail(Fault::unsupported, "the pickle calls '{}': of a pickle only tensors and dicts are read",
           printable(function));
    }
  }

  static std::string key_text(const PickleValue& key) {
    return key.kind == Kind::integer ? std::to_string(key.number) : key.text;
  }

  const Pickle& pickle_;
  std::size_t visited_ = 0, text_ = 0;
};

/// The archive with what its members are called after: "archive/" before data.pkl.
class TorchArchive {
 public:
  explicit TorchArchive(const FileBytes& file) : zip_(file.bytes), file_size_(file.bytes.size()) {
    for (const std::string& name : zip_.names())
      if (name == kPickle || name.ends_with("/" + std::string(kPickle)))
        folder_ = name.substr(0, name.size() - kPickle.size());
  }

  bool has_pickle() const { return folder_.has_value(); }

  FileBytes member(const std::string& name) {
    const auto found = std::ranges::find(zip_.names(), *folder_ + name);
    if (found == zip_.names().end())
      fail(Fault::malformed, "the archive has no member '{}'", printable(*folder_ + name));
    const auto place = static_cast<std::size_t>(found - zip_.names().begin());
    const ZipArchive::Sizes sizes = zip_.sizes(place);
    if (sizes.method != ZipArchive::Method::stored)
      fail(Fault::unsupported, "the member '{}' is compressed, which torch.save does not do", printable(name));
    if (sizes.unpacked > file_size_) fail(Fault::malformed, "the member '{}' is larger than the file", printable(name));
    std::string bytes(static_cast<std::size_t>(sizes.unpacked), '\0');
    zip_.open(place);
    zip_.read(std::as_writable_bytes(std::span(bytes)));
    zip_.close();
    return in_memory(std::move(bytes));
  }

  bool holds(const std::string& name) const {
    return std::ranges::find(zip_.names(), *folder_ + name) != zip_.names().end();
  }

 private:
  ZipArchive zip_;
  std::size_t file_size_;
  std::optional<std::string> folder_;
};

bool is_contiguous(const Stored& stored) {
  std::int64_t step = 1;
  for (std::size_t axis = stored.strides.size(); axis-- > 0;) {
    if (stored.shape[axis] != 1 && stored.strides[axis] != step) return false;
    step = checked_multiply(step, stored.shape[axis]);
  }
  return true;
}

/// The elements in C order, wherever the strides say that they are.
std::string gathered(const Stored& stored, std::string_view from, std::size_t size, std::int64_t count) {
  std::string bytes;
  bytes.reserve(static_cast<std::size_t>(count) * size);
  std::vector<std::int64_t> index(stored.strides.size(), 0);
  std::int64_t at = stored.offset;
  for (std::int64_t i = 0; i < count; ++i) {
    bytes += from.substr(static_cast<std::size_t>(at) * size, size);
    for (std::size_t axis = index.size(); axis-- > 0;) {
      if (stored.shape[axis] == 1) continue;  // whose stride may be any number
      at += stored.strides[axis];
      if (++index[axis] < stored.shape[axis]) break;
      at -= stored.strides[axis] * stored.shape[axis];
      index[axis] = 0;
    }
  }
  return bytes;
}

Tensor tensor_of(const Stored& stored, const FileBytes& storage, std::int64_t max_bytes) {
  const TensorType type{stored.dtype, stored.shape};
  require_bytes(type, max_bytes);
  const std::int64_t count = element_count(type.shape);
  const auto size = static_cast<std::size_t>(info(stored.dtype).bits / 8);
  std::int64_t last = stored.offset;
  for (std::size_t axis = 0; axis < stored.strides.size() && count > 0; ++axis)
    last = checked_add(last, checked_multiply(stored.shape[axis] - 1, stored.strides[axis]));
  const std::size_t stored_count = storage.bytes.size() / size;
  if (count > 0 && static_cast<std::uint64_t>(last) >= stored_count)
    fail(Fault::malformed, "the tensor's last element is {} of its storage, which has {}", last, stored_count);
  if (count == 0) return tensor_from_bytes(type, {}, nullptr);
  if (is_contiguous(stored))
    return tensor_from_bytes(
        type,
        storage.bytes.subspan(static_cast<std::size_t>(stored.offset) * size, static_cast<std::size_t>(count) * size),
        storage.owner);
  const FileBytes copy = in_memory(gathered(stored, storage.text(), size, count));
  return tensor_from_bytes(type, copy.bytes, copy.owner);
}

/// The bytes of its data.pkl.
FileBytes pickle_in(TorchArchive& archive) {
  if (!archive.has_pickle()) fail(Fault::malformed, "the archive is none of torch.save: it has no data.pkl");
  if (archive.holds("byteorder") && archive.member("byteorder").text().starts_with("big"))
    fail(Fault::unsupported, "the file's numbers are in big endian");
  return archive.member(std::string(kPickle));
}

}  // namespace

bool is_torch_archive(const FileBytes& file) { return TorchArchive(file).has_pickle(); }

std::vector<std::string> names_of_torch(const FileBytes& file) {
  TorchArchive archive(file);
  const FileBytes bytes = pickle_in(archive);
  return Finder(read_pickle(bytes.bytes, may_name)).names;
}

Tensor read_torch(const FileBytes& file, std::string_view key, std::int64_t max_bytes) {
  TorchArchive archive(file);
  const FileBytes bytes = pickle_in(archive);
  const Pickle pickle = read_pickle(bytes.bytes, may_name);
  const Finder found(pickle);
  const Stored stored = found.stored(found.calls[named_tensor(found.names, key, ".pt")]);
  return tensor_of(stored, archive.member("data/" + stored.storage), max_bytes);
}

}  // namespace opref::io
