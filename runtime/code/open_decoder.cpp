// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens libtprt-code.so, which reads code without sleds (runtime/decode/), when
// the first selector requests such code. This file is not part of libtprt.a,
// nor of the libraries that contain decode/.
#include "base/os_loader.h"
#include "decode/decoder.h"

#include <stdio.h>

namespace tprt {

const CodeReader *openCodeReader(const char **fault) {
  static char text[512];
  auto *start = reinterpret_cast<const CodeReader *(*)()>(
      symbolInOwnFolder("libtprt-code.so", "tprt_code_start", fault));
  if (!start) {
    snprintf(text, sizeof text,
             "%s; install libtprt-code.so in the folder of libtprt.so", *fault);
    *fault = text;
    return nullptr;
  }
  const CodeReader *reader = start();
  if (reader->bytes == sizeof *reader && reader->version == kCodeReaderVersion)
    return reader;
  *fault = "libtprt-code.so is of another build than libtprt.so; install both "
           "from one build";
  return nullptr;
}

} // namespace tprt
