// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The name of a recording's file, and how the file is made.
#ifndef TPRT_RECORD_FILE_NAME_H
#define TPRT_RECORD_FILE_NAME_H

#include "base/visibility.h"
#include "tprt/tprt.h"

#include <stddef.h>

namespace tprt {

constexpr size_t kMostPath = 1024;

// Makes a new file under this name, in which %p, %n and %% are replaced, and
// stores the path and a descriptor that is out of the program's way. An earlier
// recording is unlinked, so that nobody who has it mapped is harmed.
//
// If `keepsFamilyFiles` is set, a recording of another process of the family
// (record/family.h) is not replaced: the process's number is added to the name.
// Set at the start by TPRT_OPTIONS=record=.
extern bool keepsFamilyFiles TPRT_HIDDEN;
tprt_status createRecording(const char *name, char (&path)[kMostPath],
                            int &file);

} // namespace tprt

#endif
