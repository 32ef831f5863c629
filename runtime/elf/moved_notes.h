// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules whose notes do not lead to their tables. The fields of a note are
// relative to themselves (docs/reference/table-abi.md). patchelf moves notes to
// another place, for example to make room for a longer run path, and leaves
// their fields as they are. objcopy renames the symbols that bound the tables
// (--prefix-symbols), so that the fields lead nowhere. The tables themselves
// are where they were, and the section headers of the module's file say where
// that is. Called in a walk of the loader's list, under the lock.
#ifndef TPRT_ELF_MOVED_NOTES_H
#define TPRT_ELF_MOVED_NOTES_H

#include "modules/sled_table.h"

namespace tprt {

// Whether what the notes lead to cannot be tables. Of each table the first
// record is looked at.
bool leadsAstray(const FoundModule &found);

// Where the tables are by the section headers of the module's file, whose path
// is known. All are empty if the file cannot be read or has no such headers.
TableExtents tablesInFile(const FoundModule &found);

} // namespace tprt

#endif
