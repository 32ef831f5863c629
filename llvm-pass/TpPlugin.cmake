# tp_configure_plugin(target name): what libtp.so and libtppass.so have in common.
# Bound at load (-z now), so that a compiler of another version fails there and
# not in the middle of a compilation; -Bsymbolic, so that a second copy loaded
# from another path calls its own functions.
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
  set_target_properties(${target} PROPERTIES
    PREFIX "lib"
    OUTPUT_NAME ${name}
    POSITION_INDEPENDENT_CODE ON
    BUILD_RPATH "$ORIGIN"
    INSTALL_RPATH "$ORIGIN"
    BUILD_WITH_INSTALL_RPATH ON)
endfunction()
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
