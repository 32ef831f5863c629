// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Modules whose notes do not refer to their tables. The fields of a note are
// relative to themselves (docs/reference/table-abi.md). patchelf moves notes to
// another address, for example to make room for a longer run path, but does not
// adjust their fields. objcopy renames the symbols that bound the tables
// (--prefix-symbols), so that the fields have no target. The tables themselves
// have not moved, and the section headers of the module's file give their
// addresses. Called in a walk of the loader's list, under the lock.
#ifndef TPRT_ELF_MOVED_NOTES_H
#define TPRT_ELF_MOVED_NOTES_H

#include "modules/sled_table.h"

namespace tprt {

// Whether the notes certainly do not refer to tables. Only the first record of
// each table is checked.
bool leadsAstray(const FoundModule &found);

// The addresses of the tables according to the section headers of the module's
// file. The file's path must be known. If the file cannot be read or has no
// such headers, all extents are empty.
TableExtents tablesInFile(const FoundModule &found);

} // namespace tprt

#endif
