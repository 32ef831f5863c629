// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens libtprt-options.so, which contains the code that TPRT_OPTIONS needs,
// and which lies in the folder of libtprt.so. Called once, by the library's
// constructor. Not part of libtprt.a, where joined.cpp takes its place.
#include "core/glob.h"
#include "core/status.h"
#include "optional/extension.h"

#include <dlfcn.h>
#include <string.h>

namespace tprt {

constexpr char kFile[] = "libtprt-options.so";

// Writes the path of libtprt-options.so. If this library was loaded by a name
// without a folder, the path has no folder either, and the loader searches for
// the file. Returns false if the path is too long.
static bool writePath(char (&path)[4096]) {
  Dl_info own;
  if (!dladdr(reinterpret_cast<const void *>(writePath), &own))
    own.dli_fname = "";
  auto folder = static_cast<size_t>(fileNameOf(own.dli_fname) - own.dli_fname);
  if (folder + sizeof kFile > sizeof path)
    return false;
  memcpy(path, own.dli_fname, folder);
  memcpy(path + folder, kFile, sizeof kFile);
  return true;
}

static bool isOurs(const ExtensionHead &head) {
  return head.bytes == sizeof(Hooks) && head.version == kExtensionVersion;
}

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  char path[4096];
  void *library = writePath(path)
                      ? dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
                      : nullptr;
  auto *start = library ? reinterpret_cast<decltype(tprt_options_start) *>(
                              dlsym(library, "tprt_options_start"))
                        : nullptr;
  if (!start) {
    const char *reason = dlerror();
    printLine("TPRT_OPTIONS is not followed: %s; install libtprt-options.so "
              "in the folder of libtprt.so",
              reason ? reason : "the path of libtprt.so is too long");
    return nullptr;
  }
  const Hooks *theirs = start(&runtime, text);
  if (isOurs(theirs->head))
    return theirs;
  printLine("TPRT_OPTIONS is not followed: %s is of another libtprt (interface "
            "%u of %u bytes, not %u of %zu); install both from one build",
            path, theirs->head.version, theirs->head.bytes, kExtensionVersion,
            sizeof(Hooks));
  return nullptr;
}

} // namespace tprt
