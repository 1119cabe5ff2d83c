// SPDX-License-Identifier: Apache-2.0
#include "ops/shared/support_vectors.h"

#include "ops/operator_file.h"
namespace opref::ops {
void with_support_vectors(OpSchema& s) {
  s.attribute(optional(FLOATS, "coefficients")).attribute(optional(FLOATS, "kernel_params"));
  s.attribute(with_default("kernel_type", "LINEAR", one_of({"LINEAR", "POLY", "RBF", "SIGMOID"})));
  s.attribute(post_transform_attribute()).attribute(optional(FLOATS, "rho"));
  s.attribute(optional(FLOATS, "support_vectors"));
}

void require_kernel_params(const Call& call) {
  const auto count = std::ssize(doubles_of(call, "kernel_params"));
  require(count == 0 || count == 3, "kernel_params has {}, but must have none or 3: gamma, coef0, degree",
          counted(count, "value"));
}
double first_rho(const Call& call) {
  const std::vector<double> rho = doubles_of(call, "rho");
  require(!rho.empty(), "rho is missing, but it is a term of every score");
  return rho[0];
}

SupportVectors::SupportVectors(const Call& call, std::int64_t count)
    : call_(call),
      count_(count),
      features_(feature_rows(call).features),
      kernel_(call.choice<SvmKernel>("kernel_type")),
      vectors_(doubles_of(call, "support_vectors")) {
  require_kernel_params(call);
  const std::vector<double> params = doubles_of(call, "kernel_params");
  if (!params.empty()) gamma_ = params[0], c_ = params[1], d_ = params[2];
  const std::int64_t needed = checked_multiply(count, features_);
  require(std::ssize(vectors_) == needed, "support_vectors has {}, but {} of {} need {}",
          counted(std::ssize(vectors_), "value"), counted(count, "support vector"), counted(features_, "feature"),
          needed);
}
}  // namespace opref::ops
