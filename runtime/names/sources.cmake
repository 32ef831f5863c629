# The names of functions: a demangler, and patterns. The runtime, the tools and the compiler
# plugin are all built with these files.
set(TP_NAMES_SOURCES demangle.cpp expressions.cpp glob.cpp match.cpp oldrust.cpp parser.cpp print.cpp printexpressions.cpp
  rust.cpp shorten.cpp templates.cpp types.cpp)
list(TRANSFORM TP_NAMES_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
