# Toolchain file: libtprt and its tests for AArch64 Linux, by Debian's cross
# compiler, run by qemu's user-mode emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
# GLib's own allocator, in which qemu 7.2 keeps what it has translated, may be locked by
# another thread at a fork and then stays so in the child; malloc is not (fork(2)'s
# handlers in the C library). GLib 2.76 and later have none of their own.
# Return addresses are signed by qemu's own quick function: a call by the architected
# one takes some 2 us.
set(CMAKE_CROSSCOMPILING_EMULATOR env G_SLICE=always-malloc QEMU_CPU=max,pauth-impdef=on qemu-aarch64 -L /usr/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
