# Finds the LLVMs that tp has libraries for. The plugin and the pass use LLVM's C++
# classes, which differ between major versions, so each major gets its own libtp.so and
# libtppass.so. TP_LLVM_MAJORS chooses the majors; if it is empty, these are all
# supported majors that are installed. docs/reference/compilers.md says what each major
# can do.
#
# Sets TP_LLVMS, the majors from the newest to the oldest, TP_LLVM_NEWEST, and for each
# major N:
#
#   TP_LLVM_N_PREFIX       the folder that holds its bin, include and lib
#   TP_LLVM_N_DEFINITIONS  the macros that its headers need
#
# The variables of LLVM's own package (LLVM_TOOLS_BINARY_DIR and so on) are those of the
# newest major, for which the tools are built. Without TP_PLUGIN, TP_LLVMS is empty and
# clang's headers are not needed. LLVM_DIR may name the folder of an
# LLVMConfig.cmake in an unusual place; its major is then taken from there.
set(TP_LLVM_SUPPORTED 22 21 20 19 18 17 16)
set(TP_LLVM_MAJORS "" CACHE STRING "Major versions of LLVM to build the plugin for; empty: all that are installed")

# tp_llvm_major(<folder> <variable>) reads the major from LLVMConfigVersion.cmake.
function(tp_llvm_major folder variable)
  set(${variable} "" PARENT_SCOPE)
  if(EXISTS ${folder}/LLVMConfigVersion.cmake)
    file(STRINGS ${folder}/LLVMConfigVersion.cmake line REGEX "set\\(PACKAGE_VERSION " LIMIT_COUNT 1)
    if(line MATCHES "\"([0-9]+)\\.")
      set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
    endif()
  endif()
endfunction()

if(LLVM_DIR)
  tp_llvm_major(${LLVM_DIR} major)
  if(major)
    get_filename_component(prefix ${LLVM_DIR}/../../.. ABSOLUTE)
    set(TP_LLVM_${major}_PREFIX ${prefix} CACHE PATH "LLVM ${major}")
  endif()
endif()

# tp_llvm_missing(<major> <variable>) sets the variable to what is not installed of this
# major, or to nothing.
function(tp_llvm_missing major variable)
  set(missing)
  set(prefix ${TP_LLVM_${major}_PREFIX})
  tp_llvm_major(${prefix}/lib/cmake/llvm found)
  if(NOT EXISTS ${prefix}/include/llvm/Config/llvm-config.h OR NOT "${found}" STREQUAL "${major}")
    list(APPEND missing llvm-${major}-dev)
  endif()
  if(TP_PLUGIN AND NOT EXISTS ${prefix}/include/clang/Basic/Version.h)
    list(APPEND missing libclang-${major}-dev)
  endif()
  set(${variable} ${missing} PARENT_SCOPE)
endfunction()

set(TP_LLVMS)
foreach(major ${TP_LLVM_SUPPORTED})
  set(TP_LLVM_${major}_PREFIX /usr/lib/llvm-${major} CACHE PATH "LLVM ${major}")
  mark_as_advanced(TP_LLVM_${major}_PREFIX)
  if(TP_LLVM_MAJORS AND NOT major IN_LIST TP_LLVM_MAJORS)
    continue()
  endif()
  tp_llvm_missing(${major} missing)
  if(NOT missing)
    list(APPEND TP_LLVMS ${major})
  elseif(TP_LLVM_MAJORS)
    list(JOIN missing " and " missing)
    message(FATAL_ERROR "TP_LLVM_MAJORS names LLVM ${major}, but ${TP_LLVM_${major}_PREFIX} lacks what "
      "${missing} would install; -DTP_LLVM_${major}_PREFIX=FOLDER names another folder")
  endif()
endforeach()
foreach(major ${TP_LLVM_MAJORS})
  if(NOT major IN_LIST TP_LLVM_SUPPORTED)
    list(JOIN TP_LLVM_SUPPORTED ", " supported)
    message(FATAL_ERROR "TP_LLVM_MAJORS names LLVM ${major}, but tp ${PROJECT_VERSION} is for ${supported}")
  endif()
endforeach()
if(NOT TP_LLVMS)
  list(JOIN TP_LLVM_SUPPORTED ", " supported)
  message(FATAL_ERROR "no LLVM found that tp ${PROJECT_VERSION} is for (${supported}): install "
    "llvm-22-dev and libclang-22-dev ('make setup' does), or set LLVM_DIR to the folder of "
    "an LLVMConfig.cmake")
endif()
list(GET TP_LLVMS 0 TP_LLVM_NEWEST)
if(TP_PLUGIN)
  list(JOIN TP_LLVMS ", " majors)
  message(STATUS "The plugin is built for clang ${majors}")
else()
  set(TP_LLVMS)
endif()

# find_package() can be called for one LLVM only, because its imported targets have the
# same names in each. The definitions of the others are read from the same file.
foreach(major ${TP_LLVMS})
  file(STRINGS ${TP_LLVM_${major}_PREFIX}/lib/cmake/llvm/LLVMConfig.cmake line
    REGEX "^set\\(LLVM_DEFINITIONS " LIMIT_COUNT 1)
  string(REGEX MATCH "\"(.*)\"" line "${line}")
  separate_arguments(TP_LLVM_${major}_DEFINITIONS NATIVE_COMMAND "${CMAKE_MATCH_1}")
endforeach()
set(LLVM_DIR ${TP_LLVM_${TP_LLVM_NEWEST}_PREFIX}/lib/cmake/llvm CACHE PATH "The newest LLVM" FORCE)
# LLVM's package checks each file of its imported targets, programs too, unless it finds this
# target (LLVMConfig.cmake). Nothing here uses these targets, and scripts/fetch-aarch64.sh
# fetches no programs.
if(CMAKE_CROSSCOMPILING)
  add_library(LLVMSupport INTERFACE IMPORTED)
endif()
find_package(LLVM REQUIRED CONFIG)
