#include "spec/operator.h"

#include "core/error.h"

namespace opref {

Operator Operator::summary(std::string_view text) && {
  summary_ = text;
  return std::move(*this);
}

Operator Operator::link(std::string_view url) && {
  link_ = url;
  return std::move(*this);
}

Operator Operator::category(std::string_view text) && {
  category_ = text;
  return std::move(*this);
}

Operator Operator::version(std::int64_t since_version, const std::function<void(OpSchema&)>& change) && {
  if (!versions_.empty() && versions_.back().since_version() >= since_version)
    fail(Fault::internal, "versions of {} do not ascend at {}", op_type_, since_version);
  OpSchema schema = versions_.empty() ? OpSchema{} : versions_.back();
  schema.since_version_ = since_version;
  schema.wordings_.clear();
  change(schema);
  versions_.push_back(std::move(schema));
  return std::move(*this);
}

Operator Operator::output_types(std::vector<TensorType> (*function)(const Call&)) && {
  output_types_ = function;
  return std::move(*this);
}

Operator Operator::geometry(std::vector<Dims> (*function)(const Call&)) && {
  geometry_ = function;
  return std::move(*this);
}

Operator Operator::kernel(std::vector<Tensor> (*function)(const Call&, std::span<const TensorType>)) && {
  kernel_ = function;
  return std::move(*this);
}

Operator Operator::notes(std::vector<Note> (*function)(const Call&)) && {
  notes_ = function;
  return std::move(*this);
}

const OpSchema& Operator::schema_for(std::int64_t opset) const {
  const OpSchema* newest = nullptr;
  for (const OpSchema& schema : versions_)
    if (schema.since_version() <= opset) newest = &schema;
  require(newest != nullptr, "{} came with opset {}, but the opset is {}", op_type_, versions_.front().since_version(),
          opset);
  return *newest;
}

}  // namespace opref
