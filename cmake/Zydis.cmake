# Finds Zydis, the decoder of x86-64 that libtprt-code.so contains. The source is that
# of Debian's source package: Debian builds only a shared library, and a probed program
# may use another version of that library. The headers of Zycore are Debian's
# (libzycore-dev).
#
# Sets TP_ZYDIS_SOURCES, TP_ZYDIS_INCLUDE and TP_ZYDIS_DEFINITIONS. Without the source, for
# another processor, and in builds with a sanitizer, TP_ZYDIS_SOURCES is empty, and
# libtprt-code.so is not built.
set(TP_ZYDIS_FOLDER "${CMAKE_BINARY_DIR}/sources/zydis" CACHE PATH
  "Source of Zydis 4.0; fetched by scripts/fetch-source.sh if it is not there")
set(TP_ZYDIS_SOURCES)
if(NOT TPRT_ARCH STREQUAL x86_64 OR TP_SANITIZE)
  return()
endif()
find_path(TP_ZYCORE_INCLUDE Zycore/Types.h)
if(TP_ZYCORE_INCLUDE AND NOT EXISTS ${TP_ZYDIS_FOLDER}/src/Decoder.c)
  message(STATUS "Fetching the source of Zydis")
  execute_process(COMMAND ${CMAKE_SOURCE_DIR}/scripts/fetch-source.sh zydis ${CMAKE_BINARY_DIR}/sources
    OUTPUT_QUIET)
endif()
if(NOT TP_ZYCORE_INCLUDE OR NOT EXISTS ${TP_ZYDIS_FOLDER}/src/Decoder.c)
  message(WARNING "libtprt-code.so is not built: it needs the source of Zydis, from Debian's package zydis, and "
    "libzycore-dev. Functions without sleds can't be probed then.")
  return()
endif()
tp_name_folder(${TP_ZYDIS_FOLDER} /usr/src/tp/build/sources/zydis) # a packager's is in another folder
foreach(file Decoder DecoderData Register SharedData)
  list(APPEND TP_ZYDIS_SOURCES ${TP_ZYDIS_FOLDER}/src/${file}.c)
endforeach()
set(TP_ZYDIS_INCLUDE ${TP_ZYDIS_FOLDER}/include ${TP_ZYDIS_FOLDER}/src ${TP_ZYCORE_INCLUDE})
set(TP_ZYDIS_DEFINITIONS ZYDIS_STATIC_BUILD ZYCORE_STATIC_BUILD ZYDIS_DISABLE_ENCODER ZYDIS_DISABLE_FORMATTER)
