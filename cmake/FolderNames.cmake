# The products do not contain the names of the folders where they were built, so that the same
# source makes the same files, to the bit, wherever it lies. Line tables, coverage maps and
# __FILE__ name these folders instead:
#
#   /usr/src/tp        the source folder
#   /usr/src/tp/build  the build folder
#
# In gdb, `set substitute-path /usr/src/tp FOLDER` leads to the source. A Debug build and one
# with a sanitizer or coverage are for the machine that built them, so they keep the names.
# ccache compares the options, which are the same in each build of one folder.
set(TP_NAMED_FOLDERS ON)
if(TP_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL Debug)
  set(TP_NAMED_FOLDERS OFF)
endif()

# tp_name_folder(<folder> <name>): the files of this and the lower folders of the source that
# are added from now on have <name> instead of <folder>. Of two folders, one in the other, the
# outer one is named first, because the compilers try the last option first.
function(tp_name_folder folder name)
  if(TP_NAMED_FOLDERS)
    add_compile_options(-ffile-prefix-map=${folder}=${name})
  endif()
endfunction()
tp_name_folder(${CMAKE_SOURCE_DIR} /usr/src/tp)
tp_name_folder(${CMAKE_BINARY_DIR} /usr/src/tp/build)
