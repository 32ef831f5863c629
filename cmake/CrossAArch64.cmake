# The option TP_AARCH64 also builds libtprt for AArch64, into lib/tp/aarch64, where
# tp-clang looks for it, and runs its tests under qemu; and tpctl, if its libraries are there. It is on by default if
# g++-aarch64-linux-gnu and qemu-user are installed. That build has its own folder,
# aarch64/, and uses the toolchain file in this folder.
find_program(TP_AARCH64_CXX aarch64-linux-gnu-g++)
find_program(TP_QEMU_AARCH64 qemu-aarch64)
set(TP_AARCH64_MISSING "")
if(NOT TP_AARCH64_CXX)
  list(APPEND TP_AARCH64_MISSING g++-aarch64-linux-gnu)
endif()
if(NOT TP_QEMU_AARCH64)
  list(APPEND TP_AARCH64_MISSING qemu-user)
endif()
if(TP_BUILD_TESTS AND NOT EXISTS /usr/src/googletest/googletest/CMakeLists.txt)
  list(APPEND TP_AARCH64_MISSING googletest)
endif()
if(TP_AARCH64_MISSING)
  set(TP_AARCH64_DEFAULT OFF)
else()
  set(TP_AARCH64_DEFAULT ON)
endif()
option(TP_AARCH64 "Also build libtprt for AArch64 and run its tests under qemu" ${TP_AARCH64_DEFAULT})
if(NOT TP_AARCH64)
  list(JOIN TP_AARCH64_MISSING ", " missing)
  if(missing)
    message(STATUS "libtprt for AArch64 is not built: not installed: ${missing}; `make setup` "
      "installs them, -DTP_AARCH64=ON then turns it on in this build folder")
  else()
    message(STATUS "libtprt for AArch64 is not built: TP_AARCH64 is off")
  endif()
  return()
endif()

include(ExternalProject)
set(folder ${CMAKE_BINARY_DIR}/aarch64)
set(TP_AARCH64_LIB ${CMAKE_BINARY_DIR}/lib/tp/aarch64)
ExternalProject_Add(tprt_aarch64
  PREFIX ${folder}/cmake
  SOURCE_DIR ${CMAKE_SOURCE_DIR}
  BINARY_DIR ${folder}
  CMAKE_ARGS
    -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake
    -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -DCMAKE_LIBRARY_OUTPUT_DIRECTORY=${TP_AARCH64_LIB}
    -DCMAKE_ARCHIVE_OUTPUT_DIRECTORY=${TP_AARCH64_LIB}
    -DTP_RUNTIME_ONLY=ON
    -DTP_BUILD_TESTS=${TP_BUILD_TESTS}
  BUILD_ALWAYS ON
  INSTALL_COMMAND ""
  USES_TERMINAL_BUILD ON)

install(DIRECTORY ${TP_AARCH64_LIB} DESTINATION ${CMAKE_INSTALL_LIBDIR}/tp
  FILES_MATCHING PATTERN "libtprt*" PATTERN later EXCLUDE PATTERN interposed EXCLUDE)

# tpctl for AArch64, in a build of its own, aarch64-tools/, which is one like those with
# -DTP_PLUGIN=OFF: scripts/package.sh makes the packages for arm64 of it. It is linked from
# Debian's libraries, which scripts/fetch-aarch64.sh fetches.
set(TP_AARCH64_ROOT ${CMAKE_BINARY_DIR}/aarch64-packages/root)
if(EXISTS ${TP_AARCH64_ROOT})
  ExternalProject_Add(tools_aarch64
    PREFIX ${CMAKE_BINARY_DIR}/aarch64-tools/cmake
    SOURCE_DIR ${CMAKE_SOURCE_DIR}
    BINARY_DIR ${CMAKE_BINARY_DIR}/aarch64-tools
    CMAKE_ARGS
      -DCMAKE_TOOLCHAIN_FILE=${CMAKE_CURRENT_LIST_DIR}/aarch64-linux-gnu.cmake
      -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE}
      -DTP_AARCH64_ROOT=${TP_AARCH64_ROOT}
      -DTP_LLVM_MAJORS=22
      -DTP_LLVM_22_PREFIX=${TP_AARCH64_ROOT}/usr/lib/llvm-22
      -DTP_LLVM_STRIP=${LLVM_TOOLS_BINARY_DIR}/llvm-strip
      -DTP_LLVM_OBJCOPY=${LLVM_TOOLS_BINARY_DIR}/llvm-objcopy
      -DTP_PLUGIN=OFF
      -DTP_AARCH64=OFF
      -DTP_BUILD_TESTS=OFF
      -DTP_BUILD_EXAMPLES=OFF
    BUILD_ALWAYS ON
    INSTALL_COMMAND ""
    USES_TERMINAL_BUILD ON)
else()
  message(STATUS "tpctl for AArch64 is not built: 'scripts/fetch-aarch64.sh ${CMAKE_BINARY_DIR}' fetches what it is linked from")
endif()

# The tests of libtprt's build belong to this build's tests. Their names begin with
# "aarch64.".
if(TP_BUILD_TESTS)
  file(WRITE ${CMAKE_BINARY_DIR}/aarch64-tests.cmake
    "if(EXISTS \"${folder}/CTestTestfile.cmake\")\n  subdirs(\"${folder}\")\nendif()\n")
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY
    TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/aarch64-tests.cmake)
endif()
