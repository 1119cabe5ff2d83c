// SPDX-License-Identifier: Apache-2.0
#include "schema/types.h"

#include "core/text.h"

namespace opref::schema {
namespace {

using enum DType;
constexpr std::array kReadingOrder = {float16,        bfloat16,      float32,         float64,      int8,
                                      int16,          int32,         int64,           uint8,        uint16,
                                      uint32,         uint64,        boolean,         string,       complex64,
                                      complex128,     int4,          uint4,           int2,         uint2,
                                      uint1,          float8_e4m3fn, float8_e4m3fnuz, float8_e5m2,  float8_e5m2fnuz,
                                      float8_e8m0fnu, float6_e2m3fn, float6_e3m2fn,   float4_e2m1fn};

}  // namespace

std::vector<DType> Types::dtypes(Form form, DType key) const {
  std::vector<DType> list;
  for (const DType dtype : kReadingOrder)
    if (contains(dtype, form, key)) list.push_back(dtype);
  return list;
}

std::vector<std::string> names(const Types& types) {
  std::vector<std::string> texts;
  for (const Form form : kForms)
    for (const DType key : {DType::int64, DType::string})
      if (key == DType::int64 || is_of_maps(form))
        for (const DType dtype : types.dtypes(form, key)) texts.push_back(kind_text(ValueType(form, dtype, key)));
  return texts;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text, form;
  for (const std::string& name : names) {
    const size_t at = name.find_last_of(' ') + 1;  // of the element type, 0 where nothing is before it
    const bool is_same = !text.empty() && name.substr(0, at) == form;
    form = name.substr(0, at);
    text += is_same ? format(", {}", name.substr(at)) : format("{}{}", text.empty() ? "" : "; ", name);
  }
  return text;
}

std::string to_text(const Types& types) { return listed(names(types)); }

}  // namespace opref::schema
