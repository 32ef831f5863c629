// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches and detaches in a loop: what the threaded tests do to the functions
// that their workers call. A toggler may be used by one thread at a time.
#pragma once

#include "calls.h"
#include "handlers.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stress {

// Which actions a toggler chooses from.
enum ActionMask : unsigned {
  General = 1,
  Trample = 2,
  Count = 4,
  AllActions = 7
};

// Data for handlers, each in a page of its own that nobody may touch after the
// probe is gone: a late call then ends in a fault. Pages come round again after
// all others have.
class DataPages {
public:
  DataPages();
  ~DataPages();
  DataPages(const DataPages &) = delete;
  DataPages &operator=(const DataPages &) = delete;
  stress_data *take();
  void poison(stress_data *Data);

private:
  static constexpr size_t PageCount = 64;
  char *Base;
  size_t PageSize, Next = 0;
};

class Toggler {
public:
  // Sites: those to choose from. Mask: of ActionMask.
  Toggler(std::vector<const tprt_site *> Sites, unsigned Mask, uint64_t Seed);
  // Attaches to all sites or a random subset, waits a little, detaches,
  // poisons.
  void toggleOnce();
  // Some turns are made also where all the time was somebody else's.
  void runUntil(std::chrono::steady_clock::time_point End);
  uint64_t toggles() const { return Toggles; }
  uint64_t hits() const { return Hits; }

private:
  std::vector<const tprt_site *> Sites, Chosen;
  unsigned Mask;
  Caller Random;
  DataPages Pages;
  uint64_t Toggles = 0, Hits = 0;
};

// The sites whose function's name matches Glob; reports a fault if there are
// none.
std::vector<const tprt_site *> sitesNamed(const char *Glob);

// Those that have one of the sites and that this machine can call.
std::vector<StressFunction>
functionsAt(std::span<const StressFunction> All,
            const std::vector<const tprt_site *> &Sites);

// A part of the time for each group of functions: TP_STRESS_SECONDS, by default
// STRESS_SECONDS of CMakeLists.txt.
std::chrono::steady_clock::duration timeFor(int Parts);

} // namespace stress
