// SPDX-License-Identifier: Apache-2.0
// openvino Range, versions 1 (opset1), 4 (opset4)
#include "ops/operator_file.h"
#include "ops/shared/numbers.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_range {
namespace {
double number(const Call& call, std::string_view name) { return Elements(call.input(name)).number(0); }

/// The number itself, or, of an integer output, what is left of it without its fraction.
Elements::Wide whole(const Call& call, std::string_view name) {
  const Elements x(call.input(name));
  if (!x.is_floating()) return x.wide(0);
  require(std::abs(x.number(0)) < 0x1p63, "{} is {}, which is no int64", name, x.number(0));
  return static_cast<std::int64_t>(x.number(0));
}

std::vector<ValueType> output_types(const Call& call) {
  const DType dtype = call.version() < 4 ? call.type("start").dtype : element_type_of(call, "output_type");
  for (const std::string_view name : {"start", "stop", "step"}) require_scalar(call, name);
  if (is_floating(dtype)) {
    for (const std::string_view name : {"start", "stop", "step"})
      require(std::isfinite(number(call, name)), "{} is {}, but must be finite", name, number(call, name));
    require(number(call, "step") != 0, "step is 0, but must not be");
    return {
        TensorType{dtype, Dims{progression_length(number(call, "start"), number(call, "stop"), number(call, "step"))}}};
  }
  const Elements::Wide step = whole(call, "step");
  require(step != 0, "step is {}, but an integer of it is 0", number(call, "step"));
  const Elements::Wide n = progression_length(whole(call, "start"), whole(call, "stop"), step);
  require(n <= INT64_MAX, "start, stop and step would make more than 2^63 elements");
  return {TensorType{dtype, Dims{static_cast<std::int64_t>(n)}}};
}

// output0[i] = start + i·step;  of integers each without its fraction, modulo 2^bits
std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  if (is_floating(outs[0].type().dtype)) {
    const Elements start(call.input("start")), step(call.input("step"));
    return {real(outs[0], [&]<class R>(std::int64_t i, const Reader<R>& x) {
      return x.sum(x(start, 0), R::whole(i) * x(step, 0));
    })};
  }
  const Elements::Wide start = whole(call, "start"), step = whole(call, "step");
  return {wholes(outs[0],
                 [&](std::int64_t i, const WholeReader&) { return static_cast<std::uint64_t>(start + i * step); })};
}

void version_4(OpSchema& s) {
  s.anew();
  s.attribute(required(STRING, "output_type")).input("start", "T1").input("stop", "T2").input("step", "T3");
  s.output("output0", "T");
  for (const char* variable : {"T1", "T2", "T3", "T"}) s.types(variable, computed_numbers);
}
}  // namespace
Operator range() {
  return Operator("openvino", "Range")
      .summary("the numbers from start to before stop, one step apart")
      .page("generation/range-4")
      .version(1,
               [](OpSchema& s) {
                 s.input("start", "T")
                     .input("stop", "T")
                     .input("step", "T")
                     .output("output0", "T")
                     .types("T", computed_numbers);
               })
      .version(4, version_4)
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_range
