# SPDX-License-Identifier: Apache-2.0
# Cross compilation for Linux on aarch64 by Debian's cross compiler, with the libraries that `scripts/install arm64` unpacks.
# The compiler may be clang: -DCMAKE_CXX_COMPILER=clang++-16
set(target aarch64-linux-gnu)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../../build/sysroot-arm64)
if(NOT EXISTS ${CMAKE_SYSROOT}/usr)
  message(FATAL_ERROR "the libraries for aarch64 are missing: run scripts/install arm64")
endif()
if(NOT CMAKE_CXX_COMPILER)
  set(CMAKE_CXX_COMPILER ${target}-g++)
endif()
set(CMAKE_CXX_COMPILER_TARGET ${target}) # clang takes it as --target, GCC ignores it
set(CMAKE_LIBRARY_ARCHITECTURE ${target})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER) # programs of this machine, libraries and headers of the other
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${target}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static) # custom commands and ctest start the project's programs by it
