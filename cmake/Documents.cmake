# Documents, examples and manual pages: into share/doc/tp as they lie in the source,
# so that the links from one to another hold, and into share/man. The pages of section
# 3 are made from the headers. Included by Install.cmake.
file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
file(GLOB examples CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/examples/*)
list(FILTER examples EXCLUDE REGEX "CMakeLists.txt$")
set(top README.md CHANGELOG.md CONTRIBUTING.md LICENSE)
list(TRANSFORM top PREPEND ${CMAKE_SOURCE_DIR}/)

install(FILES ${top} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(FILES ${examples} DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)
foreach(file ${top} ${CMAKE_SOURCE_DIR}/docs ${CMAKE_SOURCE_DIR}/examples)
  get_filename_component(name ${file} NAME)
  tp_link(${file} share/doc/tp/${name})
endforeach()

foreach(section 1 7)
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.${section})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  foreach(page ${pages})
    get_filename_component(name ${page} NAME)
    tp_link(${page} share/man/man${section}/${name})
  endforeach()
endforeach()
tp_link(tp-clang.1 share/man/man1/tp-clang++.1)
install(CODE "
  file(CREATE_LINK tp-clang.1
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/tp-clang++.1\"
    SYMBOLIC)")
