// SPDX-License-Identifier: Apache-2.0
// The names of tensors that a user can say. Between the files of `bind`.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "io/case.h"
#include "schema/op_schema.h"

namespace opref::run {

/// Which tensors of the graph a NAME can mean.
enum class Names : std::uint8_t { inputs, outputs, any };

/// A name that an argument can begin with.
struct KnownName {
  std::string name;
  std::vector<std::string> tensors;  ///< of the graph, that it means: of a variadic parameter any number
  std::string list = {};             ///< the variadic parameter whose name it is, or among whose tensors it is
  bool ambiguous = false;  ///< the operator's name for its tensor, but also the name of a tensor of another node
  bool inner = false;      ///< another node gives it: a value for it takes the place of what computes it

  bool is_list() const { return !list.empty() && list == name; }
};

class KnownNames {
 public:
  explicit KnownNames(Names which) : which_(which) {}
  /// A name that the only node's subgraphs read from around them.
  void add_read_inside(const std::string& name) {
    add(name);
    has_read_inside_ = true;
  }
  void add(std::string name, std::vector<std::string> tensors, std::string list = {}, bool ambiguous = false);
  /// A name that a node gives and another one reads.
  void add_inner(const std::string& name) {
    const size_t before = names_.size();
    add(name);
    if (names_.size() > before) names_.back().inner = true;
  }
  /// A name of the graph itself.
  void add(const std::string& name) { add(name, {name}); }

  /// What was added so far are the tensors that can be given by place.
  void end_places() { places_ = names_.size(); }

  const KnownName* find(std::string_view name) const;
  /// "@2=FILE" with the name of the second place instead, unless a tensor is called "@2"; a variadic parameter has all
  /// places from its own on. A `usage` error for a place that there is not.
  std::string by_name(std::string_view argument) const;
  /// The longest name that the argument begins with, before "=" or ":DTYPE"; a `usage` error if there is none.
  const KnownName& of_argument(std::string_view argument) const;
  /// The `usage` error for a name that is not among these; it offers the nearest.
  [[noreturn]] void unknown(std::string_view name) const;
  const std::vector<KnownName>& list() const { return names_; }

 private:
  const KnownName* longest(std::string_view argument) const;

  Names which_;
  size_t places_ = 0;
  std::vector<KnownName> names_;
  std::unordered_map<std::string, size_t> place_of_;  ///< in names_
  bool has_read_inside_ = false;
};

/// The only tensor that the name means; a `usage` error where that is unclear.
const std::string& tensor_of(const KnownName& known);

/// Actual names of a node by its formal parameters: those of a variadic one together.
std::vector<KnownName> by_parameters(std::span<const FormalParameter> formal, std::span<const std::string> actual);

/// What stands in the argument behind `known`: the tensor's source.
TensorSource parse_source(const KnownName& known, std::string_view argument);

}  // namespace opref::run
