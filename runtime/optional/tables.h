// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tables of TPRT_OPTIONS are made of: rows, taken from the probes at
// one moment, and how they are printed.
#ifndef TPRT_OPTIONAL_TABLES_H
#define TPRT_OPTIONAL_TABLES_H

#include "core/memory.h"
#include "core/plain/array.h"
#include "optional/ending.h"
#include "optional/output.h"
#include "tprt/tprt.h"

namespace tprt {

// A function, by the site of its entry. Times in ticks.
struct Row {
  const tprt_site *site;
  uint64_t calls, total, self, longest;
  const char *name; // as it is to be shown, when that was asked for early
  const char *file; // nullptr: not known
  uint64_t line;
};

struct Table {
  const char *kind; // "count" or "time"
  bool timed;
  Array<Row> rows; // of functions that were called
  uint64_t calls, self;
  size_t watched;   // functions
  size_t unended;   // timed: functions without an exit sled
  uint64_t cut;     // calls that never came to an exit
  uint64_t untimed; // calls that were too deep to be timed
};

// Starts what TPRT_OPTIONS asks for; false: nothing is to be printed at the
// end.
bool startCounting();
bool startTiming();

// Fill a table, with functions that were called or with all that are watched;
// false: that was not asked for. Under the runtime's lock. Async-signal-safe.
enum class Which : uint8_t { Called, All };
bool collectCounts(Table &table, Which which);
bool collectTimes(Table &table, Which which);

// The name of a function as TPRT_OPTIONS wants it shown. It may call malloc.
void writeName(const char *linked, char *out, size_t size);
// Makes the names of functions that are watched now, a few thousand at most,
// for the ends of a process at which none can be made.
void prepareNames();
// One of those, or nullptr. Async-signal-safe.
const char *preparedName(uint32_t site);

// Writes /tmp/perf-PID.map, which names stubs for perf. Under the runtime's
// lock. Async-signal-safe.
void writePerfMap();

// Both, to where TPRT_OPTIONS says. Async-signal-safe unless the occasion is
// ordinary.
void printTables(const Occasion &occasion);

// Fills in file and line of rows. Takes the lock.
void locate(Row *rows, size_t count, Array<char> &texts);

// Sorts the rows and prints one table. Errors are in `out`.
void printTable(Table &table, const Occasion &occasion, Printout &out);

// Remembers where `output` is, as the program may change its folder.
void chooseOutput();
// Calls print(out, data) with the file of `output`, or with standard error
// where there is none or it fails; then that is said.
void withOutput(const Occasion &occasion, void (*print)(Printout &, void *),
                void *data);

} // namespace tprt

#endif
