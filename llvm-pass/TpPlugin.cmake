# tp_configure_plugin(target name): what libtp.so and libtppass.so have in common.
# Both are bound at load (-z now), so that a compiler of another version fails to
# load them, and does not fail in the middle of a compilation. With -Bsymbolic, a
# second copy that is loaded from another path calls its own functions.
function(tp_configure_plugin target name)
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR}
                                               ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../runtime/include)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST} NDEBUG)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions -fvisibility=hidden
      -fvisibility-inlines-hidden -Wall -Wextra -Wno-unused-parameter>)
  target_link_options(${target} PRIVATE -Wl,-z,now -Wl,-z,undefs -Wl,-Bsymbolic
                                        -Wl,--as-needed)
  # No function of it is called, so --as-needed would leave it out.
  target_link_libraries(${target} PRIVATE -Wl,--push-state,--no-as-needed tp_check -Wl,--pop-state)
  set_target_properties(${target} PROPERTIES
    PREFIX "lib"
    OUTPUT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN"
    BUILD_WITH_INSTALL_RPATH ON)
endfunction()
# Both plugins are linked to this library, so that the loader relocates it first:
# clang-plugin/HostCheck.cpp.
if(NOT TARGET tp_check)
  add_library(tp_check SHARED ${CMAKE_CURRENT_LIST_DIR}/../clang-plugin/HostCheck.cpp)
  target_compile_definitions(tp_check PRIVATE TP_LLVM_VERSION=${LLVM_VERSION_MAJOR})
  target_compile_options(tp_check PRIVATE -fno-plt -fno-rtti -fno-exceptions -Wall -Wextra)
  target_link_options(tp_check PRIVATE -Wl,-z,now -nodefaultlibs)
  target_link_libraries(tp_check PRIVATE c)
  set_target_properties(tp_check PROPERTIES OUTPUT_NAME tpcheck)
endif()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
