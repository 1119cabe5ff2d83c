// SPDX-License-Identifier: Apache-2.0
#include "run/load_case.h"

#include <algorithm>

#include "core/error.h"
#include "io/foreign_file.h"
#include "io/json/cases.h"
#include "io/json/json.h"
#include "io/json/tree.h"
#include "io/onnx/onnx.h"
#include "io/openvino/openvino.h"
#include "io/safetensors.h"
#include "ops/operators.h"
#include "run/bind.h"
#include "run/remedies.h"
#include "run/version.h"
#include "run/write_outputs.h"
#include "system/file.h"
#include "system/machine_error.h"

namespace opref::run {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKnownExtensions[] = {".onnx", ".onnxtxt", ".json", ".pb", ".xml", ".npy", ".npz"};

bool has_known_extension(const fs::path& path) {
  return std::ranges::find(kKnownExtensions, path.extension().string()) != std::end(kKnownExtensions);
}

/// Also a link that leads nowhere: to read it says so.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

/// Text has no control characters but white space; protobuf has them in its lengths.
bool is_text(std::string_view content) {
  return std::ranges::none_of(
      content, [](char c) { return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r'; });
}

Case read_json(std::string_view text, const fs::path& folder, const CaseChoice& choice) {
  const JsonCaseFile file(text);
  if (file.cases.empty()) return read_onnx_json(text, folder);
  if (const auto other = JsonGlance(text).other) refuse_other(*other, "this", folder / "");
  const JsonCase chosen = chosen_case(file.cases, choice);
  return read_json_case(chosen.object, chosen.opset, folder);
}

/// An object, or a list of objects: ONNX text may begin with a bracket too.
bool is_json_text(std::string_view text) {
  size_t start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  if (start != std::string_view::npos && text[start] == '[') start = text.find_first_not_of(" \t\r\n", start + 1);
  return start != std::string_view::npos && text[start] == '{' && is_text(text);
}

/// A tensor of the only node that has the type variable of `formal`, and a type.
std::optional<DType> type_of_variable(const Graph& graph, const OpSchema& schema, const FormalParameter& formal) {
  for (const auto& [parameters, infos] :
       {std::pair(&schema.inputs(), &graph.inputs), {&schema.outputs(), &graph.outputs}})
    for (size_t i = 0; i < infos->size(); ++i)
      if ((*infos)[i].dtype && OpSchema::formal(*parameters, i).type == formal.type) return (*infos)[i].dtype;
  return std::nullopt;
}

/// The ports of a bare layer have no names, only an order: they take the specification's. An input port without
/// precision has that of another port of the same type variable. Inputs that are no ports keep their names.
void take_port_names(Graph& graph) {
  Node& node = graph.nodes.front();
  const auto opset = graph.opset_import.find(canonical_domain(node.domain));
  const OpSchema* known =
      schema_or_first(graph.opset_import, node, opset == graph.opset_import.end() ? 1 : opset->second);
  if (known == nullptr) return;  // an error of its own, later, at its place
  const OpSchema& schema = *known;
  const auto take = [](const std::vector<FormalParameter>& formal, std::vector<std::string>& names,
                       std::vector<ValueInfo>& infos) {
    for (size_t i = 0; i < infos.size() && (i < formal.size() || (!formal.empty() && is_variadic(formal.back().arity)));
         ++i) {
      const size_t place = std::min(i, formal.size() - 1);
      const bool is_one_of_many = is_variadic(formal[place].arity);
      infos[i].name = names[i] =
          is_one_of_many ? format("{}_{}", formal[place].name, i - place) : std::string(formal[place].name);
    }
  };
  take(schema.inputs(), node.inputs, graph.inputs);
  take(schema.outputs(), node.outputs, graph.outputs);
  for (size_t i = 0; i < graph.inputs.size() && !schema.inputs().empty(); ++i)
    if (!graph.inputs[i].dtype)
      graph.inputs[i].dtype = type_of_variable(graph, schema, OpSchema::formal(schema.inputs(), i));
}

Case read_xml(const FileBytes& file, const fs::path& path) {
  Case loaded = read_openvino(file, path == "-" ? fs::path() : fs::path(path).replace_extension(".bin"));
  if (loaded.format == CaseFormat::openvino_layer) take_port_names(loaded.graph);
  return loaded;
}

Case read_content(const FileBytes& file, const fs::path& path, const CaseChoice& choice, std::int64_t max_bytes) {
  const std::string_view text = file.text();
  const fs::path folder = path.parent_path();
  const std::string extension = path.extension().string();
  std::error_code ignored;
  if (text.empty()) fail(Fault::malformed, "the file is empty");
  require_no_foreign_file(text);
  const bool is_json = is_json_text(text);
  if (extension == ".xml") return read_xml(file, path);
  if ((extension == ".onnx" || extension == ".pb") && !is_json) return read_onnx(file, folder, max_bytes);
  if (extension == ".onnxtxt") return read_onnx_text(text);
  if (extension == ".json" || is_json) return read_json(text, folder, choice);
  if (extension == ".npy" || extension == ".npz" || extension == ".pt" || extension == ".pth" || is_safetensors(text))
    fail(Fault::usage, "this is a file of tensors, not a node: give it as NAME=FILE");
  if (extension == ".bin" && fs::exists(fs::path(path).replace_extension(".xml"), ignored))
    fail(Fault::usage, "these are the weights of an IR, whose model is {}",
         printable(fs::path(path).replace_extension(".xml").string()));
  if (!is_text(text)) return read_onnx(file, folder, max_bytes);
  if (text.find_first_not_of(" \t\r\n\xef\xbb\xbf") == std::string_view::npos)
    fail(Fault::malformed, "there is nothing in it");
  if (is_xml(text)) return read_xml(file, path);
  return read_onnx_text(text);
}

/// A value of a data set. Some official files hold a bfloat16 tensor as uint16; the graph's declaration says which it
/// is.
Value read_data_set_value(const fs::path& file, const ValueInfo& declared, std::int64_t max_bytes) {
  return at_place([&] { return "in " + file.string(); },
                  [&]() -> Value {
                    Value value = read_onnx_value(read_file(file), declared, max_bytes);
                    const Tensor* tensor = value.tensor();
                    const bool bits =
                        tensor != nullptr && tensor->dtype() == DType::uint16 && declared.dtype == DType::bfloat16;
                    return bits ? tensor->reinterpreted(DType::bfloat16) : value;
                  });
}

std::vector<NamedSource> data_set_tensors(const fs::path& data_set, std::string_view prefix,
                                          const std::vector<ValueInfo>& declared) {
  std::vector<NamedSource> tensors;
  for (size_t k = 0; k < declared.size(); ++k) {
    const fs::path file = data_set / format("{}_{}.pb", prefix, k);
    TensorSource source;
    const bool is_optional = declared[k].form == Form::optional || declared[k].form == Form::optional_sequence;
    if (!is_there(file)) {
      if (prefix != "input" || !is_optional) continue;
      source.from =
          TensorSource::Loaded{[dtype = declared[k].dtype.value()](std::int64_t) -> Value { return Optional{dtype}; }};
      tensors.push_back({declared[k].name, std::move(source)});
      continue;
    }
    source.from = TensorSource::Loaded{
        [file, info = declared[k]](std::int64_t max_bytes) { return read_data_set_value(file, info, max_bytes); },
        {file}};
    tensors.push_back({declared[k].name, std::move(source)});
  }
  return tensors;
}

Case load_file(const fs::path& path, const CaseChoice& choice, std::int64_t max_bytes) {
  const std::string origin = (path == "-" ? "standard input" : path.string()) + choice.name;
  Case loaded =
      at_place([&] { return "in " + origin; }, [&] { return read_content(read_file(path), path, choice, max_bytes); });
  if (!choice.name.empty() && loaded.format != CaseFormat::json)
    fail(Fault::usage, "{} names one of several JSON cases, but this is no file of them", printable(origin));
  loaded.origin = origin;
  if (path != "-") loaded.file = path;
  return loaded;
}

/// The node's file in a case folder. If the case expects an error, that it cannot be read may be the one.
Case read_node_file(const fs::path& file, std::int64_t max_bytes) {
  const fs::path error_file = file.parent_path() / "expect_error.json";
  std::optional<ExpectedError> expected;
  if (is_there(error_file))
    expected = at_place([&] { return "in " + error_file.string(); },
                        [&] { return read_expected_error(read_file(error_file).text()); });
  Case loaded{};
  try {
    loaded = load_file(file, {}, max_bytes);
  } catch (const Error& error) {
    if (!expected) throw;
    pass_on(error);
    loaded.unreadable = error;
  }
  loaded.origin = file.parent_path().string();
  loaded.expect_error = std::move(expected);
  return loaded;
}

/// Those of which there is a file NAME.npy or the like.
std::vector<NamedSource> named_tensors(const fs::path& folder, const std::vector<ValueInfo>& declared,
                                       std::initializer_list<std::string_view> extensions) {
  std::vector<NamedSource> tensors;
  for (const ValueInfo& info : declared)
    for (const std::string_view extension : extensions)
      if (const fs::path file = folder / (file_name_of(info.name) += extension); is_there(file))
        tensors.push_back({info.name, {TensorSource::File{file}}});
  return tensors;
}

void replace_inputs(Case& loaded, std::vector<NamedSource> tensors) {
  for (NamedSource& tensor : tensors) {
    std::erase_if(loaded.inputs, [&](const NamedSource& other) { return other.name == tensor.name; });
    loaded.inputs.push_back(std::move(tensor));
  }
}

/// The file of a layer or a net in a folder; nothing where there is none.
std::optional<fs::path> openvino_file(const fs::path& folder) {
  for (const char* name : {"layer.xml", "model.xml"})
    if (is_there(folder / name)) return folder / name;
  return std::nullopt;
}

/// The case folders and the JSON cases that are in the folder itself.
std::int64_t cases_below(const fs::path& folder) {
  std::error_code ignored;
  std::int64_t cases = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const bool is_folder = entry.is_directory(ignored);
    const bool is_json = entry.path().extension() == ".json" && entry.path().filename() != "manifest.json";
    cases += is_folder ? is_there(entry.path() / "model.onnx") || openvino_file(entry.path()) : is_json;
  }
  return cases;
}

Case load_onnx_folder(fs::path folder, std::int64_t max_bytes) {
  fs::path data_set = folder / "test_data_set_0";
  if (folder.filename().string().starts_with("test_data_set_")) {
    data_set = folder;
    folder = folder.parent_path();
  }
  const fs::path model = folder / "model.onnx";
  std::error_code error;
  if (!fs::exists(model, error) && error) fail(Fault::system, "cannot read {}: {}", shown(model), error.message());
  if (!is_there(model)) {
    if (const std::int64_t cases = cases_below(folder); cases > 0)
      fail(Fault::usage, {kCheckFolder, printable(folder.string())}, "{} is no case, but holds {}",
           printable(folder.string()), counted(cases, "case"));
    fail(Fault::malformed, "{} is no case folder: it has none of model.onnx, layer.xml and model.xml", folder.string());
  }
  Case loaded = read_node_file(model, max_bytes);
  loaded.format = CaseFormat::onnx_folder;
  replace_inputs(loaded, data_set_tensors(data_set, "input", loaded.graph.inputs));
  loaded.expected = data_set_tensors(data_set, "output", loaded.graph.outputs);
  return loaded;
}

/// layer.xml or model.xml with NAME.npy for its inputs and expected outputs.
Case load_openvino_folder(const fs::path& folder, const fs::path& file) {
  Case loaded = read_node_file(file, INT64_MAX);
  replace_inputs(loaded, named_tensors(folder, loaded.graph.inputs, {".npy"}));
  loaded.expected = named_tensors(folder, loaded.graph.outputs, {".npy"});
  return loaded;
}

bool is_case_folder(const fs::path& folder) {
  return openvino_file(folder) || is_there(folder / "model.onnx") ||
         folder.filename().string().starts_with("test_data_set_");
}

/// Whether it is an operator's name, perhaps with its domain and an opset.
bool names_operator(const std::string& argument) {
  try {
    get_operator_named(split_version(argument).name);
    return true;
  } catch (const Error&) {
    return false;
  }
}

Case load_folder(const fs::path& folder, std::int64_t max_bytes) {
  const auto openvino = openvino_file(folder);
  return openvino ? load_openvino_folder(folder, *openvino) : load_onnx_folder(folder, max_bytes);
}

/// "onnx::Conv" and "Conv-13.0": how others write what opref knows.
void refuse_foreign_name(std::string_view name) {
  std::string own(name);
  if (const size_t colons = own.rfind("::"); colons != std::string::npos) own = own.substr(colons + 2);
  if (const size_t version = own.rfind('-'), point = own.rfind(".0");
      version != std::string::npos && point != std::string::npos && point > version && point + 2 == own.size())
    own.resize(point);
  if (own == name || own.empty()) return;
  if (!names_operator(own)) get_operator_named(split_version(own).name);
  fail(Fault::unsupported, "no such file, and operator '{}' is not known, did you mean '{}'?", printable(name), own);
}

/// An operator by its name, which could have been meant as a file's too.
const Operator& operator_or_file(std::string_view name) {
  refuse_foreign_name(name);
  try {
    return get_operator_named(name);
  } catch (const Error& error) {
    if (error.remedy() == kListOperators) throw;  // no other name is meant
    throw Error(error.fault(), "no such file, and " + error.message());
  }
}

/// "LpPool" or "LpPool-11".
Case load_operator(const std::string& argument, std::optional<std::int64_t> opset) {
  const NamedVersion named = split_version(argument);
  const Operator& op = operator_or_file(named.name);
  if (named.opset && opset && *named.opset != *opset)
    fail(Fault::usage, "'{}' is {} of opset {}, but opset {} is stated", argument, named.name, *named.opset, *opset);
  Case loaded{CaseFormat::operator_name, "the command line", {}, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  Node node;
  node.op_type = op.op_type();
  node.domain = canonical_domain(op.domain());
  if (named.opset) loaded.graph.opset_import[node.domain] = *named.opset;
  if (named.page) loaded.warnings.push_back(named.page_text());
  loaded.graph.nodes.push_back(std::move(node));
  loaded.graph.opset_import.operators = {&op};
  return loaded;
}

/// "y = Softmax (x)" of "Softmax(x)"; a call that has arguments with names has them in <…>.
std::string as_node(const std::string& name, const std::string& inside) {
  std::vector<std::string> inputs, attributes;
  int depth = 0;
  std::string word;
  const auto end_word = [&] {
    const size_t begin = std::min(word.find_first_not_of(' '), word.size());
    word = word.substr(begin, word.find_last_not_of(' ') + 1 - begin);
    if (!word.empty()) (word.find('=') == std::string::npos ? inputs : attributes).push_back(word);
    word.clear();
  };
  for (const char c : inside) {
    depth += (c == '[' || c == '(') - (c == ']' || c == ')');
    if (c == ',' && depth == 0)
      end_word();
    else
      word += c;
  }
  end_word();
  if (inputs.empty()) inputs.emplace_back("x");
  const bool is_y = std::ranges::find(inputs, "y") == inputs.end();
  return format("{} = {}{} ({})", is_y ? "y" : "z", name,
                attributes.empty() ? "" : format(" <{}>", join_text(attributes, ", ")), join_text(inputs, ", "));
}

/// An operator that is written as a function is called.
void refuse_call(const std::string& argument) {
  const size_t open = argument.find('(');
  const std::string name = argument.substr(0, argument.find_last_not_of(' ', open - 1) + 1);
  if (argument.find("=>") != std::string::npos || !names_operator(name)) return;
  const size_t close = std::max(argument.rfind(')') == std::string::npos ? open + 1 : argument.rfind(')'), open + 1);
  const std::string inside = argument.substr(open + 1, close - open - 1);
  if (!inside.empty() && inside.find_first_not_of("0123456789") == std::string::npos)
    fail(Fault::malformed, "'{}' is no node: version {} of the operator is written {}-{}", printable(argument), inside,
         name, inside);
  fail(Fault::malformed, "'{}' is no node: one has outputs and '='{}: {}", printable(argument),
       inside.find('=') == std::string::npos ? "" : ", and its attributes in <…>", printable(as_node(name, inside)));
}

/// An argument that is no existing file.
Case load_text(const std::string& argument, std::optional<std::int64_t> opset) {
  if (argument.find('(') != std::string::npos) {
    refuse_call(argument);
    Case loaded = read_onnx_text(argument);
    loaded.origin = "the command line";
    return loaded;
  }
  if (const size_t equals = argument.find(" = "), begin = equals + 3;
      equals != std::string::npos && begin < argument.size() && argument[begin] >= 'A' && argument[begin] <= 'Z') {
    const size_t end = std::min(argument.find(' ', begin), argument.size());
    fail(Fault::malformed, "'{}' is no node: inputs stand in parentheses, as in '{}'", printable(argument),
         printable(format("{} = {} ({})", argument.substr(0, equals), argument.substr(begin, end - begin),
                          end == argument.size() ? "x" : argument.substr(end + 1))));
  }
  if (const size_t equals = argument.find('='); equals != std::string::npos && equals < argument.find('/'))
    fail(Fault::usage, "NODE is missing before '{}': an operator, a case or a model", printable(argument));
  if (argument.find('/') != std::string::npos || has_known_extension(argument))
    fail(Fault::system, "no such file: {}", printable(argument));
  return load_operator(argument, opset);
}

}  // namespace

void refuse_other(OtherJson other, std::string_view what, const fs::path& file) {
  constexpr std::pair<std::string_view, Remedy> kKinds[] = {{"a recipe", kMakeGolden},
                                                            {"golden's manifest", kCheckFolder},
                                                            {"a report", kReadReport},
                                                            {"a list of known mistakes", kTestMistakes}};
  const auto& [kind, remedy] = kKinds[static_cast<size_t>(other)];
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const std::string argument = shown(other == OtherJson::manifest ? folder : file);
  fail(Fault::usage,
       {remedy, file.has_filename()            ? argument
                : other == OtherJson::manifest ? argument
                                               : ""},
       "{} is {}, not a case", what, kind);
}

Case read_case(const std::string& argument, std::optional<std::int64_t> opset, std::int64_t max_bytes) {
  std::error_code ignored;
  if (argument != "-" && fs::is_directory(argument, ignored)) {
    // A folder of an operator's name that is no case, such as one of golden's, does not hide the operator.
    if (!is_case_folder(argument) && names_operator(argument)) return load_operator(argument, opset);
    return load_folder(fs::path(argument).lexically_normal(), max_bytes);
  }
  const CaseOfFile one = split_case_name(argument);
  return one.file == "-" || is_there(one.file) ? load_file(one.file, {one.name, opset}, max_bytes)
                                               : load_text(argument, opset);
}

Case read_handed_case(const std::string& model, const fs::path& inputs, std::int64_t max_bytes) {
  Case read = read_case(model, {}, max_bytes);
  Graph graph = read.graph;
  name_graph_inputs_and_outputs(graph);
  replace_inputs(read, data_set_tensors(inputs, "input", graph.inputs));
  replace_inputs(read, named_tensors(inputs, graph.inputs, {".npy", ".npz"}));
  return read;
}

std::shared_ptr<CaseReader::Kept> CaseReader::entry_of(const fs::path& file) {
  const std::lock_guard lock(guard_);
  const auto found = std::ranges::find(kept_, file, [](const auto& entry) { return entry->path; });
  if (found == kept_.end())
    kept_.push_front(std::make_shared<Kept>(file));
  else
    kept_.splice(kept_.begin(), kept_, found);
  if (kept_.size() > most_kept_) kept_.pop_back();
  return kept_.front();
}

/// Who comes while another thread parses the file waits for that.
std::shared_ptr<const JsonCaseFile> CaseReader::parsed(const fs::path& file) {
  const std::shared_ptr<Kept> entry = entry_of(file);
  const std::lock_guard lock(entry->parsing);
  if (!entry->parsed) entry->parsed = std::make_shared<const JsonCaseFile>(read_file(file).text());
  return entry->parsed;
}

Case CaseReader::read(const std::string& argument, std::int64_t max_bytes) {
  const CaseOfFile one = split_case_name(argument);
  if (one.name.empty() || one.file.extension() != ".json") return read_case(argument, {}, max_bytes);
  const std::string origin = one.file.string() + one.name;
  return at_place([&] { return "in " + origin; },
                  [&] {
                    const std::shared_ptr<const JsonCaseFile> file = parsed(one.file);
                    const JsonCase chosen = chosen_case(file->cases, {one.name, {}});
                    Case loaded = read_json_case(chosen.object, chosen.opset, one.file.parent_path());
                    loaded.origin = origin;
                    loaded.file = one.file;
                    return loaded;
                  });
}

}  // namespace opref::run
