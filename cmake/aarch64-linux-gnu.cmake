# The toolchain file for AArch64 Linux: Debian's cross compiler builds libtprt and its
# tests, and qemu's user-mode emulator runs them. Used by CrossAArch64.cmake.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
# The variables of the emulator:
#  - G_SLICE: qemu 7.2 keeps translated code in memory of GLib's own allocator. If
#    another thread holds that allocator's lock at a fork, the lock stays locked in the
#    child. malloc has no such fault, because the C library's fork handlers handle its
#    locks. GLib 2.76 and later have no allocator of their own.
#  - pauth-impdef: qemu signs return addresses by a quick function. With the
#    architected function, a call takes about 2 us.
set(CMAKE_CROSSCOMPILING_EMULATOR env G_SLICE=always-malloc QEMU_CPU=max,pauth-impdef=on qemu-aarch64 -L /usr/aarch64-linux-gnu)

# TP_AARCH64_ROOT: where scripts/fetch-aarch64.sh has put libraries of Debian's packages.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${TP_AARCH64_ROOT})
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
