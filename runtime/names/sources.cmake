# The names of functions: a demangler, and patterns. The runtime, the tools and the compiler
# plugin are all built with these files.
include(${CMAKE_CURRENT_LIST_DIR}/../demangle/sources.cmake)
set(TP_PATTERN_SOURCES glob.cpp match.cpp shorten.cpp)
list(TRANSFORM TP_PATTERN_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
set(TP_NAMES_SOURCES ${TP_DEMANGLE_SOURCES} ${TP_PATTERN_SOURCES})
