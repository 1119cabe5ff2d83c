// SPDX-License-Identifier: Apache-2.0
// What evaluation may take, and takes.
#pragma once

#include <memory>
#include <unordered_map>

#include "run/evaluate.h"

namespace opref::run {

/// What values take that live: what several of them share, the elements of a tensor or a part of a sequence, counts
/// once.
class HeldBytes {
 public:
  HeldBytes() = default;
  /// Of values inside a node; what those `around` it hold is no more because of them. May be null.
  explicit HeldBytes(std::shared_ptr<const HeldBytes> around) : around_(std::move(around)) {}
  explicit HeldBytes(const Environment& environment, std::shared_ptr<const HeldBytes> around = nullptr);
  void add(const Value& value);
  /// One that was added.
  void remove(const Value& value);
  /// Of what stays until the end and is no value.
  void add_bytes(std::int64_t bytes);
  /// With what those around hold.
  std::int64_t total() const;

 private:
  struct Shared {
    std::int64_t users, bytes;
    bool counts;
  };
  bool is_held(const void* place) const;
  /// Whether it counts from now on, as bytes(): nobody held it before.
  template <class Bytes>
  bool add_user(const void* place, const Bytes& bytes);
  /// Whether it counted, and does no longer.
  bool remove_user(const void* place);
  void add_tensor(const Tensor& tensor);
  void remove_tensor(const Tensor& tensor);

  std::shared_ptr<const HeldBytes> around_;
  std::int64_t own_ = 0;
  std::unordered_map<const void*, Shared> shared_;
};

/// What the limit leaves beside so many bytes of values.
std::int64_t room_beside(std::int64_t held, const EvaluationOptions& options);
/// What a node's evaluation may take beside that room, its outputs and all else: also of a small one a little.
inline constexpr std::int64_t kBesideRoom = std::int64_t{4} << 20;

/// Of the outputs whose shape is known before they are computed.
std::int64_t total_bytes(std::span<const ValueType> types);
/// That a step's outputs, those up to the last one that the node names, fit beside `held` bytes of values, with what
/// threads work in; else a `system` error.
void require_memory(const Step& step, std::int64_t held, const EvaluationOptions& options);

/// That values of so many bytes may be held; else a `system` error.
void require_memory(std::int64_t held, const EvaluationOptions& options);

}  // namespace opref::run
