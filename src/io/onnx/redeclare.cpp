// SPDX-License-Identifier: Apache-2.0
#include "io/onnx/redeclare.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "core/error.h"
#include "io/onnx/message.h"
#include "io/onnx/type.h"
#include "io/onnx/write.h"

namespace opref::io {
namespace {

using Bytes = std::span<const std::byte>;

/// Bytes of a file, which are not copied, and others between them.
class Patchwork {
 public:
  Patchwork() = default;
  explicit Patchwork(std::string made) { add(Piece{std::move(made), {}}); }
  /// One field.
  Patchwork(const MessageField& field, const WireWriter& message)
      : Patchwork(head_of(field, message.size()) + message.bytes()) {}
  Patchwork(const MessageField& field, Patchwork message) : Patchwork(head_of(field, message.size_)) {
    add(std::move(message));
  }

  void keep(Bytes bytes) { add(Piece{{}, bytes}); }
  void add(Patchwork other) {
    for (Piece& piece : other.pieces_) add(std::move(piece));
  }

  size_t size() const { return size_; }
  void write(FileWriter& file) const {
    for (const Piece& piece : pieces_) {
      file.write(piece.made);
      file.write(piece.kept);
    }
  }

 private:
  /// `kept` behind `made`.
  struct Piece {
    std::string made;
    Bytes kept;
  };

  void add(Piece piece) {
    size_ += piece.made.size() + piece.kept.size();
    const bool goes_on = !pieces_.empty() && piece.made.empty() && !pieces_.back().kept.empty() &&
                         pieces_.back().kept.data() + pieces_.back().kept.size() == piece.kept.data();
    if (goes_on)
      pieces_.back().kept = {pieces_.back().kept.data(), pieces_.back().kept.size() + piece.kept.size()};
    else
      pieces_.push_back(std::move(piece));
  }

  std::vector<Piece> pieces_;
  size_t size_ = 0;
};

/// The fields of a message as they stand, but where change(field, reader) returns what stands in place of one. `added`,
/// fields of this `kind`, stand behind the last one that has no greater number.
template <class Change>
Patchwork changed(const MessageType& type, Bytes bytes, std::string_view kind, Patchwork added, const Change& change) {
  const std::byte* place = bytes.data();
  for (WireReader reader(bytes); reader.next();)
    if (reader.number() <= type.field(kind).number) place = reader.field().data() + reader.field().size();
  Patchwork result;
  const auto pass = [&](const std::byte* at) {
    if (at == place) result.add(std::exchange(added, {}));
  };
  pass(bytes.data());
  for (WireReader reader(bytes); reader.next();) {
    const MessageField* field = field_at(type, reader);
    std::optional<Patchwork> other = field == nullptr ? std::nullopt : change(*field, reader);
    if (other)
      result.add(std::move(*other));
    else
      result.keep(reader.field());
    pass(reader.field().data() + reader.field().size());
  }
  return result;
}

OnnxMessage message_of(const MessageType& type, const std::shared_ptr<const std::byte>& owner, Bytes bytes) {
  const auto message = OnnxMessage::parse(type, {owner, bytes});
  if (!message) fail(Fault::malformed, "this is no {} in protobuf", type.name);
  return *message;
}

bool says(const DeclaredType& stated, const ValueInfo& info) {
  const auto are_same = [](const DeclaredDim& a, const DeclaredDim& b) {
    return a.size == b.size && a.symbol == b.symbol;
  };
  return stated.form == info.form && stated.dtype == info.dtype && stated.key == info.key &&
         stated.dims.has_value() == info.dims.has_value() &&
         (!info.dims || std::ranges::equal(*stated.dims, *info.dims, are_same));
}

class Redeclared {
 public:
  Redeclared(const FileBytes& file, const ModelTypes& types)
      : file_(file), types_(types), graph_(message_of(kModelProto, file.owner, file.bytes).message("graph")) {}

  Patchwork model() const {
    Patchwork properties;
    for (const auto& [key, value] : types_.properties) {
      WireWriter entry(kStringStringEntryProto);
      entry.add("key", key);
      entry.add("value", value);
      properties.add(Patchwork(kModelProto.field("metadata_props"), entry));
    }
    size_t graphs = 0, done = 0;  // messages that stand more than once are merged
    each_graph([&](Bytes) { ++graphs; });
    return changed(kModelProto, file_.bytes, "metadata_props", std::move(properties),
                   [&](const MessageField& field, const WireReader& reader) -> std::optional<Patchwork> {
                     if (field.name == "graph") return Patchwork(field, graph(reader.bytes(), ++done == graphs));
                     if (field.name == "metadata_props" && is_own_property(reader.bytes())) return Patchwork();
                     return std::nullopt;
                   });
  }

 private:
  template <class Visit>
  void each_graph(const Visit& visit) const {
    for (WireReader reader(file_.bytes); reader.next();)
      if (field_at(kModelProto, reader) == &kModelProto.field("graph")) visit(reader.bytes());
  }

  bool is_own_property(Bytes entry) const {
    return message_of(kStringStringEntryProto, file_.owner, entry).text("key").starts_with(kOwnProperties);
  }

  Patchwork graph(Bytes bytes, bool is_last) const {
    return changed(kGraphProto, bytes, "value_info", is_last ? inner_tensors() : Patchwork(),
                   [&](const MessageField& field, const WireReader& reader) -> std::optional<Patchwork> {
                     if (field.name != "input" && field.name != "output" && field.name != "value_info")
                       return std::nullopt;
                     return entry(field, reader.bytes());
                   });
  }

  /// What nodes give, and no entry declares.
  Patchwork inner_tensors() const {
    std::set<std::string, std::less<>> declared;
    for (const char* entries : {"input", "output", "value_info"})
      for (const OnnxMessage& info : graph_.messages(entries)) declared.emplace(info.text("name"));
    Patchwork added;
    for (const OnnxMessage& node : graph_.messages("node"))
      for (const std::string& name : node.texts("output")) {
        const ValueInfo* info = known(name);
        if (info == nullptr || !declared.insert(name).second) continue;
        WireWriter proto(kValueInfoProto);
        proto.add("name", name);
        proto.add("type", encode_type(*info));
        added.add(Patchwork(kGraphProto.field("value_info"), proto));
      }
    return added;
  }

  const ValueInfo* known(std::string_view name) const {
    const auto found = types_.tensors.find(name);
    return found == types_.tensors.end() || !found->second.dtype ? nullptr : &found->second;
  }

  /// Of a tensor that is declared: with its other fields; nothing where its type stays.
  std::optional<Patchwork> entry(const MessageField& field, Bytes bytes) const {
    const OnnxMessage old = message_of(kValueInfoProto, file_.owner, bytes);
    const std::optional<WireWriter> type = other_type(old, field.name == "output");
    if (!type) return std::nullopt;
    const MessageField& type_field = kValueInfoProto.field("type");
    return Patchwork(field, changed(kValueInfoProto, bytes, "type", Patchwork(type_field, *type),
                                    [&](const MessageField& at, const WireReader&) {
                                      return &at == &type_field ? std::optional(Patchwork()) : std::nullopt;
                                    }));
  }

  std::optional<WireWriter> other_type(const OnnxMessage& old, bool is_output) const {
    const DeclaredType stated = decode_type(old.message("type"));
    const bool is_none = stated.text.empty();
    const ValueInfo* now = known(old.text("name"));
    if (now == nullptr ? !stated.dims : !is_none && stated.form != Form::tensor) return std::nullopt;
    ValueInfo info = now != nullptr ? *now : ValueInfo{"", "", stated.dtype, stated.dims};
    if (now == nullptr)
      for (DeclaredDim& dim : *info.dims) dim.symbol.clear();
    if (is_output && info.form == Form::tensor && !info.dims && stated.dims) info.dims.emplace(stated.dims->size());
    if (!info.dtype || (!is_none && says(stated, info))) return std::nullopt;
    if (info.dims && stated.dims && info.dims->size() == stated.dims->size())
      for (size_t i = 0; i < info.dims->size(); ++i) (*info.dims)[i].denotation = (*stated.dims)[i].denotation;
    WireWriter type = encode_type(info);
    if (const std::string_view denotation = old.message("type").text("denotation"); !denotation.empty())
      type.add("denotation", denotation);
    return type;
  }

  const FileBytes& file_;
  const ModelTypes& types_;
  const OnnxMessage graph_;
};

}  // namespace

bool is_onnx_model(const FileBytes& file) {
  const auto model = OnnxMessage::parse(kModelProto, file);
  return model && model->is_set("graph");
}

void write_redeclared(FileWriter& file, const FileBytes& model, const ModelTypes& types) {
  const Patchwork patchwork = Redeclared(model, types).model();
  require_message_size(patchwork.size(), "the model with types");
  patchwork.write(file);
}

}  // namespace opref::io
