# TP_AARCH64: also build libtprt for AArch64, into lib/tp/aarch64 (where tp-clang
# looks for it), and run its tests under qemu: needs g++-aarch64-linux-gnu and
# qemu-user. A build folder of its own, aarch64/, with the toolchain file beside
# this one.
option(TP_AARCH64 "Also build libtprt for AArch64 and run its tests under qemu" OFF)
if(NOT TP_AARCH64)
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
  FILES_MATCHING PATTERN "libtprt.*")

# Its tests are among ours, each name with "aarch64." in front.
if(TP_BUILD_TESTS)
  file(WRITE ${CMAKE_BINARY_DIR}/aarch64-tests.cmake
    "if(EXISTS \"${folder}/CTestTestfile.cmake\")\n  subdirs(\"${folder}\")\nendif()\n")
  set_property(DIRECTORY ${CMAKE_SOURCE_DIR} APPEND PROPERTY
    TEST_INCLUDE_FILES ${CMAKE_BINARY_DIR}/aarch64-tests.cmake)
endif()
