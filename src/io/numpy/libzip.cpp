#include "io/numpy/libzip.h"

#include <dlfcn.h>

#include "core/error.h"

namespace opref {

LateLibrary::LateLibrary(const char* name) : handle_(dlopen(name, RTLD_LAZY | RTLD_LOCAL)) {
  if (handle_ == nullptr) fail(Fault::system, "a library is missing: {}", dlerror());
}

void* LateLibrary::address(const char* function) const {
  void* const found = dlsym(handle_, function);
  if (found == nullptr) fail(Fault::system, "a library is not the one expected: {}", dlerror());
  return found;
}

LibZip::LibZip() : LateLibrary(OPREF_LIBZIP) {}

const LibZip& libzip() {
  static const LibZip loaded;
  return loaded;
}

}  // namespace opref
