# tp_instrument(TARGET <target>
#               [ENTRY <N>[,<M>]]   sleds of N nops at entry, M before the label
#               [EXIT]              sleds before returns and tail calls
#               [ATTRIBUTES]        sleds only in functions with an attribute
#               [SLOT auto|none]    room for a jump before the label of short sleds
#               [FILTER <file>...]  special-case lists, sections [always], [never]
#               [THRESHOLD <K>]     no sled in loop-free functions of fewer instructions
#               [OPAQUE]            functions with sleds are hidden from optimisation
#               [NAMES]             names of functions with sleds stay in stripped files
#               [STATIC])           links Tp::tprt_static instead of Tp::tprt
#
# Compiles the C and C++ sources of <target> with the plugin and links libtprt. If
# the target's property INTERPROCEDURAL_OPTIMIZATION is on, lld links it. A shared
# library or module needs libtprt only if it calls libtprt; an executable always does.
# docs/reference/flags.md explains each of the flags, and docs/howto/build-cmake.md the run path of
# installed programs. The compiler has to be a clang for which this installation has a plugin.
function(tp_instrument)
  cmake_parse_arguments(PARSE_ARGV 0 arg
    "EXIT;ATTRIBUTES;OPAQUE;NAMES;STATIC" "TARGET;ENTRY;SLOT;THRESHOLD" "FILTER")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tp_instrument: unknown argument '${arg_UNPARSED_ARGUMENTS}'; "
      "expected TARGET, ENTRY, EXIT, ATTRIBUTES, SLOT, FILTER, THRESHOLD, OPAQUE, NAMES or STATIC")
  endif()
  if(arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tp_instrument: no value after ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT TARGET "${arg_TARGET}")
    message(FATAL_ERROR "tp_instrument: TARGET must name a target, not '${arg_TARGET}'")
  endif()
  # A filter file may ask for sleds by [always].
  if(NOT DEFINED arg_ENTRY AND NOT arg_EXIT AND NOT arg_ATTRIBUTES AND NOT arg_FILTER)
    message(WARNING "tp_instrument: neither ENTRY nor EXIT for ${arg_TARGET}: only functions with "
      "an attribute get sleds. ENTRY 2,0 gives every function one; ATTRIBUTES says that this is meant")
  endif()
  # Each language may have a compiler of another version.
  foreach(language C CXX)
    if(NOT CMAKE_${language}_COMPILER)
      continue()
    endif()
    string(REGEX MATCH "^[0-9]+" major "${CMAKE_${language}_COMPILER_VERSION}")
    set(folder ${TP_LIBDIR}/tp/llvm-${major})
    if(NOT CMAKE_${language}_COMPILER_ID STREQUAL "Clang" OR NOT EXISTS ${folder}/libtp.so)
      if(NOT TP_CLANG_MAJORS)
        message(FATAL_ERROR "tp_instrument: no plugin for any clang in ${TP_LIBDIR}/tp: install the "
          "package tp-clang-N, where N is the version of your clang")
      endif()
      list(JOIN TP_CLANG_MAJORS ", " majors)
      list(GET TP_CLANG_MAJORS 0 newest)
      message(FATAL_ERROR "tp_instrument: the plugin is for clang ${majors}, but the "
        "${language} compiler is ${CMAKE_${language}_COMPILER_ID} "
        "${CMAKE_${language}_COMPILER_VERSION}: configure with "
        "-DCMAKE_C_COMPILER=clang-${newest} -DCMAKE_CXX_COMPILER=clang++-${newest}")
    endif()
    target_compile_options(${arg_TARGET} PRIVATE
      $<$<COMPILE_LANGUAGE:${language}>:-fplugin=${folder}/libtp.so>)
    set(pass_plugin ${folder}/libtppass.so)
    # The lld in the compiler's own folder. Before 18, clang searches the folder of the
    # link by which it was called first, and may find the lld of another version there.
    get_filename_component(lld ${CMAKE_${language}_COMPILER} REALPATH)
    get_filename_component(lld ${lld} DIRECTORY)
    set(lld ${lld}/ld.lld)
  endforeach()

  set(options)
  if(DEFINED arg_ENTRY)
    # For users of CMake, "2,0" and the list 2;0 mean the same.
    string(REPLACE ";" "," entry "${arg_ENTRY}")
    list(APPEND options -fplugin-arg-tp-entry=${entry})
  endif()
  foreach(key EXIT OPAQUE NAMES)
    if(arg_${key})
      string(TOLOWER ${key} flag)
      list(APPEND options -fplugin-arg-tp-${flag})
    endif()
  endforeach()
  if(DEFINED arg_SLOT)
    list(APPEND options -fplugin-arg-tp-slot=${arg_SLOT})
  endif()
  if(DEFINED arg_THRESHOLD)
    list(APPEND options -fplugin-arg-tp-instruction-threshold=${arg_THRESHOLD})
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

  # If that property turns on link-time optimisation, the linker places the sleds, and
  # only lld can load the pass.
  set(lto $<BOOL:$<TARGET_PROPERTY:${arg_TARGET},INTERPROCEDURAL_OPTIMIZATION>>)
  set(lto_options -fuse-ld=lld LINKER:--load-pass-plugin=${pass_plugin})
  if(EXISTS "${lld}")
    list(APPEND lto_options --ld-path=${lld})
  endif()
  set(link_options "$<${lto}:${lto_options}>")

  # TYPE is evaluated for the target that is finally linked, because an object library
  # or static library may become part of an executable or of a shared library.
  set(executable $<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>)
  set(runtime Tp::tprt)
  if(arg_STATIC)
    set(runtime Tp::tprt_static)
  elseif(CMAKE_VERSION VERSION_GREATER_EQUAL 3.24)
    string(CONCAT runtime "$<${executable}:$<LINK_LIBRARY:TP_NO_AS_NEEDED,Tp::tprt_always>>;"
      "$<$<NOT:${executable}>:$<LINK_LIBRARY:TP_AS_NEEDED,Tp::tprt_if_called>>")
  endif()

  # This sets properties, because target_link_libraries() must not be called with
  # PRIVATE if the project calls it without.
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
