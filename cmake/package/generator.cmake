# CPack reads this for each kind of package, before it installs. The archive holds all
# components in one file, below one folder of its own name.
if(CPACK_GENERATOR STREQUAL TXZ)
  set(CPACK_MONOLITHIC_INSTALL ON)
  set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
  set(CPACK_PACKAGE_FILE_NAME tp-${CPACK_PACKAGE_VERSION}-${CPACK_TP_ARCH})
  set(CPACK_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
endif()
