# Writes the files by which other projects find tp: those for find_package(Tp), and
# tprt.pc for pkg-config. Both are written twice, into the build folder and for
# `cmake --install`, because an installation's library folder may have a name other
# than lib. Both find the prefix relative to their own place. Included by
# Install.cmake.
include(CMakePackageConfigHelpers)

set(TPRT_SOVERSION 0)
if(TARGET tprt_shared)
  get_target_property(TPRT_SOVERSION tprt_shared SOVERSION)
endif()
# Only x86-64 has the trampolines for executables.
set(TP_PC_NEAR "")
if(TARGET tprt_near)
  set(TP_PC_NEAR "\${libdir}/tprt_near.o")
endif()

# tp_package(<folder> <libdir> <includedir> <rpath>) writes TpConfig.cmake and
# tprt.pc into <folder>; <rpath> is the linker flag for the run path in tprt.pc's Libs.
function(tp_package folder libdir includedir rpath)
  set(CMAKE_INSTALL_LIBDIR ${libdir})
  set(CMAKE_INSTALL_INCLUDEDIR ${includedir})
  configure_package_config_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TpConfig.cmake.in
    ${folder}/cmake/Tp/TpConfig.cmake
    INSTALL_DESTINATION ${libdir}/cmake/Tp
    PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${folder}/cmake/Tp/TpConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/TpInstrument.cmake ${folder}/cmake/Tp/TpInstrument.cmake COPYONLY)

  file(RELATIVE_PATH TP_PC_PREFIX /prefix/${libdir}/pkgconfig /prefix)
  string(REGEX REPLACE "/$" "" TP_PC_PREFIX "${TP_PC_PREFIX}")
  set(TP_PC_RPATH ${rpath})
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tprt.pc.in ${folder}/pkgconfig/tprt.pc @ONLY)
endfunction()

# An older version of this file wrote to the build's cmake/, where find_package()
# would look first.
file(REMOVE ${CMAKE_BINARY_DIR}/cmake/TpConfig.cmake ${CMAKE_BINARY_DIR}/cmake/TpConfigVersion.cmake)

set(rpath "-Wl,-rpath,\${libdir} ")
tp_package(${CMAKE_BINARY_DIR}/lib lib include "${rpath}")
tp_package(${CMAKE_BINARY_DIR}/cmake/installed ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR} "${rpath}")
tp_package(${CMAKE_BINARY_DIR}/cmake/installed-in-system
  ${CMAKE_INSTALL_LIBDIR} ${CMAKE_INSTALL_INCLUDEDIR} "")

install(DIRECTORY ${CMAKE_BINARY_DIR}/cmake/installed/cmake/Tp
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake)
# If the loader does not search the library folder, tprt.pc gives a run path for it.
# Otherwise a run path would be a fault. Which case applies is known only once the
# prefix is known.
install(CODE "
  set(kind installed)
  if(\"\${CMAKE_INSTALL_PREFIX}\" MATCHES \"^/usr/?$\")
    set(kind installed-in-system)
  endif()
  file(INSTALL \"${CMAKE_BINARY_DIR}/cmake/\${kind}/pkgconfig/tprt.pc\"
    DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")" COMPONENT tools)
