// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtpcheck.so: if the compiler has the wrong version, this library prints a
// message about the version. Without this library, the loader would only name a
// missing symbol.
//
// libtp.so and libtppass.so are linked to this library, and the loader
// relocates a library before its users. So the resolver of an ifunc in this
// library runs before the loader looks up the plugins' symbols. A constructor
// would run too late. The resolver may call libc, which is relocated earlier.
// The resolver cannot call functions of the compiler, so it reads the version
// from the names of the LLVM libraries in the process. VersionCheck.cpp checks
// statically linked compilers. The resolver runs once, on the thread that loads
// the plugin.

#include <cstdio>
#include <cstring>
#include <link.h>
#include <unistd.h>

#ifdef __GLIBC__

namespace {

/// The number N of libclang-cpp.so.N, libLLVM.so.N or libLLVM-N.so, or 0 for a
/// library of another name.
int llvmVersion(const char *Path) {
  const char *Slash = std::strrchr(Path, '/');
  const char *Name = Slash ? Slash + 1 : Path;
  static const char *const Begins[] = {"libclang-cpp.so.", "libLLVM.so.",
                                       "libLLVM-"};
  for (const char *Begin : Begins)
    if (size_t Length = std::strlen(Begin);
        std::strncmp(Name, Begin, Length) == 0) {
      int Version = 0;
      for (const char *C = Name + Length; *C >= '0' && *C <= '9'; ++C)
        Version = Version * 10 + (*C - '0');
      return Version;
    }
  return 0;
}

struct Found {
  /// A version other than ours, or 0 if no other version is loaded.
  int Wrong = 0;
  char Name[256];
  /// Our version is loaded, too: another plugin has loaded the wrong version.
  bool Right = false;
};

int noteLibrary(dl_phdr_info *Info, size_t, void *To) {
  Found &F = *static_cast<Found *>(To);
  int Version = llvmVersion(Info->dlpi_name);
  if (Version == TP_LLVM_VERSION)
    F.Right = true;
  if (Version == 0 || F.Right || F.Wrong)
    return 0;
  F.Wrong = Version;
  std::snprintf(F.Name, sizeof(F.Name), "%s", Info->dlpi_name);
  return 0;
}

void checkHost() {
  Found F;
  dl_iterate_phdr(noteLibrary, &F);
  if (F.Right || !F.Wrong)
    return;
  dprintf(2,
          "error: tp: this plugin is built for clang %d, but was loaded into a "
          "program of LLVM %d ('%s'); use clang-%d, the only "
          "version that tp is for\n",
          TP_LLVM_VERSION, F.Wrong, F.Name, TP_LLVM_VERSION);
  _exit(1);
}

void nothing() {}

} // namespace

extern "C" {
using Function = void();

__attribute__((used)) static Function *resolveAfterCheck() {
  checkHost();
  return nothing;
}

// The function is hidden, and this file is compiled with -fno-plt. The
// function's relocation is therefore of a kind that the loader processes last,
// when the addresses of libc's functions are known.
void tp_check_host()
    __attribute__((ifunc("resolveAfterCheck"), visibility("hidden")));
}

/// Makes the loader resolve tp_check_host.
__attribute__((used)) static void (*const volatile Checked)() = tp_check_host;

#endif
