// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that TPRT_OPTIONS gave. They are filled in once, by the
// constructor of the library, and constant from then on. So every thread and
// signal handler may read them.
#ifndef TPRT_OPTIONS_OPTION_VALUES_H
#define TPRT_OPTIONS_OPTION_VALUES_H

#include "tprt/record.h"

#include <stddef.h>
#include <stdint.h>

namespace tprt {

enum class Format : uint8_t { Text, Csv, Json };
enum class Names : uint8_t { Short, Full, Linked };
enum class Sort : uint8_t { Usual, Calls, Total, Self, Average, Max, Name };

constexpr size_t kMostPatterns = 32;
// The value of a number that was not given.
constexpr uint64_t kUsual = UINT64_MAX;

struct Patterns {
  const char *option; // its name, for messages
  const char *globs[kMostPatterns];
  size_t count;
};

// All zero until readOptions() fills it in: then a program without TPRT_OPTIONS
// has no memory for it.
struct Options {
  Patterns counted, timed, printed, recorded, skipped, excluded;
  tprt_recording_options recording; // where and how to record
  tprt_recording_values recordedValues;
  uint64_t top;   // rows of a table; 0: all
  uint64_t width; // columns of a name; 0: no limit
  uint64_t traps, code, signals, perf, gdb, usdt, control, verbose, help;
  uint64_t uprobes;
  const char *output; // FILE or +FILE; nullptr: standard error
  const char *tool;   // a socket of the tool of control=N; or nullptr
  int signal;         // the one that prints the tables; 0: none
  Sort sort;
  Format format;
  Names names;
  char text[4096]; // what all strings point into
};

extern Options options __attribute__((visibility("hidden")));

// Fills `options` from the variable's text. Prints what is wrong with an
// option, and follows the other options.
void readOptions(const char *text);

// Prints one screen on standard error.
void printHelp();

} // namespace tprt

#endif
