// SPDX-License-Identifier: Apache-2.0
// Verdicts on a backend that answers what a test says, and on opref itself.
#include "check/judge.h"

#include <catch2/catch.hpp>
#include <functional>

#include "core/error.h"
#include "explain/evaluated.h"
#include "io/folder_testing.h"
#include "run/write_outputs.h"

namespace judge_test {

using namespace opref::check;

namespace {

namespace fs = std::filesystem;
using Status = Answer::Status;

class Scripted : public Backend {
 public:
  Scripted(Needs needs, std::function<Answer(const HandedCase&)> script) : needs_(needs), script_(std::move(script)) {}
  Needs needs() const override { return needs_; }
  Answer evaluate(const HandedCase& handed) override {
    ++asked;
    return script_(handed);
  }
  int asked = 0;

 private:
  Needs needs_;
  std::function<Answer(const HandedCase&)> script_;
};

const std::string kUnpool = R"("op_type": "MaxUnpool", "opset": 11, "attributes": {"kernel_shape": [1]},
  "inputs": {"X": {"dtype": "float32", "data": [[[1, 2]]]}, "I": {"dtype": "int64", "data": [[[1, 0]]]}}, "source": "a test")";
const std::string kMustFail = R"({"op_type": "MaxUnpool", "opset": 11, "attributes": {"kernel_shape": [0]},
  "inputs": {"X": {"dtype": "float32", "data": [[[1, 2]]]}, "I": {"dtype": "int64", "data": [[[1, 0]]]}},
  "expect_error": {"fault": "invalid", "message": "no"}, "source": "a test"})";
/// int8: 127 + 127 - 77 - 77 = 100 is in range, 127 + 127 alone is not: the reading decides 254.
std::string sum_of(const std::string& data, const std::string& more) {
  return R"({"op_type": "ConvolutionBackpropData", "domain": "openvino", "opset": 1, "source": "by hand", "inputs": {
    "data": {"dtype": "int8", "data": )" +
         data + R"(}, "kernel": {"dtype": "int8", "data": [[[1]], [[1]]]}})" + more + "}";
}

CaseRecord judged(const std::string& json, Backend* backend, const TemporaryFolder& folder) {
  JudgeOptions options;
  options.backend = backend;
  if (backend != nullptr) options.tolerance.judged = ToleranceChoice::Judged::backend;
  fs::create_directories(folder / "scratch");
  options.scratch = folder / "scratch";
  return judge({"case", folder.write("case.json", json)}, options);
}

void write_output(const HandedCase& handed, const Tensor& tensor) {
  FileWriter file(handed.outputs / "output_0.npy");
  write_npy(file, tensor);
  file.commit();
}

Tensor floats(const Dims& shape, const std::vector<float>& elements) {
  return Tensor::of<float>(DType::float32, shape, elements);
}

}  // namespace

TEST_CASE("judge: the rules for cases that must fail", "[check][judge]") {
  struct Row {
    Answer answer;
    bool writes;
    Verdict verdict;
  };
  // product.md: passes on error or a non-zero exit; a signal or a timeout is an error, any output a failure.
  const Row rows[] = {
      {{Status::refused, "bad node", "", {}}, false, Verdict::pass},
      {{Status::refused, "bad node", "", {}}, true, Verdict::fail},
      {{Status::broken, "killed by SIGSEGV", "", {}}, false, Verdict::error},
      {{Status::unsupported, "no such operator", "", {}}, false, Verdict::unsupported},
      {{Status::ok, "", "", {}}, true, Verdict::fail},
      {{Status::ok, "", "", {}}, false, Verdict::fail},
      {{Status::absent, "there is no folder", "", {}}, false, Verdict::skip},
  };
  const TemporaryFolder folder;
  for (const Row& row : rows) {
    Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
      if (row.writes) write_output(handed, floats(Dims{1}, {1}));
      Answer answer = row.answer;
      answer.outputs = handed.outputs;
      return answer;
    });
    const CaseRecord record = judged(kMustFail, &backend, folder);
    INFO(record.reason);
    CHECK(record.verdict == row.verdict);
    CHECK(record.reason.empty() == (row.verdict == Verdict::pass));
  }
}

TEST_CASE("judge: a backend is judged by opref's result where a case has none", "[check][judge]") {
  const TemporaryFolder folder;
  std::vector<float> gives = {2, 1};
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    write_output(handed, floats(Dims{1, 1, 2}, gives));
    return Answer{Status::ok, "", "", handed.outputs};
  });
  const std::string open = "{" + kUnpool + "}";
  CHECK(judged(open, &backend, folder).verdict == Verdict::pass);
  gives = {1, 2};
  const CaseRecord record = judged(open, &backend, folder);
  CHECK(record.verdict == Verdict::fail);
  // 1 of 0.001·1 + 1e-7 is worse than 1 of 0.001·2 + 1e-7.
  CHECK(record.reason == "output 'output' differs in 2 of 2 elements: [0,0,0] is 1 instead of 2");
  gives = {2, NAN};
  CHECK(judged(open, &backend, folder).reason ==
        "output 'output' differs in 1 of 2 elements: [0,0,1] is NaN instead of 1");
  CHECK(judged(open, nullptr, folder).verdict == Verdict::skip);
}

TEST_CASE("judge: a case's type is the first one that its operator leaves open", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string scale = R"({"dtype": "float32", "data": 1})", zero = R"({"dtype": "uint8", "data": 0})";
  const auto dtype = [&](const std::string& node) {
    return judged("{" + node + R"(, "source": "a test"})", nullptr, folder).dtype;
  };
  const std::string x = R"({"dtype": "uint8", "data": [[[1]]]})";
  // Not that of the scales, which come before the output.
  CHECK(dtype(R"("op_type": "QLinearConv", "opset": 10, "inputs": {"x": )" + x + R"(, "x_scale": )" + scale +
              R"(, "x_zero_point": )" + zero + R"(, "w": )" + x + R"(, "w_scale": )" + scale + R"(, "w_zero_point": )" +
              zero + R"(, "y_scale": )" + scale + R"(, "y_zero_point": )" + zero + "}") == "uint8");
  CHECK(dtype(R"("op_type": "QuantizeLinear", "opset": 10, "inputs": {"x": {"dtype": "float32", "data": [1]},
    "y_scale": )" +
              scale + "}") == "float32");
  // The condition can have one type alone.
  CHECK(dtype(R"("op_type": "Where", "opset": 16, "inputs": {"condition": {"dtype": "bool", "data": [true]},
    "X": {"dtype": "float16", "data": [1]}, "Y": {"dtype": "float16", "data": [1]}})") == "float16");
  CHECK(dtype(R"("op_type": "Gather", "opset": 13, "inputs": {"data": {"dtype": "int16", "data": [1]},
    "indices": {"dtype": "int64", "data": [0]}})") == "int16");
  CHECK(dtype(R"("op_type": "SequenceAt", "opset": 11, "inputs": {"input_sequence": {"sequence": [{"dtype": "float32",
    "data": [1]}]}, "position": {"dtype": "int64", "data": 0}})") == "float32");
}

TEST_CASE("judge: what does not pass has the values of small inputs", "[check][judge]") {
  const TemporaryFolder folder;
  const auto values = [&](const std::string& data, const std::string& sum) {
    return judged(
               R"({"op_type": "Add", "opset": 14, "source": "a test", "inputs": {"A": {"dtype": "float32", "data": )" +
                   data +
                   R"(}, "B": {"dtype": "float32", "data": 0.5}}, "expect": {"C": {"dtype": "float32", "data": )" +
                   sum + "}}}",
               nullptr, folder)
        .values;
  };
  using Values = std::vector<std::pair<std::string, std::string>>;
  CHECK(values("[[1, 2], [3, 4]]", "[[1.5, 2.5], [3.5, 4.5]]").empty());
  CHECK(values("[[1, 2], [3, 4]]", "[[1.5, 2.5], [3.5, 4]]") == Values{{"A", "[[1,2],[3,4]]"}, {"B", "0.5"}});
  std::string many = "[0";
  for (int i = 0; i < 32; ++i) many += ", 0";
  CHECK(values(many + "]", many + "]") == Values{{"B", "0.5"}});
}

TEST_CASE("judge: a sequence of a JSON case in every form that an output may have", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string construct =
      R"({"op_type": "SequenceConstruct", "opset": 11, "source": "a test", "inputs": {"inputs":
    [{"dtype": "bfloat16", "data": [1]}, {"dtype": "bfloat16", "data": [2, 3]}]}, "expect": {"output_sequence":
    {"sequence": [{"dtype": "bfloat16", "data": [1]}, {"dtype": "bfloat16", "data": [2, 3]}]}}})";
  const auto bfloats = [](const std::vector<std::uint16_t>& bits) {
    return Tensor::of<std::uint16_t>(DType::bfloat16, Dims{std::ssize(bits)}, bits);
  };
  const Sequence right{DType::bfloat16, {bfloats({0x3f80}), bfloats({0x4000, 0x4040})}};
  Sequence given = right;
  std::function<void(const fs::path&)> write;
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    write(handed.outputs);
    return Answer{Status::ok, "", "", handed.outputs};
  });
  const auto in_folder = [&](const std::string& name) {
    return [&, name](const fs::path& outputs) {
      fs::create_directory(outputs / name);
      for (size_t i = 0; i < given.elements.size(); ++i)
        write_value((outputs / name / format("{}.npy", i)).string(), "", given.elements[i]);
    };
  };
  const auto in_file = [&](const std::string& name) {
    return [&, name](const fs::path& outputs) { write_value((outputs / name).string(), "", given); };
  };
  const std::vector<std::function<void(const fs::path&)>> forms = {in_file("output_0.pb"), in_file("output_0.npz"),
                                                                   in_file("output_sequence.npz"),
                                                                   in_folder("output_0"), in_folder("output_sequence")};
  for (const auto& form : forms) {
    write = form;
    CHECK(judged(construct, &backend, folder).reason.empty());
    given.elements = {right.elements[1], right.elements[0]};
    CHECK(judged(construct, &backend, folder).reason.starts_with("output 'output_sequence' differs: "));
    given = right;
  }
  write = [](const fs::path&) {};
  CHECK(
      judged(construct, &backend, folder).reason ==
      "output 'output_sequence' is missing: neither output_0.pb, output_0.npy nor output_sequence.npy, nor as .npz or "
      "as the folder of a sequence output_0 or output_sequence");
  write = [&](const fs::path& outputs) {
    fs::create_directory(outputs / "output_0");
    FileWriter file(outputs / "output_0/0.npy");
    file.write("no array");
    file.commit();
  };
  const CaseRecord broken = judged(construct, &backend, folder);
  CHECK(broken.verdict == Verdict::error);
  CHECK(broken.reason.find(folder.path().string()) == std::string::npos);
  CHECK(broken.reason.find("in output_0/0.npy, in output_0, in output 'output_sequence'") != std::string::npos);
}

TEST_CASE("judge: what is expected keeps to the limit of memory", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string json =
      R"({"op_type": "Add", "opset": 14, "source": "a test", "inputs": {"A": {"dtype": "int8", "data": 1},
    "B": {"dtype": "int8", "data": 1}}, "expect": {"C": {"dtype": "int8", "shape": [100], "file": "c.bin"}}})";
  folder.write("c.bin", std::string(100, '\2'));
  JudgeOptions options;
  options.evaluation.threads = 1;
  const FoundCase found{"case", folder.write("case.json", json).string()};
  for (const std::int64_t bytes : {102, 103}) {  // A, B and C are beside it
    options.evaluation.max_bytes = bytes;
    const CaseRecord record = judge(found, options);
    CHECK(record.lacks_memory == (bytes == 102));
    CHECK(record.reason == (bytes == 102 ? "int8[100] takes 100 bytes, but the limit leaves 99"
                                         : "output 'C' differs: shape [], but [100] is expected"));
  }
}

TEST_CASE("judge: what is expected and a backend's outputs keep to the limit together", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string json = R"({"op_type": "Add", "opset": 14, "source": "a test", "inputs": {"A": {"dtype": "int8",
    "data": 1}, "B": {"dtype": "int8", "data": 1}}, "expect": {"C": {"dtype": "int8", "shape": [100], "file": "c.bin"}}})";
  folder.write("c.bin", std::string(100, '\2'));
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    save_npz(handed.outputs / "C.npz",
             {{"C", Tensor::of<std::int8_t>(DType::int8, {100}, std::array<std::int8_t, 100>{})}});
    return Answer{Status::ok, "", "", handed.outputs};
  });
  fs::create_directories(folder / "scratch");
  JudgeOptions options;
  options.backend = &backend;
  options.scratch = folder / "scratch";
  options.evaluation.threads = 1;
  const FoundCase found{"case", folder.write("case.json", json).string()};
  for (const std::int64_t bytes : {199, 200}) {
    options.evaluation.max_bytes = bytes;
    const CaseRecord record = judge(found, options);
    CHECK(record.verdict == (bytes == 199 ? Verdict::error : Verdict::fail));
    CHECK(record.lacks_memory == (bytes == 199));
    CHECK((record.reason.find("but the limit leaves 99") != std::string::npos) == (bytes == 199));
  }
}

TEST_CASE("judge: a sequence without elements has the type that is expected", "[check][judge]") {
  const TemporaryFolder folder;
  const std::string empty = R"({"op_type": "SequenceEmpty", "opset": 11, "source": "a test", "attributes": {"dtype": 7},
    "expect": {"output": {"sequence": [], "dtype": "int64"}}})";
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    fs::create_directory(handed.outputs / "output");
    return Answer{Status::ok, "", "", handed.outputs};
  });
  CHECK(judged(empty, &backend, folder).reason.empty());
}

TEST_CASE("judge: a reading that a case chooses is no backend's fault", "[check][judge]") {
  const TemporaryFolder folder;
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    return Answer{Status::unsupported, "asked", "", handed.outputs};
  });
  const std::string saturate = R"(, "readings": {"openvino.integer_overflow": "saturate"})";
  // 127 + 127 is out of int8's range: what comes of it is the reading's choice.
  const CaseRecord decided = judged(sum_of("[[[127], [127]]]", saturate), &backend, folder);
  CHECK(decided.verdict == Verdict::unsupported);
  CHECK(decided.reason == "no backend can be told its reading, which decides it: openvino.integer_overflow=saturate");
  CHECK(backend.asked == 0);
  // 1 + 2 is not: the backend is judged.
  CHECK(judged(sum_of("[[[1], [2]]]", saturate), &backend, folder).reason == "asked");
  CHECK(backend.asked == 1);
}

TEST_CASE("judge: the readings that decide a case are recorded, whoever is judged", "[check][judge]") {
  const TemporaryFolder folder;
  Scripted backend(Backend::Needs::files, [&](const HandedCase& handed) {
    return Answer{Status::unsupported, "asked", "", handed.outputs};
  });
  for (Backend* judged_one : {static_cast<Backend*>(nullptr), static_cast<Backend*>(&backend)}) {
    const std::string expect = R"(, "expect": {"output": {"dtype": "int8", "data": [[[-2]]]}})";
    const CaseRecord record = judged(sum_of("[[[127], [127]]]", expect), judged_one, folder);
    if (judged_one == nullptr) CHECK(record.verdict == Verdict::pass);
    REQUIRE(record.readings.size() == 1);
    CHECK(record.readings[0].name == "openvino.integer_overflow");
    CHECK(record.readings[0].others == std::vector<std::string>{"saturate"});
    CHECK((record.readings[0].possible.empty() && !record.readings[0].selected));
    CHECK(judged(sum_of("[[[1], [2]]]", R"(, "expect": {"output": {"dtype": "int8", "data": [[[3]]]}})"), judged_one,
                 folder)
              .readings.empty());
  }
}

TEST_CASE("judge: readings of outputs of any size are confirmed", "[check][judge]") {
  const TemporaryFolder folder;
  // 70,000 elements, one of which overflows: above what `run` evaluates again.
  std::string zeros(70000, '\0');
  zeros[69999] = 127;
  folder.write("x.bin", zeros);
  const auto json = [](int other) {
    return R"({"op_type": "ConvolutionBackpropData", "domain": "openvino", "opset": 1, "source": "by hand", "inputs": {
      "data": {"dtype": "int8", "shape": [1, 1, 70000], "file": "x.bin"}, "kernel": {"dtype": "int8", "data": [[[)" +
           std::to_string(other) + "]]]}}}";
  };
  const CaseRecord overflows = judged(json(2), nullptr, folder);
  REQUIRE(overflows.readings.size() == 1);
  CHECK((overflows.readings[0].others.size() == 1 && overflows.readings[0].possible.empty()));
  CHECK(judged(json(1), nullptr, folder).readings.empty());
}

TEST_CASE("judge: what a failing output is explained by", "[check][judge]") {
  const TemporaryFolder folder;
  const auto explained = [&](const std::string& data, const std::string& wrong) {
    return judged(sum_of(data, R"(, "expect": {"output": {"dtype": "int8", "data": [[[)" + wrong + "]]]}}"), nullptr,
                  folder)
        .explained_by;
  };
  CHECK(explained("[[[127], [127]]]", "127") == "reading openvino.integer_overflow=saturate");
  CHECK(explained("[[[127], [127]]]", "5").empty());
}

TEST_CASE("judge: a reading within the case's rule comes before a mistake to the bit", "[check][judge]") {
  const TemporaryFolder folder;
  // opset 11 crops the first of [w0, w1, w2 + 2 w0, 2 w1, 2 w2 + 3 w0, 3 w1, 3 w2], rule-1 the last. The sums in
  // float32, each product and sum rounded (Python 3.11, numpy 2.1), are what "odd pad on the other side, float32
  // accumulation in order" gives to the bit.
  const CaseRecord record = judged(R"({"op_type": "ConvTranspose", "opset": 11, "source": "by hand",
    "attributes": {"strides": [2], "output_shape": [6]},
    "inputs": {"X": {"dtype": "float32", "data": [[[1, 2, 3]]]}, "W": {"dtype": "float32", "data": [[[0.1, 0.3, 0.7]]]}},
    "expect": {"Y": {"dtype": "float32", "data": [[["0x3dcccccd", "0x3e99999a", "0x3f666666", "0x3f19999a",
                                                   "0x3fd9999a", "0x3f666667"]]]}},
    "tolerance": {"rtol": 1e-3}})",
                                   nullptr, folder);
  CHECK(record.verdict == Verdict::fail);
  CHECK(record.explained_by.starts_with("reading conv_transpose.split=rule-1"));
  REQUIRE(record.causes.size() == 1);
  CHECK(record.causes[0].link.starts_with("https://"));
  CHECK(record.causes[0].meaning.starts_with("opref's default differs: "));
  CHECK_FALSE(record.unexplained);
  const CaseRecord unknown = judged(R"({"op_type": "ConvTranspose", "opset": 11, "source": "by hand",
    "inputs": {"X": {"dtype": "float32", "data": [[[1]]]}, "W": {"dtype": "float32", "data": [[[1]]]}},
    "expect": {"Y": {"dtype": "float32", "data": [[[5]]]}}})",
                                    nullptr, folder);
  CHECK((unknown.unexplained && unknown.causes.empty()));
}

TEST_CASE("judge: another reading within the bound of its kernels, beside strings that are right", "[check][judge]") {
  const TemporaryFolder folder;
  // The probits of 0.75, 0.3125 and 0.875 by Winitzki's formula, each step in float32 (numpy 2.1); its bits are not
  // those of the exact formula.
  const auto record_of = [&](const std::string& last) {
    return judged(R"({"domain": "ai.onnx.ml", "op_type": "LinearClassifier", "opset": 1, "source": "numpy",
    "attributes": {"coefficients": [0.75, 0.3125, 0.875], "intercepts": [0, 0, 0], "post_transform": "PROBIT",
                   "classlabels_strings": ["a", "b", "c"]},
    "inputs": {"X": {"dtype": "float32", "data": [[1]]}},
    "expect": {"Y": {"dtype": "string", "data": ["c"]},
               "Z": {"dtype": "float32", "data": [["0x3f2cb0e7", "0xbefa45da", ")" +
                      last + R"("]]}}})",
                  nullptr, folder);
  };
  const CaseRecord record = record_of("0x3f9344bb");
  CHECK(record.verdict == Verdict::fail);
  REQUIRE(record.causes.size() == 1);
  CHECK(record.causes[0].name == "reading post_transform.probit=winitzki, float32 arithmetic");
  CHECK(record.causes[0].meaning.starts_with("opref's default differs: "));
  CHECK(record_of("0x3f9350bb").causes.empty());
}

TEST_CASE("judge: causes beside sums: two readings, another version, narrower types, NaN", "[check][judge]") {
  const TemporaryFolder folder;
  struct Row {
    std::string json, expected;  ///< the case without its source, the plainest cause
  };
  const Row rows[] = {
      // Version 11 takes the softmax of axis 0 over all numbers together, 13 over columns: of equal numbers a half
      // each.
      {R"("op_type": "Softmax", "opset": 11, "attributes": {"axis": 0}, "inputs": {"input": {"dtype": "float64",
        "data": [[1, 2], [1, 2]]}}, "expect": {"output": {"dtype": "float64", "data": [[0.5, 0.5], [0.5, 0.5]]}})",
       "mistake computed as Softmax-13"},
      // The window of both elements and the one that starts in the padding; of equal numbers the last.
      {R"("op_type": "MaxPool", "opset": 22, "attributes": {"kernel_shape": [2], "strides": [3], "pads": [0, 1],
        "ceil_mode": 1}, "inputs": {"X": {"dtype": "float32", "data": [[[7, 7, 1]]]}}, "outputs": ["Y", "Indices"],
        "readings": {"max_pool.empty": "lowest_finite"},
        "expect": {"Y": {"dtype": "float32", "data": [[[7, -3.4028234663852886e38]]]},
                   "Indices": {"dtype": "int64", "data": [[[1, 0]]]}})",
       "readings max_pool.ceil_drop=keep, max_pool.tie=last"},
      {R"("op_type": "MaxPool", "opset": 12, "attributes": {"kernel_shape": [2]}, "inputs": {"X": {"dtype": "float32",
        "data": [[[1, "NaN", 3]]]}}, "expect": {"Y": {"dtype": "float32", "data": [[[1, 3]]]}})",
       "mistake NaN passed over"},
      // 2^32 + 1 and 2^31; 2^-1074 and 3.5e38.
      {R"("op_type": "Concat", "opset": 13, "attributes": {"axis": 0}, "inputs": {"inputs": [{"dtype": "int64",
        "data": [4294967297]}, {"dtype": "int64", "data": [2147483648]}]},
        "expect": {"concat_result": {"dtype": "int64", "data": [1, -2147483648]}})",
       "int64 carried as int32"},
      {R"("op_type": "Transpose", "opset": 13, "inputs": {"data": {"dtype": "float64", "data": [5e-324, -3.5e38, 1.5]}},
        "expect": {"transposed": {"dtype": "float64", "data": [0, -3.4028234663852886e+38, 1.5]}})",
       "float64 carried as float32"},
      // 2^62 + 1 and 2^62 in double: 2^63 is too large and becomes the largest; 2^53 + 1 becomes 2^53; in float 2^30 +
      // 1
      // would be 2^30.
      {R"("op_type": "ReduceSum", "opset": 1, "inputs": {"data": {"dtype": "int64", "data": [[4611686018427387905,
        4611686018427387904], [9007199254740993, 2], [1, 1073741824]]}}, "attributes": {"axes": [1], "keepdims": 0},
        "expect": {"reduced": {"dtype": "int64", "data": [9223372036854775807, 9007199254740994, 1073741825]}})",
       "integers added as float64"},
      // 2^31 + 5, in float 2^31: the largest float below it, or what x86 makes of it; the sum itself would be
      // -2147483643.
      {R"("op_type": "ReduceSum", "opset": 1, "inputs": {"data": {"dtype": "int32", "data": [[1073741824, 1073741824, 5]]}},
        "attributes": {"axes": [1]}, "expect": {"reduced": {"dtype": "int32", "data": [[2147483520]]}})",
       "integers added as float32, carried as int32"},
      {R"("op_type": "ReduceSum", "opset": 1, "inputs": {"data": {"dtype": "int32", "data": [[1073741824, 1073741824, 5]]}},
        "attributes": {"axes": [1]}, "expect": {"reduced": {"dtype": "int32", "data": [[-2147483648]]}})",
       "integers added as float32, carried as int32, -2^31 for too large sums"},
      {R"("op_type": "Add", "opset": 14, "inputs": {"A": {"dtype": "uint8", "data": [200]}, "B": {"dtype": "uint8",
        "data": [100]}}, "expect": {"C": {"dtype": "uint8", "data": [255]}})",
       "integer overflow saturates"},
      // 2^-24 three times and 1, two by two; then 1 alone of 1 + 2^-23, which in order is 1.
      {R"("op_type": "ReduceSum", "opset": 1, "inputs": {"data": {"dtype": "float32", "data": [
        [1, 5.9604644775390625e-8, 5.9604644775390625e-8, 5.9604644775390625e-8],
        [1, 5.9604644775390625e-8, 5.9604644775390625e-8, 0]]}}, "attributes": {"axes": [1], "keepdims": 0},
        "expect": {"reduced": {"dtype": "float32", "data": [1.00000011920928955078125, 1]}})",
       "float32 accumulation in any order (within its error bound)"}};
  for (const Row& row : rows) {
    const CaseRecord record = judged("{" + row.json + R"(, "source": "by hand"})", nullptr, folder);
    INFO(row.json << "\n" << record.reason);
    CHECK(record.verdict == Verdict::fail);
    CHECK(record.explained_by.substr(0, row.expected.size()) == row.expected);
  }
}

}  // namespace judge_test
