// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules whose notes do not lead to their tables. The fields of a note are
// relative to themselves (docs/reference/table-abi.md). patchelf moves notes to
// another place, for example to make room for a longer run path, and leaves
// their fields as they are. objcopy renames the symbols that bound the tables
// (--prefix-symbols), so that the fields lead nowhere. The tables themselves
// have not moved, and the section headers of the module's file give their
// places. Called in a walk of the loader's list, under the lock.
#ifndef TPRT_ELF_MOVED_NOTES_H
#define TPRT_ELF_MOVED_NOTES_H

#include "modules/sled_table.h"

namespace tprt {

// Whether the notes certainly lead to no tables. Only the first record of each
// table is checked.
bool leadsAstray(const FoundModule &found);

// The places of the tables by the section headers of the module's file, whose
// path is known. If the file cannot be read or has no such headers, all are
// empty.
TableExtents tablesInFile(const FoundModule &found);

} // namespace tprt

#endif
