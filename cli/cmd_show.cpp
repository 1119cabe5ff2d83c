// SPDX-License-Identifier: Apache-2.0
// opref show
#include <algorithm>
#include <iterator>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/model_text.h"
#include "cli/node_list.h"
#include "cli/output.h"
#include "cli/tensor_text.h"
#include "core/error.h"
#include "io/json/maps.h"
#include "io/numpy/npy.h"
#include "io/numpy/print.h"
#include "io/safetensors.h"
#include "io/torch/torch.h"
#include "ops/operators.h"
#include "run/evaluate.h"
#include "run/files_read.h"
#include "run/load_case.h"
#include "run/write_outputs.h"
#include "schema/node.h"
#include "schema/resolve.h"
#include "system/file.h"

namespace opref::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  std::string output, dtype, to;
  std::optional<std::int64_t> max_bytes;
  bool json = false, force = false, nodes = false;
};

/// One tensor or model that is asked for.
struct Asked {
  std::string title;
  TensorSource source;
  bool is_model = false;
};

bool is_model(const std::string& file) {
  return file.ends_with(".onnx") || file.ends_with(".onnxtxt") || file.ends_with(".xml");
}

/// What 'opref run' takes as a node, and no list of tensors.
bool is_folder_of_case(const std::string& file) {
  const std::filesystem::path folder(file);
  return is_folder(folder) &&
         (is_file(folder / "model.onnx") || is_file(folder / "model.xml") || is_file(folder / "layer.xml"));
}

/// The names of a file of named tensors, of an .npz those of the archive, which it keeps; none of other files.
std::vector<std::string> names_in(const std::filesystem::path& file, LastArchive* archive) {
  const std::string extension = file.extension().string();
  if (archive != nullptr) return archive->open(file)->arrays();
  if (extension == ".safetensors") return names_of_safetensors(read_file(file));
  if (extension != ".pt" && extension != ".pth" && extension != ".ckpt") return {};
  const FileBytes bytes = read_file(file);  // of one that is no archive reading a tensor says what it is
  return bytes.text().starts_with("PK") ? names_of_torch(bytes) : std::vector<std::string>();
}

/// Of an .npz and other files of named tensors each one.
std::vector<Asked> asked_of(const std::string& file, const Arguments& arguments) {
  if (is_model(file) || is_folder_of_case(file)) return {{file, {}, true}};
  if (file.ends_with(".json") && !is_map_document(read_file(file).text()))
    fail(Fault::usage, "{} is JSON, and no file of tensors: of a case 'opref infer' tells the types", printable(file));
  TensorSource source = TensorSource::alone(file);
  if (!arguments.dtype.empty()) source.dtype = parse_dtype(arguments.dtype);
  auto& stated = std::get<TensorSource::File>(source.from);
  if (!stated.member.empty()) return {{file, source}};
  if (stated.path.extension() == ".npz") stated.last_archive = std::make_shared<LastArchive>();
  std::vector<Asked> asked;
  const std::vector<std::string> members = at_place([&] { return "in " + shown(stated.path); },
                                                    [&] { return names_in(stated.path, stated.last_archive.get()); });
  for (const std::string& member : members) {
    stated.member = member;
    asked.push_back({format("{}:{}", file, member), source});
  }
  if (members.empty()) stated.last_archive = nullptr;
  return members.empty() ? std::vector<Asked>{{file, source}} : asked;
}

Value read_value(const Asked& asked, const Arguments& arguments) {
  std::vector<std::string> warnings;
  Value value = settle_alone(load(asked.source, arguments.max_bytes.value_or(default_max_bytes())), warnings);
  for (const std::string& warning : warnings) warn(warning);
  return value;
}

std::string file_text(const Tensor& tensor) { return tensor_text(tensor, Extremes::always); }

Json tensor_json(const Tensor& tensor, Elements elements) {
  const TensorSummary summary = summarize(tensor);
  Json json = type_json(tensor.type());
  json.set("sha256", sha256(tensor));
  if (summary.least) json.set("min", *summary.least).set("max", *summary.greatest);
  json.set("nan", summary.nan).set("inf", summary.positive_infinity).set("-inf", summary.negative_infinity);
  if (elements == Elements::some && tensor.count() <= kMostPrinted) json.set("data", tensor);
  return json;
}

/// What Cast makes of it.
Value cast_to(const Value& value, const std::string& to) {
  if (value.tensor() == nullptr) fail(Fault::usage, "--to converts a tensor, but this is none");
  return ops::cast(*value.tensor(), parse_dtype(to));
}

int convert(const Arguments& arguments) {
  std::vector<Asked> asked;
  for (const std::string& file : arguments.files)
    std::ranges::move(asked_of(file, arguments), std::back_inserter(asked));
  if (asked.front().is_model) fail(Fault::usage, "-o converts tensors, but {} is a model", asked.front().title);
  if (asked.size() != 1) fail(Fault::usage, "-o converts one tensor, but there are {}", asked.size());
  require_no_terminal(arguments.output);
  const std::vector<std::filesystem::path> read = files_of(TensorSource::alone(arguments.files.front()));
  if (!arguments.force) require_not_read(arguments.output, read);
  const Value value = read_value(asked.front(), arguments);
  write_value(arguments.output, "tensor", arguments.to.empty() ? value : cast_to(value, arguments.to));
  return 0;
}

/// What the files hold, as text or as members of one document.
class Shown {
 public:
  explicit Shown(const Arguments& arguments) : arguments_(arguments) {}

  /// What cannot be read is told in the end; alone it is the command's error.
  void add(const std::string& file) {
    attempt([&] {
      for (const Asked& one : asked_of(file, arguments_)) attempt([&] { show(one); });
    });
  }

  /// The last error is thrown.
  void finish() && {
    if (arguments_.json) {
      Json json = document("show");
      json.set("files", files_);
      if (!errors_.empty()) json.set("errors", errors_, error_json);
      print(json.text());
    }
    for (size_t i = 0; i + 1 < errors_.size(); ++i) report(errors_[i]);
    if (!errors_.empty()) throw Error(errors_.back());
  }

 private:
  template <class Body>
  void attempt(const Body& body) {
    try {
      body();
    } catch (const Error& error) {
      if (arguments_.files.size() == 1) throw;
      errors_.push_back(error);
    }
  }

  void show_model(const std::string& file) {
    const std::int64_t max_bytes = limit_of(arguments_.max_bytes);
    const Case model = read_case(file, {}, max_bytes);
    if (arguments_.json)
      files_.set(file, arguments_.nodes ? Json().set("nodes", node_list_json(model)) : model_json(model, max_bytes));
    else if (arguments_.nodes)
      print(format("{}: {}\n{}", printable(file, 1000), counted(std::ssize(model.graph.nodes), "node"),
                   node_list_text(model)));
    else
      print(format("{}: {}", printable(file, 1000), model_text(model, max_bytes)));
  }

  void show(const Asked& one) {
    if (one.is_model) return show_model(one.title);
    if (arguments_.nodes) fail(Fault::usage, "--nodes lists a model's nodes, but {} has tensors", printable(one.title));
    const Value value = read_value(one, arguments_);
    if (arguments_.json)
      files_.set(one.title, value_json(value, tensor_json));
    else
      print(format("{}: {}", printable(one.title, 1000), value_text(value, file_text)));
  }

  const Arguments& arguments_;
  Json files_;
  std::vector<Error> errors_;
};

int show(const Arguments& arguments) {
  if (!arguments.dtype.empty()) parse_dtype(arguments.dtype);
  if (!arguments.to.empty()) parse_dtype(arguments.to);
  if (!arguments.to.empty() && arguments.output.empty())
    fail(Fault::usage, "--to says what -o writes, but -o is missing");
  if (!arguments.output.empty()) return convert(arguments);
  Shown shown(arguments);
  for (const std::string& file : arguments.files) shown.add(file);
  std::move(shown).finish();
  return 0;
}

}  // namespace

Action add_show(Options& command) {
  const auto arguments = std::make_shared<Arguments>();
  add_argument(command, "FILE", arguments->files, ".npy, .npz, .pb, .pt, .safetensors, FILE:NAME or a model")
      .required();
  add_option(command, "-o", arguments->output, "OUT", "convert to .npy, .npz or .pb; - is .npy on stdout");
  add_flag(command, "--force", arguments->force, "let -o overwrite FILE");
  add_option(command, "--dtype", arguments->dtype, "DTYPE", "the element type, where a file leaves it open");
  add_option(command, "--to", arguments->to, "DTYPE", "with -o: the elements as this type, by Cast's rules");
  add_bytes(command, "--max-bytes", arguments->max_bytes, "limit of a tensor; default half the memory");
  add_flag(command, "--nodes", arguments->nodes, "of a model a line for each node, with what the file says of it");
  add_flag(command, "--json", arguments->json, "print one JSON document");
  return [arguments] { return show(*arguments); };
}

}  // namespace opref::cli
