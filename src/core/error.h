// SPDX-License-Identifier: Apache-2.0
// The one exception of the project, and the sentences it carries.
#pragma once

#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/text.h"

namespace opref::core {

/// What kind of trouble an error is. The values are the program's exit codes.
enum class Fault {
  usage = 2,        ///< the command line: options, names, missing values
  malformed = 3,    ///< a file that cannot be read as what it is
  invalid = 4,      ///< a node that breaks its specification
  unsupported = 5,  ///< an operator, opset or type that opref does not know
  system = 6,       ///< file system, memory limit
  internal = 70,    ///< a bug in opref
};

/// "usage", "malformed", … as in the files of must-fail cases.
std::string_view name(Fault fault);

/// What a user may do about an error, by a name that programs read: each room has those of what it throws. The program
/// that shows the error says how that is done: its options are no business of who throws.
class Remedy {
 public:
  constexpr explicit Remedy(std::string_view name) : name_(name) {}
  constexpr std::string_view name() const { return name_; }
  friend constexpr bool operator==(Remedy, Remedy) = default;

 private:
  std::string_view name_;
};
inline constexpr Remedy kNoRemedy{""};
inline constexpr Remedy kMoreMemory{"more_memory"};  ///< a greater limit of memory
inline constexpr Remedy kKnownNames{"known_names"};  ///< one of the names that there are

/// A remedy with what it needs, where its comment says so.
struct WayOut {
  WayOut(Remedy what = kNoRemedy, std::string with = "") : remedy(what), argument(std::move(with)) {}

  Remedy remedy;
  std::string argument;
};

/// A fault, one sentence that says the rule and both values, and where it happened, innermost place first. Who handles
/// it asks for its kind, never for the words of its message.
class Error : public std::exception {
 public:
  Error(Fault fault, std::string message, WayOut way_out = {});

  Fault fault() const { return fault_; }
  const std::string& message() const { return message_; }
  const WayOut& way_out() const { return way_out_; }
  Remedy remedy() const { return way_out_.remedy; }
  /// The attribute whose value the operator's schema refuses; empty of all other errors.
  const std::string& attribute() const { return attribute_; }
  Error& set_attribute(std::string name);
  Error& set_way_out(WayOut way_out);
  const std::vector<std::string>& places() const { return places_; }
  /// Adds the next outer place ("in node 'pool1' (LpPool-18)").
  Error& add_place(std::string place);
  /// The message and below it the places, indented by two, without a final newline.
  std::string text() const;
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  Fault fault_;
  std::string message_, attribute_;
  WayOut way_out_;
  std::vector<std::string> places_;
};

/// Throws Error with the message that `pattern` gives with each {} replaced by an argument.
template <class... A>
[[noreturn]] void fail(Fault fault, std::string_view pattern, const A&... arguments) {
  throw Error(fault, format(pattern, arguments...));
}

/// The same with a way out, which the message leaves out.
template <class... A>
[[noreturn]] void fail(Fault fault, WayOut way_out, std::string_view pattern, const A&... arguments) {
  throw Error(fault, format(pattern, arguments...), std::move(way_out));
}

/// A rule of the specification: `ok`, or an `invalid` error with this message.
template <class... A>
void require(bool ok, std::string_view pattern, const A&... arguments) {
  if (!ok) [[unlikely]]
    fail(Fault::invalid, pattern, arguments...);
}

/// Runs `body`; an Error that leaves it gets `place()` (a callable that makes the text) as its next outer place.
template <class Place, class Body>
decltype(auto) at_place(const Place& place, const Body& body) {
  try {
    return body();
  } catch (Error& error) {
    error.add_place(place());
    throw;
  }
}

/// ", did you mean 'kernel_shape'?" with the only other candidate that begins with `name`, else the nearest, or
/// "" where none is near.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

}  // namespace opref::core
