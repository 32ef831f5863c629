# Finds GoogleTest, and sets the prefix of test names. For another processor,
# GoogleTest is compiled from Debian's sources (package googletest).
if(NOT CMAKE_CROSSCOMPILING)
  find_package(GTest REQUIRED)
  set(TPRT_TEST_PREFIX "")
else()
  set(GTEST_SOURCES /usr/src/googletest/googletest CACHE PATH "GoogleTest's sources")
  if(NOT TARGET gtest)
    add_subdirectory(${GTEST_SOURCES} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  endif()
  foreach(library gtest gtest_main)
    if(NOT TARGET GTest::${library})
      add_library(GTest::${library} ALIAS ${library})
    endif()
  endforeach()
  set(TPRT_TEST_PREFIX "${CMAKE_SYSTEM_PROCESSOR}.")
  # Compiling these tests takes longer than running them, so they are optimised little.
  add_compile_options(-O1 -g0)
endif()
if(NOT CMAKE_CROSSCOMPILING AND NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  # Line tables alone: with -g, these tests take a third longer to compile. They keep -O2, because
  # tests of the reader and of stacks are about the code that it makes.
  add_compile_options(-g1)
endif()
