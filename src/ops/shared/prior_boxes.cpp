// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/prior_boxes.h"

namespace opref::ops {
std::vector<double> numbers_of(const Call& call, std::string_view attribute) {
  if (!call.has(attribute)) return {};
  const std::vector<float> numbers = call.numbers(attribute);
  return {numbers.begin(), numbers.end()};
}

void add_prior_parameters(OpSchema& s) {
  s.attribute(optional(FLOATS, "variance", above(0)))
      .input("output_size", "T_INT", "rows and columns of cells")
      .output("output0", "T_OUT", "x1, y1, x2, y2 of each box, as parts of the image; and a row of variances")
      .types("T_INT", types::integers)
      .types("T_OUT", DType::float32);
}

std::vector<ValueType> prior_types(const Call& call, std::int64_t boxes) {
  const size_t variances = numbers_of(call, "variance").size();
  require(variances == 0 || variances == 1 || variances == 4,
          "attribute 'variance' has {} values, but must have 1 or 4", variances);
  require(call.has("image_size"), "image_size is missing, but the boxes are parts of its sides");
  std::int64_t cells = 1;
  for (const std::string_view name : {"output_size", "image_size"}) {
    require(call.type(name).shape == Dims{2}, "{} has shape {}, but must be [2]: height and width", name,
            call.type(name).shape);
    const std::vector<std::int64_t> sizes = call.integers(name);
    const std::int64_t least = name == "image_size" ? 1 : 0;
    for (const std::int64_t size : sizes) require(size >= least, "{} has {}, but must be >= {}", name, size, least);
    if (name == "output_size") cells = checked_multiply(sizes[0], sizes[1]);
  }
  return {TensorType{DType::float32, Dims{2, checked_multiply(checked_multiply(cells, boxes), 4)}}};
}
}  // namespace opref::ops
