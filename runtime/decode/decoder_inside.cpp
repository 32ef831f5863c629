// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-inject.so and the libtprt.so for musl contain this reader of code. So
// this file takes the places of decoder_start.cpp and of
// options/decoder_outside.cpp there.
#include "decode/decoder.h"
#include "decode/reader.h"
#include "decode/unwind_entries.h"

namespace tprt {

static constexpr CodeReader kReader = {sizeof(CodeReader), kCodeReaderVersion,
                                       kNoMemory, readSites, readInstructions};

static const CodeReader *openCode(const char **) { return &kReader; }

OpenCodeReader *const openCodeReader = openCode;

} // namespace tprt
