# The demangler. names/sources.cmake says who is built with it.
set(TP_DEMANGLE_SOURCES demangle.cpp expressions.cpp legacy_rust.cpp operators.cpp parse_names.cpp parser.cpp print.cpp
  print_expressions.cpp rust.cpp rust_types.cpp templates.cpp types.cpp)
list(TRANSFORM TP_DEMANGLE_SOURCES PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
