// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens libtprt-options.so, which contains the code that TPRT_OPTIONS needs,
// and which lies in the folder of libtprt.so. Called once, by the library's
// constructor. Not part of libtprt.a, where options_inside.cpp takes its place.
#include "options/extension.h"
#include "options/open_library.h"
#include "threads/status.h"

namespace tprt {

static constexpr char kFile[] = "libtprt-options.so";

static bool isOurs(const ExtensionHead &head) {
  return head.bytes == sizeof(Hooks) && head.version == kExtensionVersion;
}

const Hooks *openExtension(const Runtime &runtime, const char *text) {
  const char *fault = nullptr;
  auto *start = reinterpret_cast<decltype(tprt_options_start) *>(
      symbolBeside(kFile, "tprt_options_start", &fault));
  if (!start) {
    printLine("TPRT_OPTIONS is not followed: %s; install libtprt-options.so "
              "in the folder of libtprt.so",
              fault);
    return nullptr;
  }
  const Hooks *theirs = start(&runtime, text);
  if (isOurs(theirs->head))
    return theirs;
  printLine("TPRT_OPTIONS is not followed: %s is of another libtprt (interface "
            "%u of %u bytes, not %u of %zu); install both from one build",
            kFile, theirs->head.version, theirs->head.bytes, kExtensionVersion,
            sizeof(Hooks));
  return nullptr;
}

} // namespace tprt
