// SPDX-License-Identifier: Apache-2.0
// What kept a case's values from being judged.
#pragma once

#include <cstdint>

#include "core/rooms.h"

namespace opref::report {

/// The program says what each means to a user, and what to do about it.
enum class Trouble : std::uint8_t {
  none,
  // Of the backend.
  killed,             ///< a signal ended its process
  late,               ///< it did not answer in time
  machine,            ///< it says that its machine was at fault
  own_bug,            ///< it says that it has a bug
  protocol,           ///< a worker that does not answer as a worker does
  refused,            ///< it refuses a valid case
  unsupported,        ///< it says that it does not support the case
  absent,             ///< its folder has nothing of the case
  missing_output,     ///< it answered, but did not write an output
  surplus_output,     ///< it wrote a file too many
  unreadable_output,  ///< it wrote a file that is no tensor
  other_type,         ///< its output has another type or shape
  accepted,           ///< it does not refuse an invalid case
  wrong_random,       ///< its outputs are random by definition, but not as they should be
  refused_late,       ///< it refuses an invalid case, but wrote an output
  // Of opref.
  invalid_case,      ///< opref refuses it
  unreadable_case,   ///< its files are not there, or not what they should be
  unknown_to_opref,  ///< opref does not support it
  time_of_opref,     ///< opref needs more time
  memory_of_opref,   ///< opref needs more memory
  bug_of_opref,      ///< as the name says
};

}  // namespace opref::report
