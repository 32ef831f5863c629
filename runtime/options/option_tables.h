// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of TPRT_OPTIONS, their rows, and the functions that collect them
// from the probes and print them. The tables are printed when the process ends,
// on any thread, maybe in a signal handler.
#ifndef TPRT_OPTIONS_OPTION_TABLES_H
#define TPRT_OPTIONS_OPTION_TABLES_H

#include "base/array.h"
#include "base/small_alloc.h"
#include "options/at_end.h"
#include "options/output.h"
#include "tprt/tprt.h"

namespace tprt {

// A function, by the site of its entry, or a point's statement, by one of its
// sites. Times in ticks.
struct Row {
  const tprt_site *site;
  uint64_t calls, total, self, longest;
  const char *name; // as it is shown; only set if rows are sorted by name
  const char *file; // nullptr: not known
  uint64_t line;
  uint64_t cut; // calls without a time
};

struct Table {
  const char *kind; // "count" or "time"
  bool timed;
  Array<Row> rows; // of functions that were called
  uint64_t calls, self;
  size_t watched;   // functions and points' statements
  size_t points;    // of these: points' statements
  size_t unended;   // timed: functions without an exit sled
  uint64_t cut;     // calls that were left without an exit
  uint64_t untimed; // calls that were too deep to be timed
};

// The functions that a table is filled with: those that were called, or all
// watched functions.
enum class Which : uint8_t { Called, All };
// Prints both tables where TPRT_OPTIONS says, and how many lines were lost.
// Async-signal-safe unless the occasion is ordinary.
void printAtEnd(const Occasion &occasion);

// Notes the absolute path of `output`, as the program may change its folder.
void chooseOutput();
// Calls print(out, data) with the file of `output`, or with standard error if
// no file was asked for. If the file cannot be written, prints a message and
// uses standard error as well.
void withOutput(const Occasion &occasion, void (*print)(Printout &, void *),
                void *data);
// A descriptor for lines that are printed while the program runs: of the file
// of `output`, or of standard error. Called once, after chooseOutput().
int outputForLines();

} // namespace tprt

#endif
