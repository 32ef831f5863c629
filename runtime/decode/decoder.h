// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interface of the decoder. The decoder may be in another library
// (libtprt-code.so), so it passes its functions in a structure.
#ifndef TPRT_DECODE_DECODER_H
#define TPRT_DECODE_DECODER_H

#include "sites/code_site.h"

namespace tprt {

// Increased whenever CodeReader, or a type that it names, changes.
constexpr uint32_t kCodeReaderVersion = 11;

// The functions of libtprt-code.so.
struct CodeReader {
  uint32_t bytes, version;
  // The functions return this text if there was no memory. It is compared by
  // its address.
  const char *noMemory;
  // Adds the sites of a module to `out`, in order of address. Returns nullptr,
  // or the reason why there are no sites. Acquires no lock, and allocates only
  // pages from the system.
  const char *(*read)(const CodeView &view, Array<CodeSite> &out);
  // Adds the instructions of the functions that contain these offsets.
  const char *(*readInside)(const CodeView &view, const uint32_t *offsets,
                            size_t count, InnerCode &out);
};

// The decoder: the one in libtprt-code.so (code/open_decoder.cpp), or the one
// in this library (decoder_inside.cpp). If there is no decoder, sets `*fault`
// to a sentence and returns nullptr. Called without the lock. libtprt.a does
// not contain this function.
const CodeReader *openCodeReader(const char **fault) __attribute__((weak));

} // namespace tprt

#endif
