// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of handlers (tprt_run_table), which are in the memory of the
// file. Many threads add to a table without a lock. In hits.
#ifndef TPRT_RUN_RUN_TABLE_H
#define TPRT_RUN_RUN_TABLE_H

#include "tprt/run.h"

namespace tprt {

// A key: numbers, then a text.
struct RunKey {
  uint64_t numbers[TPRT_RUN_NUMBERS];
  char text[TPRT_RUN_TEXT_BYTES + 1]; // readString() writes one byte more
  uint16_t numberCount, textBytes;
};

// Adds a value to the row of the key. If the table has no room for the row,
// counts the hit as lost. The rows of a table may be more than one for a key,
// if several threads make them at once.
void addToRunTable(tprt_run_table &table, const RunKey &key, int64_t value);

} // namespace tprt

#endif
