// SPDX-License-Identifier: Apache-2.0
// Where a tensor's values come from, and reading them.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/alternatives.h"
#include "core/error.h"
#include "core/tensor.h"
#include "core/value_type.h"
#include "io/generate.h"
#include "schema/node.h"

namespace opref::io {

/// The element type that a file leaves open.
inline constexpr Remedy kStateDtype{"state_dtype"};

/// Numbers as text, in C order, as JSON or the command line write them; rounded once, to the type they get.
struct Literal {
  Dims shape;
  std::vector<std::string> elements;  ///< "1.5", "NaN", "-Inf", "0x7fc1" (the element's bits), "true"
  Fault fault = Fault::usage;         ///< of elements that are none of their type; `malformed` where a file has them
};

/// Who names a file: beside it a type and a shape can be stated. Decides what messages advise: NAME:float32=FILE,
/// --dtype (of a file that is bound to no name) or the "dtype" of a JSON case.
enum class StatedBy : std::uint8_t { argument, option, json };

class NpzArchive;

/// The .npz that was opened last. Sources that name one array after another of an archive share one, so that it is
/// opened once for all of them. One thread at a time may use it.
class LastArchive {
 public:
  /// `path` as an archive, opened if it is another one than the last. More than `max_bytes` of a file that `may_change`
  /// are refused before they are read. Faults: those of reading a file and of NpzArchive.
  const std::shared_ptr<NpzArchive>& open(const std::filesystem::path& path, bool may_change = false,
                                          std::int64_t max_bytes = INT64_MAX);
  void keep(const std::filesystem::path& path, std::shared_ptr<NpzArchive> archive);

 private:
  std::filesystem::path path_;
  std::shared_ptr<NpzArchive> archive_;
};

/// A value that has not been read yet. An .npz of arrays 0, 1, … and a folder of 0.npy, 1.npy, … (or .pb) are a
/// sequence.
struct TensorSource {
  /// No values: dtype and shape are all that is known.
  struct Type {
    /// Instead of `shape`: a size may be a symbol, or be open.
    std::optional<std::vector<DeclaredDim>> open_shape;
  };
  struct File {
    std::filesystem::path path = {};  ///< .npy, .npz, .pb, .json (maps), a folder, or raw bytes where a shape is stated
    std::string member = {};          ///< of an .npz
    StatedBy stated_by = StatedBy::argument;
    bool may_change = false;  ///< another program may still write to it: it is read into memory, not mapped
    std::shared_ptr<LastArchive> last_archive = {};  ///< shared with others that read from the same .npz
  };
  /// What is loaded already (an initializer), or has a reader of its own.
  struct Loaded {
    /// The value; tensors of more than so many bytes together are refused before they are allocated.
    std::function<Value(std::int64_t max_bytes)> read;
    std::vector<std::filesystem::path> files = {};  ///< that `read` opens, beside the node's own

    Value decode(std::int64_t max_bytes = INT64_MAX) const { return read(max_bytes); }
  };

  Alternatives<Type, File, Literal, Fill, Loaded> from = {};  ///< with a Fill the shape is stated
  std::optional<DType> dtype = {};                            ///< stated beside it
  std::optional<DType> open_dtype = {};                       ///< of elements whose type the file leaves open
  std::optional<Dims> shape = {};                             ///< stated beside it
  Form form = Form::tensor;  ///< stated beside it: of an optional without an element nothing else says it
  DType key = DType::int64;  ///< the same of maps, whose form is stated with it

  /// "x.npy", "x.npz:member"
  static TensorSource of_file(std::string_view name);
  /// The same of a file on its own, which is bound to nothing.
  static TensorSource alone(std::string_view name);
  bool has_values() const { return !std::holds_alternative<Type>(from); }
  /// Null where all sizes are stated as numbers, or none are.
  const std::vector<DeclaredDim>* open_shape() const {
    const auto* type = std::get_if<Type>(&from);
    return type == nullptr || !type->open_shape ? nullptr : &*type->open_shape;
  }
  const File* file() const { return std::get_if<File>(&from); }
  const Literal* literal() const { return std::get_if<Literal>(&from); }
  const Fill* fill() const { return std::get_if<Fill>(&from); }
  const Loaded* loaded() const { return std::get_if<Loaded>(&from); }
};

/// The files and folders that reading the source opens; none of standard input.
std::vector<std::filesystem::path> files_of(const TensorSource& source);

/// What was read, before the node had a say in its type.
struct LoadedTensor {
  Value value;
  /// What a file that does not determine its element type calls it: "<V2", "<V1", "<u2" (`descr_can_be` says which
  /// types that can mean; until then `value` is bfloat16, uint8, uint16). Empty where `value` has its final type.
  std::string open_descr;
  std::optional<Literal> literal;           ///< of a literal without dtype: `value` is not yet made
  std::string origin;                       ///< for messages: "x.npy", "x.npz:a"; empty: no file
  StatedBy stated_by = StatedBy::argument;  ///< as the file's
  /// `value` has no tensor in it, and the file does not say of what type it would be: float32 stands for any.
  bool is_open_without_elements = false;
};

/// Reads the file or literal. What is no .npy (by content), .npz (by content) or .pb (by extension) is raw and needs a
/// stated dtype and shape. The file's name is the place of errors. Faults: `system` (no such file, elements of more
/// than `max_bytes` bytes, said before they are allocated, …), `malformed`, `unsupported`, `usage` (a stated dtype or
/// shape that the file contradicts, a literal that does not fit its dtype, an .npz with several arrays and no member
/// named).
/// `input` is the name that generated values depend on.
LoadedTensor load(const TensorSource& source, std::int64_t max_bytes = INT64_MAX, std::string_view input = "");

/// Gives a loaded tensor its final type, where that is open: `dtype` comes from the node. A file's type that cannot be
/// `dtype` is left as it is, for the operator's type constraints to refuse. Faults: `usage` (a literal that does not
/// fit; elements of one void byte, which are nothing without a type), `malformed` (bytes that are no 4- or 2-bit
/// element).
Value settle(LoadedTensor loaded, DType dtype);

/// The same where nothing is known about the type: V2 is bfloat16, with a warning, u2 is uint16, and what a .pb
/// without elements holds is float32, with a warning. Literals and one-byte void types are `usage` errors that say how
/// to state a type.
Value settle_alone(LoadedTensor loaded, std::vector<std::string>& warnings);

}  // namespace opref::io

extern template struct opref::core::Alternatives<opref::io::TensorSource::Type, opref::io::TensorSource::File,
                                                 opref::io::Literal, opref::io::Fill, opref::io::TensorSource::Loaded>;
