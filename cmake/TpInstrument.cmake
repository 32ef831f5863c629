# tp_instrument(TARGET <target>
#               [ENTRY <N>[,<M>]]   sleds of N nops at entry, M before the label
#               [EXIT]              sleds before returns and tail calls
#               [SLOT auto|none]
#               [FILTER <file>...]  special-case lists, sections [always], [never]
#               [STATIC])           links Tp::tprt_static instead of Tp::tprt
#
# Compiles the C and C++ sources of <target> with the plugin and links libtprt;
# by lld if its property INTERPROCEDURAL_OPTIMIZATION is on.
# The compiler has to be a clang 22. Without ENTRY and EXIT only
# functions with an attribute get sleds.
function(tp_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg "EXIT;STATIC" "TARGET;ENTRY;SLOT" "FILTER")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tp_instrument: unknown argument '${arg_UNPARSED_ARGUMENTS}'; "
      "expected TARGET, ENTRY, EXIT, SLOT, FILTER or STATIC")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tp_instrument: no value after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "tp_instrument: TARGET must name a target, not '${arg_TARGET}'")
  endif()
  foreach(language C CXX)
    if(CMAKE_${language}_COMPILER AND NOT
       (CMAKE_${language}_COMPILER_ID STREQUAL "Clang" AND
        CMAKE_${language}_COMPILER_VERSION VERSION_GREATER_EQUAL 22 AND
        CMAKE_${language}_COMPILER_VERSION VERSION_LESS 23))
      message(FATAL_ERROR "tp_instrument: the plugin needs clang 22, but the "
        "${language} compiler is ${CMAKE_${language}_COMPILER_ID} "
        "${CMAKE_${language}_COMPILER_VERSION}: configure with "
        "-DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22")
    endif()
  endforeach()

  set(options -fplugin=${TP_PLUGIN})
  if(DEFINED arg_ENTRY)
    # "2,0" and the list 2;0 are the same to CMake's users.
    string(REPLACE ";" "," entry "${arg_ENTRY}")
    list(APPEND options -fplugin-arg-tp-entry=${entry})
  endif()
  if(arg_EXIT)
    list(APPEND options -fplugin-arg-tp-exit)
  endif()
  if(DEFINED arg_SLOT)
    list(APPEND options -fplugin-arg-tp-slot=${arg_SLOT})
  endif()
  foreach(file ${arg_FILTER})
    get_filename_component(file ${file} ABSOLUTE)
    list(APPEND options -fplugin-arg-tp-filter=${file})
    set_property(TARGET ${arg_TARGET} APPEND PROPERTY OBJECT_DEPENDS ${file})
  endforeach()
  foreach(option ${options})
    target_compile_options(${arg_TARGET} PRIVATE
      $<$<COMPILE_LANGUAGE:C,CXX>:${option}>)
  endforeach()

  set(runtime Tp::tprt)
  if(arg_STATIC)
    set(runtime Tp::tprt_static)
  endif()
  # With link-time optimisation by that property sleds are placed in the linker,
  # and lld alone loads the pass.
  set(lto $<BOOL:$<TARGET_PROPERTY:${arg_TARGET},INTERPROCEDURAL_OPTIMIZATION>>)
  set(link_options
    "$<${lto}:-fuse-ld=lld;LINKER:--load-pass-plugin=${TP_PASS_PLUGIN}>")
  # By properties: target_link_libraries() must not be called with PRIVATE where
  # the project calls it without.
  set(scopes "")
  get_target_property(type ${arg_TARGET} TYPE)
  if(type STREQUAL "OBJECT_LIBRARY" OR type STREQUAL "STATIC_LIBRARY")
    set(scopes INTERFACE_)
  endif()
  foreach(scope "" ${scopes})
    set_property(TARGET ${arg_TARGET} APPEND PROPERTY ${scope}LINK_OPTIONS ${link_options})
    set_property(TARGET ${arg_TARGET} APPEND PROPERTY ${scope}LINK_LIBRARIES ${runtime})
  endforeach()
endfunction()
