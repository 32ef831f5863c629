# CPack runs this after it has installed the files of a kind of package into
# CPACK_TEMPORARY_DIRECTORY, and before it packs them: what a distribution wants otherwise
# than `cmake --install` puts it.
set(stage ${CPACK_TEMPORARY_DIRECTORY})
if(NOT CPACK_GENERATOR STREQUAL TXZ)
  file(GLOB folders LIST_DIRECTORIES ON ${stage}/*)
else()
  set(folders)
endif()

foreach(folder ${folders})
  get_filename_component(component ${folder} NAME)
  set(usr ${folder}/usr)
  if(NOT IS_DIRECTORY ${usr})
    continue()
  endif()

  # 64-bit libraries of Fedora and openSUSE are in lib64. The tools look in both.
  set(libdir ${CPACK_TP_LIBDIR})
  if(CPACK_GENERATOR STREQUAL RPM AND EXISTS ${usr}/${libdir} AND NOT libdir STREQUAL lib64)
    if(NOT libdir STREQUAL lib)
      message(FATAL_ERROR "an .rpm has its libraries in lib64: configure with -DCMAKE_INSTALL_LIBDIR=lib, not ${libdir}")
    endif()
    set(libdir lib64)
    file(RENAME ${usr}/lib ${usr}/lib64)
  endif()

  # The loader searches the folder, so a run path would be a fault; and the folder has its
  # new name.
  foreach(file ${usr}/${libdir}/pkgconfig/tprt.pc ${usr}/${libdir}/cmake/Tp/TpConfig.cmake)
    if(EXISTS ${file})
      file(READ ${file} text)
      string(REPLACE "-Wl,-rpath,\${libdir} " "" text "${text}")
      string(REPLACE "\${prefix}/lib\n" "\${prefix}/${libdir}\n" text "${text}")
      string(REPLACE "\${PACKAGE_PREFIX_DIR}/lib\"" "\${PACKAGE_PREFIX_DIR}/${libdir}\"" text "${text}")
      file(WRITE ${file} "${text}")
    endif()
  endforeach()

  if(CPACK_GENERATOR STREQUAL RPM) # their libraries may be executed
    execute_process(COMMAND find ${usr}/${libdir} -type f -name "*.so*" -exec chmod 755 {} +
      COMMAND_ERROR_IS_FATAL ANY)
  endif()

  # Compressed manual pages, as both kinds have them (Debian Policy 12.1).
  file(GLOB pages LIST_DIRECTORIES OFF ${usr}/share/man/man*/*)
  foreach(page ${pages})
    if(IS_SYMLINK ${page})
      file(READ_SYMLINK ${page} target)
      file(REMOVE ${page})
      file(CREATE_LINK ${target}.gz ${page}.gz SYMBOLIC)
    else()
      execute_process(COMMAND gzip -9n ${page} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endforeach()

  if(CPACK_GENERATOR STREQUAL DEB)
    # Debian Policy 12.5 and 12.7: copyright and changelog.
    set(doc ${usr}/share/doc/tp-${component})
    file(MAKE_DIRECTORY ${doc})
    file(READ ${CPACK_TP_SOURCE}/cmake/package/copyright copyright)
    file(WRITE ${doc}/copyright "${copyright}")
    configure_file(${CPACK_TP_SOURCE}/CHANGELOG.md ${doc}/changelog COPYONLY)
    execute_process(COMMAND gzip -9n ${doc}/changelog COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND date --utc --rfc-email --date=@$ENV{SOURCE_DATE_EPOCH}
      OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    file(WRITE ${doc}/changelog.Debian "tp-${component} (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=medium\n\n\
  * New version; changelog.gz says what has changed.\n\n -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
    execute_process(COMMAND gzip -9n ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
    if(EXISTS ${CPACK_TP_SOURCE}/cmake/package/tp-${component}.lintian)
      configure_file(${CPACK_TP_SOURCE}/cmake/package/tp-${component}.lintian
        ${usr}/share/lintian/overrides/tp-${component} COPYONLY)
    endif()
  endif()
endforeach()

# The same times in each run.
execute_process(COMMAND find ${stage} -exec touch --no-dereference --date=@$ENV{SOURCE_DATE_EPOCH} {} +
  COMMAND_ERROR_IS_FATAL ANY)
