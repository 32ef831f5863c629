# What `cmake --install` puts where. Included last, when all targets exist; the
# subfolders hold no install rules of their own.
include(CMakePackageConfigHelpers)

set(cmake_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tp)

foreach(target tp_plugin tp_pass)
  if(TARGET ${target})
    install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()

# libtprt. The imported targets are written by hand in TpConfig.cmake, which
# keeps the names Tp::tprt and Tp::tprt_static apart from the build's own.
foreach(target tprt_shared tprt_static)
  if(TARGET ${target})
    install(TARGETS ${target}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET tprt_near)
  install(FILES ${CMAKE_BINARY_DIR}/lib/tprt_near.o DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/tprt
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")

# The driver, and its other names as links, so that all find the same libraries.
if(TARGET tp-clang)
  install(TARGETS tp-clang RUNTIME DESTINATION bin)
  install(CODE [[
    set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
    file(MAKE_DIRECTORY "${root}/libexec/tp")
    file(CREATE_LINK tp-clang "${root}/bin/tp-clang++" SYMBOLIC)
    file(CREATE_LINK ../../bin/tp-clang "${root}/libexec/tp/clang" SYMBOLIC)
    file(CREATE_LINK ../../bin/tp-clang "${root}/libexec/tp/clang++" SYMBOLIC)
  ]])
  install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/tp-llvm-ar ${CMAKE_BINARY_DIR}/bin/tp-llvm-ranlib
    DESTINATION bin)
endif()
if(TARGET tp-select)
  install(TARGETS tp-select RUNTIME DESTINATION bin)
endif()

# find_package(Tp)
set(TPRT_SOVERSION 0)
if(TARGET tprt_shared)
  get_target_property(TPRT_SOVERSION tprt_shared SOVERSION)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TpConfig.cmake.in
  ${CMAKE_BINARY_DIR}/cmake/TpConfig.cmake
  INSTALL_DESTINATION ${cmake_package_dir}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/TpConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_BINARY_DIR}/cmake/TpConfig.cmake
  ${CMAKE_BINARY_DIR}/cmake/TpConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TpInstrument.cmake
  DESTINATION ${cmake_package_dir})

# pkg-config; the prefix is found from the file's own place.
file(RELATIVE_PATH TP_PC_PREFIX
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" TP_PC_PREFIX "${TP_PC_PREFIX}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/tprt.pc.in
  ${CMAKE_BINARY_DIR}/cmake/tprt.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/cmake/tprt.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# Documents.
file(GLOB documents CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/docs/*.md)
install(FILES ${documents} ${CMAKE_SOURCE_DIR}/README.md
  ${CMAKE_SOURCE_DIR}/CHANGELOG.md ${CMAKE_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(section 1 3 7)
  file(GLOB pages CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/man/*.${section})
  if(pages)
    install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man${section})
  endif()
endforeach()
if(EXISTS ${CMAKE_SOURCE_DIR}/man/tp-clang.1)
  install(CODE "
    file(CREATE_LINK tp-clang.1
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1/tp-clang++.1\"
      SYMBOLIC)")
endif()

if(TP_BUILD_TESTS AND TARGET tp_plugin AND TARGET tprt_shared AND TARGET tp-clang)
  add_test(NAME install
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/run.sh
            ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND} ${TP_CLANG} ${TP_CLANGXX})
endif()
