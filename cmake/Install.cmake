# The install rules of all folders. Included last, when all targets exist.
#
# The build folder gets the same folders, so that it can be used like an installation.
# BuildLayout.cmake says where the targets are built. Files that are not built are
# links to the source.

# tp_link(<target> <link>) makes a symbolic link below the build folder.
function(tp_link target link)
  get_filename_component(folder ${CMAKE_BINARY_DIR}/${link} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(REMOVE ${CMAKE_BINARY_DIR}/${link})
  file(CREATE_LINK ${target} ${CMAKE_BINARY_DIR}/${link} SYMBOLIC)
endfunction()

# libtprt. The imported targets are written by hand in TpConfig.cmake, so that
# Tp::tprt and Tp::tprt_static can have other names than the build's targets.
foreach(target tprt_shared tprt_static tprt_code)
  if(TARGET ${target})
    install(TARGETS ${target}
      LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
      ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  endif()
endforeach()
if(TARGET tprt_inject) # only tpctl looks for it
  install(TARGETS tprt_inject LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tp)
endif()
if(TARGET tprt_musl_shared) # tpctl looks for it there
  install(TARGETS tprt_musl_shared LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tp/musl)
endif()
if(TARGET tprt_near)
  install(FILES ${CMAKE_BINARY_DIR}/lib/tprt_near.o DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/runtime/include/tprt
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp")
tp_link(${CMAKE_SOURCE_DIR}/runtime/include/tprt include/tprt)
# The same headers in a folder with nothing else in it. tp-clang searches that folder:
# the prefix may be shared with other packages, and their headers must not be found.
file(RELATIVE_PATH headers /prefix/${CMAKE_INSTALL_LIBDIR}/tp/include /prefix/${CMAKE_INSTALL_INCLUDEDIR}/tprt)
tp_link(../../../include/tprt lib/tp/include/tprt)
tp_install_link(${headers} ${CMAKE_INSTALL_LIBDIR}/tp/include/tprt tools)

# The driver. Its other names are links, so that all of them find the same libraries.
# tp-clang-N belongs to the package of that clang.
if(TARGET tp-clang)
  install(TARGETS tp-clang RUNTIME DESTINATION bin)
  foreach(name tp-clang++ tp-llvm-ar tp-llvm-ranlib)
    tp_install_link(tp-clang bin/${name} tools)
  endforeach()
  foreach(major ${TP_LLVMS})
    foreach(name tp-clang tp-clang++)
      tp_install_link(tp-clang bin/${name}-${major} clang-${major})
    endforeach()
  endforeach()
  foreach(name clang clang++)
    tp_install_link(../../bin/tp-clang libexec/tp/${name} tools)
  endforeach()
  foreach(name clang clang++ gcc g++ cc c++)
    tp_install_link(../../../bin/tp-clang libexec/tp/as-gcc/${name} tools)
  endforeach()
endif()
if(TARGET tp-select)
  install(TARGETS tp-select RUNTIME DESTINATION bin COMPONENT clang-${TP_LLVM_NEWEST})
endif()
if(TARGET tpctl)
  install(TARGETS tpctl RUNTIME DESTINATION bin)
  set(completion ${CMAKE_SOURCE_DIR}/tools/tpctl/completion)
  install(FILES ${completion}/tpctl.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tpctl)
  install(FILES ${completion}/_tpctl DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()

include(ConfigFiles)
include(Documents)
include(Packages)
include(Strip)

if(TP_BUILD_TESTS AND TARGET tp_plugin AND TARGET tprt_shared AND TARGET tp-clang)
  add_test(NAME install
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/run.sh
            ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND} ${TP_CLANG} ${TP_CLANGXX})
  add_test(NAME no-plugin
    COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/no-plugin.sh ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND}
            ${TP_LLVM_${TP_LLVM_NEWEST}_PREFIX} ${TP_LLVM_NEWEST})
  add_test(NAME packages COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/packages.sh ${CMAKE_BINARY_DIR})
  set_tests_properties(packages PROPERTIES TIMEOUT 1500)
  add_test(NAME release COMMAND ${CMAKE_CURRENT_LIST_DIR}/install-test/release.sh ${CMAKE_SOURCE_DIR})
  find_package(Python3 COMPONENTS Interpreter)
  if(Python3_FOUND)
    add_test(NAME documents
      COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/install-test/documents.py
              ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND})
    # Checks the documents' links, and that the check itself notices each kind
    # of fault.
    add_test(NAME links COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/scripts/check-links.py ${CMAKE_SOURCE_DIR})
    add_test(NAME links.prove COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/scripts/check-links.py --prove ${CMAKE_SOURCE_DIR})
    # The version in all files, and the recipes of packaging/.
    set(script ${CMAKE_SOURCE_DIR}/scripts/version.py)
    add_test(NAME version COMMAND Python3::Interpreter -B ${script} ${CMAKE_SOURCE_DIR})
    add_test(NAME version.prove COMMAND Python3::Interpreter -B ${script} --prove ${CMAKE_SOURCE_DIR})
    add_test(NAME recipes
      COMMAND Python3::Interpreter -B ${CMAKE_SOURCE_DIR}/scripts/check-recipes.py ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
    # What the documents quote and list, against the code, and that the checks notice each kind of fault.
    foreach(check messages reference numbers)
      set(script ${CMAKE_SOURCE_DIR}/scripts/check-${check}.py)
      add_test(NAME ${check} COMMAND Python3::Interpreter -B ${script} ${CMAKE_SOURCE_DIR})
      add_test(NAME ${check}.prove COMMAND Python3::Interpreter -B ${script} --prove ${CMAKE_SOURCE_DIR})
    endforeach()
    add_test(NAME tutorial.process
      COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/install-test/documents.py
              --only running-process.md ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND})
    # Compiles SQLite, which the machine may have to fetch.
    add_test(NAME tutorial
      COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/install-test/documents.py
              --only sqlite.md ${CMAKE_BINARY_DIR} ${CMAKE_COMMAND})
    set_tests_properties(tutorial PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900)
    # Each installation from the build folder writes the same lists of files there.
    set_tests_properties(install packages documents tutorial tutorial.process PROPERTIES RESOURCE_LOCK installation)
    # ctest starts the tests of a high cost first. Without these figures, a build folder in which no
    # test has run yet would begin the longest tests last, one after the other.
    set_tests_properties(packages PROPERTIES COST 500)
    set_tests_properties(install tutorial PROPERTIES COST 300)
  endif()
endif()
