// SPDX-License-Identifier: Apache-2.0
#include "system/caught_error.h"

#include <new>
#include <system_error>

#include "system/machine_error.h"

namespace opref::system {

Error caught_error() {
  try {
    throw;
  } catch (const MachineError&) {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::system_error& error) {
    fail_machine("{}", error.what());
  } catch (const std::bad_alloc&) {
    fail_machine("not enough memory");
  } catch (const std::exception& error) {
    return {Fault::internal, error.what()};
  }
}

}  // namespace opref::system
