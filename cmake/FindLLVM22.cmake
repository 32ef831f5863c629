# Finds the LLVM that the plugin and the pass are built for. They use LLVM's C++
# classes, so exactly one major version fits. LLVM_DIR names another folder to
# search.
find_package(LLVM REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "LLVM ${LLVM_PACKAGE_VERSION} found in ${LLVM_DIR}, but tp ${PROJECT_VERSION} is "
    "for LLVM 22: install llvm-22-dev and libclang-22-dev ('make setup' does), or "
    "set LLVM_DIR to the folder of its LLVMConfig.cmake")
endif()
