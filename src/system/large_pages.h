// SPDX-License-Identifier: Apache-2.0
// Memory in large pages: of small ones, each costs a fault when it is first written.
#pragma once

#include "core/memory.h"

namespace opref::system {

/// From now on tensors get such memory, where they are large enough. Some of what was given back is kept for the next
/// request, up to 32 MiB in all; what is fresh takes no memory before it is written. Where AddressSanitizer watches,
/// which would not see an access beyond the end of large pages, memory that is not asked to be zero is not.
void use_large_pages();
/// Gives what is kept back to the system: for tests that measure memory, which what is kept would hide.
void release_kept_memory();

}  // namespace opref::system
