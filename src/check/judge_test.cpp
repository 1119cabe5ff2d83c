// Verdicts on a backend that answers what a test says, and on opref itself.
#include "check/judge.h"

#include <catch2/catch.hpp>
#include <functional>

#include "core/error.h"
#include "explain/evaluated.h"
#include "io/folder_testing.h"

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
  CHECK((record.verdict == Verdict::fail && record.reason == "output 'output' differs"));
  CHECK(judged(open, nullptr, folder).verdict == Verdict::skip);
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
