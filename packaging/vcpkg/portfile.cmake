# libtprt alone, without a plugin and the tools, so no LLVM is needed. It contains Zydis and
# {fmt} of the versions that it is tested with.
vcpkg_download_distfile(archive
    URLS "https://tp.invalid/releases/download/v${VERSION}/tp-${VERSION}.tar.xz"
    FILENAME "tp-${VERSION}.tar.xz"
    SHA512 0 # tp-VERSION.tar.xz
)
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${archive}")
vcpkg_download_distfile(zydis
    URLS "https://deb.debian.org/debian/pool/main/z/zydis/zydis_4.0.0.orig.tar.gz"
    FILENAME "zydis-4.0.0.tar.gz"
    SHA512 78dc660b254df463da8137dc77ac40a42da6994ea63207e4eca6c5030c2bfb24b20ce918a77bf8b76d8ca40240b0a7804e7097318cca475a679d50596c6e74e2
)
vcpkg_extract_source_archive(ZYDIS_PATH ARCHIVE "${zydis}")
vcpkg_download_distfile(fmt
    URLS "https://deb.debian.org/debian/pool/main/f/fmtlib/fmtlib_9.1.0+ds1.orig.tar.gz"
    FILENAME "fmt-9.1.0.tar.gz"
    SHA512 b2efc826e385ff49d4bc9a37405efcf5b9f8b75a5bee38476312960b7198f1a7fdd4588799e5a5bca1c3082f6a1e95349be661e1359b48c2681b1a3988e4ad0e
)
vcpkg_extract_source_archive(FMT_PATH ARCHIVE "${fmt}")

set(VCPKG_BUILD_TYPE release) # TpConfig.cmake has one library for all configurations
vcpkg_cmake_configure(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS
        -DTP_RUNTIME_ONLY=ON
        -DTP_BUILD_TESTS=OFF
        "-DTP_ZYDIS_FOLDER=${ZYDIS_PATH}"
        "-DTP_ZYCORE_INCLUDE=${CURRENT_INSTALLED_DIR}/include"
        "-DTP_FMT_INCLUDE=${FMT_PATH}/include"
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(PACKAGE_NAME Tp CONFIG_PATH lib/cmake/Tp)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/share/doc" "${CURRENT_PACKAGES_DIR}/share/man")
file(INSTALL "${CMAKE_CURRENT_LIST_DIR}/usage" DESTINATION "${CURRENT_PACKAGES_DIR}/share/${PORT}")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" "${ZYDIS_PATH}/LICENSE" "${SOURCE_PATH}/cmake/package/copyright")
