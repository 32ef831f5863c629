# The packages that `make package` makes, into packages/ of the build folder:
#
#   tp-tools            tpctl, libtprt, its headers and documents, the driver; needs no LLVM
#   tp-clang-N          the plugin for clang N
#   tp-VERSION-ARCH.tar.xz  all of it, to be unpacked anywhere
#
# The first two as .deb and .rpm. scripts/package.sh runs CPack, and cmake/package/stage.cmake
# completes what CPack has installed. The same build makes the same files, to the bit: all
# times are SOURCE_DATE_EPOCH. Included by Install.cmake.
set(CPACK_PACKAGE_NAME tp)
set(CPACK_PACKAGE_VENDOR "tp")
set(CPACK_PACKAGE_CONTACT "tp maintainers <maintainers@tp.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "tracing of running processes by changing their code")
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/package/stage.cmake)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package/generator.cmake)
set(CPACK_THREADS 1) # several threads compress into other bytes
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

# What generator.cmake and stage.cmake need to know.
set(CPACK_TP_SOURCE ${CMAKE_SOURCE_DIR})
set(CPACK_TP_ARCH ${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_TP_LIBDIR ${CMAKE_INSTALL_LIBDIR})

# CPack takes the processor of the machine that it runs on. AArch64 is the only other one.
if(CMAKE_CROSSCOMPILING)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE arm64)
  set(CPACK_RPM_PACKAGE_ARCHITECTURE aarch64)
endif()

set(CPACK_COMPONENTS_ALL tools)
foreach(major ${TP_LLVMS})
  list(APPEND CPACK_COMPONENTS_ALL clang-${major})
endforeach()
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)

set(driver)
if(TARGET tp-clang)
  set(driver ", and the\ndriver tp-clang, for which tp-clang-N has the plugin")
endif()

# Debian's rules: Policy 4.6; deb-control(5).
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME tp-tools)
set(CPACK_DEBIAN_TOOLS_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/package/shlibs
  ${CMAKE_CURRENT_LIST_DIR}/package/triggers)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libc6 (>= 2.31)")
set(CPACK_DEBIAN_TOOLS_DESCRIPTION "tpctl counts, times and records calls of functions in running programs, and
of uninstrumented ones too. It loads libtprt into the process, which changes
instructions into calls of a handler while the threads run, and back.

The package also has libtprt for programs that use it themselves${driver}.")

# Fedora's and openSUSE's.
set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE "Apache-2.0 WITH LLVM-exception")
set(CPACK_RPM_PACKAGE_GROUP "Development/Tools")
set(CPACK_RPM_TOOLS_PACKAGE_NAME tp-tools)
set(CPACK_RPM_TOOLS_PACKAGE_SUMMARY "Count, time and record functions of running processes")
set(CPACK_RPM_TOOLS_PACKAGE_DESCRIPTION "tpctl counts, times and records calls of functions in running programs, and of
uninstrumented ones too. The package also has libtprt, the runtime, for
programs that use it themselves${driver}.")
set(CPACK_RPM_TOOLS_POST_INSTALL_SCRIPT_FILE ${CMAKE_CURRENT_LIST_DIR}/package/ldconfig.sh)
set(CPACK_RPM_TOOLS_POST_UNINSTALL_SCRIPT_FILE ${CMAKE_CURRENT_LIST_DIR}/package/ldconfig.sh)
set(CPACK_RPM_TOOLS_PACKAGE_REQUIRES "glibc >= 2.31")
# rpmbuild shall not look into libraries for AArch64, nor strip anything.
set(CPACK_RPM_PACKAGE_AUTOREQ no)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define __os_install_post %{nil}
%define debug_package %{nil}
%define _build_id_links none
%define _buildhost reproducible
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1")
# These folders are the system's.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/libexec /usr/share/man /usr/share/man/man1 /usr/share/man/man3 /usr/share/man/man7 /usr/share/bash-completion
  /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions /usr/lib64 /usr/lib64/cmake
  /usr/lib64/pkgconfig)

foreach(major ${TP_LLVMS})
  string(TOUPPER "clang-${major}" component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME tp-clang-${major})
  set(CPACK_DEBIAN_${component}_PACKAGE_DEPENDS
    "tp-tools (= ${PROJECT_VERSION}-1), clang-${major}, libc6 (>= 2.34), libstdc++6 (>= 11)")
  set(CPACK_DEBIAN_${component}_DESCRIPTION "tp-clang-${major} runs clang ${major} with a plugin that puts patchable sleds at the
entries and exits of functions. A program flips them while it runs, through
libtprt, or tpctl does from outside.")
  if(major EQUAL TP_LLVM_NEWEST) # it has links in the loader's folder
    set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/package/triggers)
  endif()
  set(CPACK_RPM_clang-${major}_PACKAGE_NAME tp-clang-${major})
  set(CPACK_RPM_clang-${major}_PACKAGE_SUMMARY "Sleds at function entry and exit for clang ${major}")
  set(CPACK_RPM_clang-${major}_PACKAGE_DESCRIPTION
    "tp-clang-${major} runs clang ${major} with a plugin that puts patchable sleds at the
entries and exits of functions.")
  math(EXPR next "${major} + 1")
  set(CPACK_RPM_clang-${major}_PACKAGE_REQUIRES
    "tp-tools = ${PROJECT_VERSION}, clang >= ${major}, clang < ${next}")
endforeach()
include(CPack)
