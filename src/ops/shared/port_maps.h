// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's operations share that evaluate bodies: the inputs of a body are inputs of the node, by a port map.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/infrastructure/loop-5.html
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ops/shared/control_flow.h"
#include "schema/operator.h"
namespace opref::ops {
/// The inputs of the node that the inputs of a body take: the attribute lists their places, and where it is omitted
/// they are those of the variadic input `values`, in order.
class PortMap {
 public:
  /// Faults: `invalid` (a place for each input of the body is not there, or is none of the node's inputs).
  PortMap(const Call& call, std::string_view body, std::string_view attribute);

  size_t size() const { return inputs_.size(); }
  /// Null: -1, which only the body of a loop may have.
  const Input* operator[](size_t input) const { return inputs_[input]; }
  std::vector<ValueType> types() const;
  std::vector<Value> values() const;

 private:
  std::vector<const Input*> inputs_;
};

// Loop and TensorIterator: the body again and again. Each input of the body takes what the node's input has, the same
// in each iteration, or one part of it after another, or, by a back edge, what the body gave before. An output of the
// node is what the body gives in the last iteration, or what it gives in all of them, put together along an axis.
//
// Beside the page's port_map and back_edges these are lists of places and numbers: back_edges has, for each input of
// body, the output that it takes next, or -1; sliced_inputs are the inputs of body that take parts, and axis, start,
// end, stride and part_size are about those; concatenated_outputs are outputs of the node, output_axis, output_start
// and so on are about those: they come one after another from start to end, the whole tensor. The first outputs of body
// are `own` ones, then come those of the node.

void add_iterations(OpSchema& s);

std::vector<ValueType> types_of_iterations(const Call& call, size_t own);
std::vector<Value> values_of_iterations(const Call& call, std::span<const Output> outs, size_t own);

/// Whether it may be that there is no iteration.
bool may_be_idle(const Call& call);
}  // namespace opref::ops
