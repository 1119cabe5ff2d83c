# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` copies, and the .deb and the .tar.gz that CPack makes of it.
# The target package_files makes what is installed beside the program; without it the program is installed alone.
include(GNUInstallDirs)
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON) # no tests are built to install the program
set(packaging ${PROJECT_SOURCE_DIR}/scripts/packaging)

# Copyright files and licences of what is compiled and linked into the program, which Debian's package manager knows.
find_program(python3 python3)
set(archives ${small_libraries})
list(FILTER archives INCLUDE REGEX "\\.a$")
add_custom_target(notices
  COMMAND ${python3} ${packaging}/notices.py --compiler ${CMAKE_CXX_COMPILER} --build ${PROJECT_BINARY_DIR}
          --output ${PROJECT_BINARY_DIR}/notices --commit-header ${PROJECT_BINARY_DIR}/cli/commit.h
          --sysroot=${CMAKE_SYSROOT} ${archives}
  DEPENDS opref VERBATIM)
add_custom_target(manual
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${PROJECT_BINARY_DIR}/manual
  COMMAND ${python3} ${packaging}/manual.py ${PROJECT_BINARY_DIR}/manual ${CMAKE_CROSSCOMPILING_EMULATOR}
          $<TARGET_FILE:opref>
  DEPENDS opref VERBATIM)
add_custom_target(package_files DEPENDS opref manual notices)

set(documents ${CMAKE_INSTALL_DOCDIR})
install(TARGETS opref RUNTIME)
install(FILES cli/completion/opref.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME opref)
install(FILES cli/completion/opref.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _opref)
install(FILES cli/completion/opref.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${PROJECT_BINARY_DIR}/manual/ DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
install(DIRECTORY ${PROJECT_BINARY_DIR}/notices DESTINATION ${documents} OPTIONAL)
install(FILES ${packaging}/copyright DESTINATION ${documents})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${documents} OPTIONAL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_CONTACT "The maintainers of opref <maintainers@opref.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "evaluates neural-network operators as their specification says")
set(CPACK_PACKAGE_DESCRIPTION "Reads an operator or a model (JSON, ONNX, OpenVINO) and its tensors, evaluates it by the rules of the
opset in force, and writes, compares or explains the outputs: each the exact value of the specification's formula, rounded once.")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
string(REPLACE "x86_64" "amd64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
string(REPLACE "aarch64" "arm64" CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CPACK_DEBIAN_PACKAGE_ARCHITECTURE})
if(NOT CMAKE_CROSSCOMPILING) # whose program is static
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON) # finds none in the static program, and the right ones in another
endif()
set(CPACK_PACKAGE_FILE_NAME opref-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
include(CPack)
