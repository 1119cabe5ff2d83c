// SPDX-License-Identifier: Apache-2.0
// openvino RegionYolo, version 1 (opset1)
#include "ops/operator_file.h"
#include "ops/shared/openvino.h"
namespace opref::ops::openvino::file_region_yolo {
namespace {
bool takes_softmax(const Call& call) { return flag_or_default(call, "do_softmax", "region_yolo.default"); }

/// How many regions each place has.
std::int64_t regions(const Call& call) {
  if (takes_softmax(call)) return call.integer("num");
  const std::int64_t masks = call.has("mask") ? std::ssize(call.integers("mask")) : 0;
  require(masks > 0, "attribute 'mask' is empty, but without do_softmax it has one value for each region");
  return masks;
}

/// Channels of a region: its coordinates, whether there is an object, the classes.
std::int64_t entries(const Call& call) {
  return checked_add(checked_add(call.integer("coords"), 1), call.integer("classes"));
}

std::vector<ValueType> output_types(const Call& call) {
  const auto& [dtype, data] = call.type("data");
  require(data.size() == 4, "data has rank {}, but must be [N, C, H, W]: rank 4", data.size());
  const std::int64_t channels = checked_multiply(regions(call), entries(call));
  require(data[1] == channels, "data has {}, but {} of coords + 1 + classes = {} channels must have {}",
          counted(data[1], "channel"), counted(regions(call), "region"), entries(call), channels);
  const size_t first = call.axis("axis", data.size()), last = call.axis("end_axis", data.size());
  require(first <= last, "attribute 'axis' is {}, but must not be after end_axis, {}", first, last);
  if (!takes_softmax(call)) return {call.type("data")};
  Dims shape = data.first(first);
  shape.push_back(element_count(data.first(last + 1).without_first(first)));
  return {TensorType{dtype, join(shape, data.without_first(last + 1))}};
}

// Of each region the first two coordinates and whether there is an object by the sigmoid function, other coordinates as
// they are, the classes by Softmax with do_softmax, else by the sigmoid function.
struct Region {
  Elements data;
  std::int64_t coords, classes, regions, plane;
  bool by_softmax;

  template <class R>
  void operator()(std::int64_t k, const Reader<R>& read, Writer<R>& write) const {
    const auto [region, place] = split(k, plane);
    const std::int64_t first = region * (coords + 1 + classes) * plane + place;
    const auto at = [&](std::int64_t entry) { return first + entry * plane; };
    const auto x = [&](std::int64_t entry) { return read(data, at(entry)); };
    for (std::int64_t entry = 0; entry < (by_softmax ? coords + 1 : coords + 1 + classes); ++entry)
      write.put(0, at(entry), [&] { return entry < 2 || entry >= coords ? sigmoid(x(entry)) : x(entry); });
    if (!by_softmax || classes == 0) return;
    R most = x(coords + 1);
    for (std::int64_t c = 1; c < classes; ++c) most = max(most, x(coords + 1 + c));
    std::vector<R> powers;
    SumOf<R> sum;
    for (std::int64_t c = 0; c < classes; ++c) {
      powers.push_back(exp(x(coords + 1 + c) - most));
      sum.add(powers.back());
    }
    const R whole = sum.total();
    for (std::int64_t c = 0; c < classes; ++c)
      write.put(0, at(coords + 1 + c), [&] { return powers[static_cast<size_t>(c)] / whole; });
  }
  std::int64_t program_of(std::size_t, std::int64_t at) const {
    const std::int64_t each = coords + 1 + classes;
    return at / plane / each * plane + at % plane;
  }
};

std::vector<Value> kernel(const Call& call, std::span<const Output> outs) {
  const Dims& data = call.type("data").shape;
  const std::int64_t plane = data[2] * data[3], count = regions(call);
  return programs(outs, data[0] * count * plane,
                  Region{Elements(call.input("data")), call.integer("coords"), call.integer("classes"), count, plane,
                         takes_softmax(call)});
}
}  // namespace
Operator region_yolo() {
  return Operator("openvino", "RegionYolo")
      .summary("the boxes and classes of regions, by sigmoid functions and Softmax")
      .page("detection/region-yolo-1")
      .category("category object detection")
      .version(1,
               [](OpSchema& s) {
                 s.attribute(optional(FLOATS, "anchors"))
                     .attribute(required(INT, "axis"))
                     .attribute(required(INT, "coords", at_least(2)))
                     .attribute(required(INT, "classes", at_least(0)))
                     .attribute(required(INT, "end_axis"))
                     .attribute(required(INT, "num", at_least(1)))
                     .attribute(with_default("do_softmax", 0, flag()))
                     .attribute(optional(INTS, "mask"))
                     .input("data", "T")
                     .output("output0", "T")
                     .types("T", computed_floats);
               })
      .reading(
          left_out_flag_reading("region_yolo.default", 1, [](const Call& call) { return !call.stated("do_softmax"); }))
      .output_types(output_types)
      .kernel(kernel);
}
}  // namespace opref::ops::openvino::file_region_yolo
