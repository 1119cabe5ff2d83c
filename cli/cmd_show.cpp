// opref show
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/program.h"
#include "core/error.h"
#include "io/numpy/npy.h"
#include "io/numpy/print.h"
#include "run/evaluate.h"
#include "run/files_read.h"
#include "run/write_outputs.h"
#include "system/file.h"

namespace opref::cli {
namespace {

constexpr HelpText kHelp{
    "FILE… [-o OUT] [OPTIONS]",
    "  # an official ONNX tensor\n"
    "  $ opref show "
    "/usr/share/libonnx-testdata/data/node/test_maxunpool_export_with_output_shape/test_data_set_0/input_0.pb\n"
    "  # the same as .npy\n"
    "  $ opref show "
    "/usr/share/libonnx-testdata/data/node/test_maxunpool_export_with_output_shape/test_data_set_0/input_0.pb "
    "-o /tmp/x.npy\n",
    "FILE is .npy, .npz (each array), .npz:member or .pb (TensorProto,\n"
    "SequenceProto, OptionalProto). --dtype states a type that a file cannot\n"
    "(bfloat16, the 8-bit floats of numpy's V1).\n"};

struct Arguments {
  std::vector<std::string> files;
  std::string output, dtype;
  std::optional<std::int64_t> max_bytes;
  bool json = false, force = false;
};

/// One tensor that is asked for.
struct Asked {
  std::string title;
  TensorSource source;
};

/// Of an .npz each array.
std::vector<Asked> all_asked(const Arguments& arguments) {
  std::vector<Asked> asked;
  for (const std::string& file : arguments.files) {
    TensorSource source = TensorSource::alone(file);
    if (!arguments.dtype.empty()) source.dtype = parse_dtype(arguments.dtype);
    auto& stated = std::get<TensorSource::File>(source.from);
    std::vector<std::string> members;
    if (stated.member.empty() && stated.path.extension() == ".npz") {
      stated.last_archive = std::make_shared<LastArchive>();
      members = at_place([&] { return "in " + shown(stated.path); },
                         [&] { return stated.last_archive->open(stated.path)->arrays(); });
    }
    if (members.empty()) {
      stated.last_archive = nullptr;
      asked.push_back({file, source});
    }
    for (const std::string& member : members) {
      stated.member = member;
      asked.push_back({format("{}:{}", file, member), source});
    }
  }
  return asked;
}

Value read_value(const Asked& asked, const Arguments& arguments) {
  std::vector<std::string> warnings;
  Value value = settle_alone(load(asked.source, arguments.max_bytes.value_or(default_max_bytes())), warnings);
  for (const std::string& warning : warnings) warn(warning);
  return value;
}

std::string tensor_text(const Tensor& tensor) {
  const TensorSummary summary = summarize(tensor);
  std::string text = format("{}\nsha256 {}\n", tensor.type(), sha256(tensor));
  if (summary.least) text += format("min {}  max {}\n", *summary.least, *summary.greatest);
  if (summary.nan + summary.positive_infinity + summary.negative_infinity > 0)
    text += format("NaN {}  Inf {}  -Inf {}\n", summary.nan, summary.positive_infinity, summary.negative_infinity);
  return tensor.count() <= kMostPrinted ? text + numpy_text(tensor) + "\n" : text;
}

JsonWriter tensor_json(const Tensor& tensor) {
  const TensorSummary summary = summarize(tensor);
  JsonWriter json = type_json(tensor.type());
  json.set("sha256", sha256(tensor));
  if (summary.least) json.set("min", *summary.least).set("max", *summary.greatest);
  json.set("nan", summary.nan).set("inf", summary.positive_infinity).set("-inf", summary.negative_infinity);
  if (tensor.count() <= kMostPrinted) json.set("data", tensor);
  return json;
}

int show(const Arguments& arguments) {
  const std::vector<Asked> asked = all_asked(arguments);
  if (!arguments.output.empty()) {
    if (asked.size() != 1) fail(Fault::usage, "-o converts one tensor, but there are {}", asked.size());
    const std::vector<std::filesystem::path> read = files_of(TensorSource::alone(arguments.files.front()));
    if (!arguments.force) require_not_read(arguments.output, read);
    write_value(arguments.output, "tensor", read_value(asked.front(), arguments));
    return 0;
  }
  JsonWriter files;
  for (const Asked& one : asked) {
    const Value value = read_value(one, arguments);
    if (arguments.json)
      files.set(one.title, value_json(value, tensor_json));
    else
      print(format("{}: {}", printable(one.title, 1000), value_text(value, tensor_text)));
  }
  if (arguments.json) {
    JsonWriter json = document("show");
    json.set("files", std::move(files));
    print(json.text());
  }
  return 0;
}

}  // namespace

void add_show(CLI::App& program) {
  add_command(program, "show", "describe tensors in files; convert them", kHelp, [](CLI::App& command) {
    const auto arguments = std::make_shared<Arguments>();
    command.add_option("FILE", arguments->files, ".npy, .npz, .npz:member or .pb")->required();
    command.add_option("-o", arguments->output, "convert to .npy, .npz or .pb; - is .npy on stdout")->type_name("OUT");
    command.add_flag("--force", arguments->force, "let -o overwrite FILE");
    command.add_option("--dtype", arguments->dtype, "the element type, where a file leaves it open")
        ->type_name("DTYPE");
    add_number(command, "--max-bytes", arguments->max_bytes, {0}, "limit of a tensor; default half the memory");
    command.add_flag("--json", arguments->json, "print one JSON document");
    set_action(command, [arguments] { return show(*arguments); });
  });
}

}  // namespace opref::cli
