// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that TPRT_OPTIONS gave. They are filled in once, by the
// constructor of the library, and constant from then on. So every thread and
// signal handler may read them.
#ifndef TPRT_OPTIONS_OPTIONS_H
#define TPRT_OPTIONS_OPTIONS_H

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

struct Options {
  Patterns counted{"count", {}, 0};
  Patterns timed{"time", {}, 0};
  Patterns printed{"print", {}, 0};
  Patterns recorded{"record", {}, 0};
  Patterns skipped{"skip", {}, 0};
  Patterns excluded{"not", {}, 0};
  tprt_recording_options recording{}; // where and how to record
  tprt_recording_values recordedValues{};
  uint64_t top = kUsual;   // rows of a table; 0: all
  uint64_t width = kUsual; // columns of a name; 0: no limit
  uint64_t traps = 0, code = 0, signals = 0, perf = 0, gdb = 0, usdt = 0,
           control = 0, verbose = 1, help = 0;
  uint64_t uprobes = kUsual;
  const char *output = nullptr; // FILE or +FILE; nullptr: standard error
  int signal = 0;               // the one that prints the tables; 0: none
  Sort sort = Sort::Usual;
  Format format = Format::Text;
  Names names = Names::Short;
  char text[4096] = {}; // what all strings point into
};

extern Options options __attribute__((visibility("hidden")));

// Fills `options` from the variable's text. Prints what is wrong with an
// option, and follows the other options.
void readOptions(const char *text);

// Prints one screen on standard error.
void printHelp();

} // namespace tprt

#endif
