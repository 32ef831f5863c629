# Sets the output folders. The build folder has the same subfolders as an install
# prefix, so that tp-clang finds its libraries in both. Also sets the components of the
# install rules, and uses ccache if it is installed.
if(NOT CMAKE_LIBRARY_OUTPUT_DIRECTORY) # CrossAArch64.cmake names another
  set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

find_program(CCACHE ccache)
mark_as_advanced(CCACHE)
if(CCACHE)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

# The components are the packages: "tools", which needs no LLVM, and "clang-N" for each
# version N of clang. Install.cmake has the rules, Packages.cmake makes the packages.
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tools)

# tp_install_link(<target> <link> <component>) installs the symbolic link
# <prefix>/<link>. <target> is relative to the link's folder.
function(tp_install_link target link component)
  install(CODE "
    set(link \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${link}\")
    get_filename_component(folder \"\${link}\" DIRECTORY)
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK \"${target}\" \"\${link}\" SYMBOLIC)" COMPONENT ${component})
endfunction()
