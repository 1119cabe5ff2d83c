#include "core/time_limit.h"

namespace opref {

std::atomic<int> detail::abandoned = 0;

int abandoned_threads() { return detail::abandoned; }

}  // namespace opref
