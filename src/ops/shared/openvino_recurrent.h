// SPDX-License-Identifier: Apache-2.0
// What OpenVINO's recurrent cells and sequences share. A cell is one step of a sequence: its tensors have neither the
// axis of directions nor that of steps.
// https://docs.openvino.ai/2024/documentation/openvino-ir-format/operation-sets/operation-specs/sequence/lstm-sequence-1.html
#pragma once

#include "ops/shared/recurrent.h"
namespace opref::ops {
/// How OpenVINO has a layer of ai.onnx.
struct RecurrentForm {
  std::vector<std::int64_t> rows;  ///< where the rows of each gate stand, of those in ai.onnx's order
  Names activations;               ///< where none are stated
  std::string_view state;          ///< the input
};
/// Gates f, i, c, o; z, r, h; one.
const RecurrentForm& lstm_form();
const RecurrentForm& gru_form();
const RecurrentForm& rnn_form();

/// [Y and] final states; each rule of shapes, activations and their parameters.
std::vector<ValueType> openvino_recurrent_types(const Call& call, const RecurrentForm& form);
RecurrentLayer openvino_recurrent_layer(const Call& call, const RecurrentForm& form);
LstmLayer openvino_lstm(const Call& call);
GruLayer openvino_gru(const Call& call);
RnnLayer openvino_rnn(const Call& call);

/// The attributes of all of them.
void add_recurrent_attributes(OpSchema& s, Names activations);
/// Those of sequences; `sequence_lengths` may be of any integer type.
void add_sequence_attributes(OpSchema& s);
/// rnn.length_zero, which a sequence has.
Reading sequence_length_zero_reading();
}  // namespace opref::ops
