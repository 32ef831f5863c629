// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// libtprt-inject.so and the libtprt.so for musl contain this reader of code. So
// this file takes the places of start.cpp and of optional/opencode.cpp there.
#include "code/frames.h"
#include "code/reader.h"
#include "core/code.h"

namespace tprt {

static constexpr CodeReader kReader = {sizeof(CodeReader), kCodeReaderVersion,
                                       kNoMemory, readSites, readInstructions};

static const CodeReader *openCode(const char **) { return &kReader; }

OpenCodeReader *const openCodeReader = openCode;

} // namespace tprt
