# tp_target(<variable> <name> <major>) sets the variable to the name of the target that
# is built for LLVM <major>. The newest major's targets have the plain names.
function(tp_target variable name major)
  if(major EQUAL TP_LLVM_NEWEST)
    set(${variable} ${name} PARENT_SCOPE)
  else()
    set(${variable} ${name}_llvm${major} PARENT_SCOPE)
  endif()
endfunction()

# tp_place(<target> <name> <major>): the library is lib/tp/llvm-<major>/lib<name>.so. The
# newest major's library also has a link in lib/.
function(tp_place target name major)
  set_target_properties(${target} PROPERTIES
    PREFIX "lib"
    OUTPUT_NAME ${name}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/tp/llvm-${major})
  install(TARGETS ${target} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tp/llvm-${major} COMPONENT clang-${major})
  if(NOT major EQUAL TP_LLVM_NEWEST)
    return()
  endif()
  # Not when CMake runs: CMake lets ninja delete what an older build made at this place.
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E create_symlink tp/llvm-${major}/lib${name}.so
            ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/lib${name}.so
    VERBATIM)
  tp_install_link(tp/llvm-${major}/lib${name}.so ${CMAKE_INSTALL_LIBDIR}/lib${name}.so clang-${major})
endfunction()

# tp_add_check(<major>) adds the library to which both plugins of a major are linked, so
# that the loader relocates it first: clang-plugin/HostCheck.cpp.
function(tp_add_check major)
  tp_target(target tp_check ${major})
  add_library(${target} SHARED ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../clang-plugin/HostCheck.cpp)
  target_compile_definitions(${target} PRIVATE TP_LLVM_VERSION=${major})
  target_compile_options(${target} PRIVATE -fno-plt -fno-rtti -fno-exceptions -Wall -Wextra)
  target_link_options(${target} PRIVATE -Wl,-z,now -nodefaultlibs)
  target_link_libraries(${target} PRIVATE c)
  tp_place(${target} tpcheck ${major})
endfunction()

# tp_add_plugin(<name> <major> <target> <source>...): libtp.so or libtppass.so for one
# major. Both are bound at load (-z now), so that a compiler of another version fails to
# load them, and does not fail in the middle of a compilation. With -Bsymbolic, a second
# copy that is loaded from another path calls its own functions.
function(tp_add_plugin name major target)
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}
                                               ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime/include)
  target_include_directories(${target} SYSTEM PRIVATE ${TP_LLVM_${major}_PREFIX}/include)
  target_compile_definitions(${target} PRIVATE ${TP_LLVM_${major}_DEFINITIONS} NDEBUG)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -fvisibility=hidden
      -fvisibility-inlines-hidden -Wall -Wextra -Wno-unused-parameter>)
  target_link_options(${target} PRIVATE -Wl,-z,now -Wl,-z,undefs -Wl,-Bsymbolic
                                        -Wl,--as-needed)
  # No function of it is called, so --as-needed would leave it out.
  tp_target(check tp_check ${major})
  target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed ${check} -Wl,--pop-state)
  set_target_properties(${target} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN"
    BUILD_WITH_INSTALL_RPATH ON)
  tp_group_files(${target})
  tp_place(${target} ${name} ${major})
endfunction()
