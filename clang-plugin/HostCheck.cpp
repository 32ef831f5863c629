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

#include "HostCheck.h"

#include <climits>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <link.h>
#include <unistd.h>

#define TP_STRING2(X) #X
#define TP_STRING(X) TP_STRING2(X)

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

/// The libraries of tp that are being loaded.
struct Own {
  /// The folder of this library, as the loader has it.
  char Folder[PATH_MAX] = "";
  /// The user has named libtp.so, not libtppass.so.
  bool IsPlugin = false;
};

bool isNamed(const char *Path, const char *Name) {
  const char *Slash = std::strrchr(Path, '/');
  return std::strcmp(Slash ? Slash + 1 : Path, Name) == 0;
}

int noteOwn(dl_phdr_info *Info, size_t, void *To) {
  Own &O = *static_cast<Own *>(To);
  O.IsPlugin |= isNamed(Info->dlpi_name, "libtp.so");
  const auto Here = reinterpret_cast<uintptr_t>(&noteOwn);
  for (int I = 0; I != Info->dlpi_phnum; ++I) {
    const ElfW(Phdr) &Part = Info->dlpi_phdr[I];
    if (Part.p_type == PT_LOAD &&
        Here - Info->dlpi_addr - Part.p_vaddr < Part.p_memsz)
      std::snprintf(O.Folder, sizeof(O.Folder), "%s", Info->dlpi_name);
  }
  return 0;
}

/// Cuts the last part of a path, with its slash.
void cutLast(char *Path) {
  if (char *Slash = std::strrchr(Path, '/'))
    *Slash = 0;
  else
    std::strcpy(Path, ".");
}

/// The oldest and newest versions that may have libraries beside these.
constexpr int Oldest = 14, Newest = 60;

/// Writes the path of the library \p Name for \p Major. Returns whether the
/// file exists. \p Folder is .../tp/llvm-N, or the folder that holds tp/.
bool findFor(int Major, const char *Folder, const char *Name,
             char (&Path)[PATH_MAX]) {
  if (isNamed(Folder, "llvm-" TP_STRING(TP_LLVM_VERSION))) {
    char Around[PATH_MAX];
    std::snprintf(Around, sizeof(Around), "%s", Folder);
    cutLast(Around);
    std::snprintf(Path, sizeof(Path), "%s/llvm-%d/%s", Around, Major, Name);
  } else {
    std::snprintf(Path, sizeof(Path), "%s/tp/llvm-%d/%s", Folder, Major, Name);
  }
  return access(Path, R_OK) == 0;
}

/// "22, 19 and 16": the versions that have libraries.
void listVersions(const char *Folder, char *List, size_t Size) {
  int Found[Newest - Oldest + 1], Count = 0;
  char Path[PATH_MAX];
  for (int Major = Newest; Major >= Oldest; --Major)
    if (Major == TP_LLVM_VERSION || findFor(Major, Folder, "libtp.so", Path))
      Found[Count++] = Major;
  size_t Length = 0;
  for (int I = 0; I != Count && Length < Size; ++I)
    Length +=
        static_cast<size_t>(std::snprintf(List + Length, Size - Length, "%s%d",
                                          I == 0           ? ""
                                          : I + 1 == Count ? " and "
                                                           : ", ",
                                          Found[I]));
}

void checkHost() {
  Found F;
  dl_iterate_phdr(noteLibrary, &F);
  if (!F.Right && F.Wrong)
    tp_refuse_host(F.Wrong, F.Name);
}

void nothing() {}

} // namespace

void tp_refuse_host(int Major, const char *Host) {
  Own O;
  dl_iterate_phdr(noteOwn, &O);
  cutLast(O.Folder);
  const char *Name = O.IsPlugin ? "libtp.so" : "libtppass.so";
  char Fitting[PATH_MAX];
  if (findFor(Major, O.Folder, Name, Fitting)) {
    dprintf(2,
            "error: tp: '%s/%s' is for clang %d, but was loaded into a program "
            "of LLVM %d ('%s'); use '%s'\n",
            O.Folder, Name, TP_LLVM_VERSION, Major, Host, Fitting);
  } else {
    char List[256];
    listVersions(O.Folder, List, sizeof(List));
    dprintf(2,
            "error: tp: '%s/%s' is for clang %d, but was loaded into a program "
            "of LLVM %d ('%s'); tp is installed here for clang %s only\n",
            O.Folder, Name, TP_LLVM_VERSION, Major, Host, List);
  }
  _exit(1);
}

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

#else

void tp_refuse_host(int Major, const char *Host) {
  dprintf(2,
          "error: tp: this plugin is for clang %d, but was loaded into a "
          "program of LLVM %d ('%s')\n",
          TP_LLVM_VERSION, Major, Host);
  _exit(1);
}

#endif
