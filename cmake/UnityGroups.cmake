# LLVM's and clang's headers cost more to compile than the files that include them: a folder of
# tpctl takes a third of the time if its files are compiled as one. With -DTP_UNITY=OFF, each file
# is compiled alone; do that before a change of many includes, because a file of a group also
# compiles with the headers of the files before it.
option(TP_UNITY "Compile the files of a folder that include LLVM's headers together" ON)

# tp_group_files(<target> ALONE <file>...): the files of each folder below the current one become
# one group. Files that have names in common, in unnamed namespaces, are compiled ALONE.
function(tp_group_files target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" ALONE)
  get_target_property(sources ${target} SOURCES)
  foreach(file ${sources})
    if(file MATCHES "\\.cpp$" AND NOT IS_ABSOLUTE ${file} AND NOT file IN_LIST arg_ALONE)
      get_filename_component(folder ${file} DIRECTORY)
      string(MAKE_C_IDENTIFIER "files_${folder}" group)
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${TP_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
