// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtpcheck.so: says in plain words that the compiler has the wrong version.
// Without it, the loader would only name a symbol that this compiler does not
// have.
//
// libtp.so and libtppass.so are linked to this library. The loader relocates a
// library before those that need it. So the resolver of an ifunc in this
// library runs before the loader looks for the plugins' symbols, while a
// constructor would run afterwards, too late. A resolver may call functions of
// libc, which is relocated earlier, but none of the compiler's. So the version
// is read from the names of the LLVM libraries in the process. VersionCheck.cpp
// checks compilers that are linked statically. Runs once, on the thread that
// loads the plugin.

#include <cstdio>
#include <cstring>
#include <link.h>
#include <unistd.h>

#ifdef __GLIBC__

namespace {

/// The number N of libclang-cpp.so.N, libLLVM.so.N or libLLVM-N.so; 0 for
/// libraries of other names.
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
  /// A version other than ours, or 0 if there is none.
  int Wrong = 0;
  char Name[256];
  /// Our version is there, too. Then another plugin brought the wrong one.
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

// The function is hidden, and this file is compiled with -fno-plt. That gives a
// relocation of the kind that the loader keeps for the end, when the addresses
// of libc's functions are there.
void tp_check_host()
    __attribute__((ifunc("resolveAfterCheck"), visibility("hidden")));
}

/// Makes the loader resolve tp_check_host.
__attribute__((used)) static void (*const volatile Checked)() = tp_check_host;

#endif
