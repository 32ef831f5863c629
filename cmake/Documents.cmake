# Installs documents, examples and manual pages. Documents and examples go to
# share/doc/tp, in the same folders as in the source, so that links between them stay
# valid. Manual pages go to share/man; those of section 3 are made from the headers, and
# those of tpctl's verbs from the page of all verbs. Included by Install.cmake.
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*)
list(FILTER examples EXCLUDE REGEX "CMakeLists.txt$")
set(top README.md CHANGELOG.md CONTRIBUTING.md LICENSE)
list(TRANSFORM top PREPEND ${CMAKE_SOURCE_DIR}/)

install(FILES ${top} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
foreach(file ${top} ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples)
  get_filename_component(name ${file} NAME)
  tp_link(${file} share/doc/tp/${name})
endforeach()

foreach(section 1 7)
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.${section})
  set(select ${pages})
  list(FILTER select INCLUDE REGEX "/tp-select\\.1$")
  list(FILTER pages EXCLUDE REGEX "/tp-select\\.1$")
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  if(select AND TARGET tp-select)
    install(FILES ${select} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT clang-${TP_LLVM_NEWEST})
  endif()
  foreach(page ${pages} ${select})
    get_filename_component(name ${page} NAME)
    tp_link(${page} share/man/man${section}/${name})
  endforeach()
endforeach()
tp_link(tp-clang.1 share/man/man1/tp-clang++.1)

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/runtime/include/tprt/*.h
    ${CMAKE_SOURCE_DIR}/runtime/include/tprt/*.hpp)
  set(pages ${CMAKE_BINARY_DIR}/share/man/man3)
  set(script ${CMAKE_SOURCE_DIR}/man/from-headers.py)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/man/man3.stamp
    COMMAND Python3::Interpreter ${script} ${PROJECT_VERSION} ${pages} ${headers}
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/share/man/man3.stamp
    DEPENDS ${script} ${headers}
    VERBATIM)
  set(script ${CMAKE_SOURCE_DIR}/man/tpctl-verbs.py)
  add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/share/man/verbs.stamp
    COMMAND Python3::Interpreter ${script} ${CMAKE_SOURCE_DIR}/man/tpctl.1 ${CMAKE_BINARY_DIR}/share/man/man1
    COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/share/man/verbs.stamp
    DEPENDS ${script} ${CMAKE_SOURCE_DIR}/man/tpctl.1
    VERBATIM)
  add_custom_target(manual_pages ALL
    DEPENDS ${CMAKE_BINARY_DIR}/share/man/man3.stamp ${CMAKE_BINARY_DIR}/share/man/verbs.stamp)
  install(DIRECTORY ${CMAKE_BINARY_DIR}/share/man/man1/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
    FILES_MATCHING PATTERN "tpctl-*.1")
  install(DIRECTORY ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR})
else()
  message(STATUS "the manual pages of section 3 and of the verbs of tpctl are left out: no python3 to make them")
endif()

set(names tp-clang++ tp-llvm-ar tp-llvm-ranlib)
if(NOT TARGET tp-clang)
  set(names)
endif()
foreach(name ${names})
  tp_install_link(tp-clang.1 ${CMAKE_INSTALL_MANDIR}/man1/${name}.1 tools)
endforeach()
foreach(major ${TP_LLVMS})
  foreach(name tp-clang tp-clang++)
    tp_install_link(tp-clang.1 ${CMAKE_INSTALL_MANDIR}/man1/${name}-${major}.1 clang-${major})
  endforeach()
endforeach()
