// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches and detaches in a loop, as the threaded tests do to the functions
// that their workers call. Only one thread at a time may use a toggler.
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

// Data for handlers. Each lies in a page of its own that nobody may touch once
// the probe is gone, so a late call ends in a fault. A page is used again only
// after all other pages have been used.
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
  // Sites: the sites to choose from. Mask: values of ActionMask.
  Toggler(std::vector<const tprt_site *> Sites, unsigned Mask, uint64_t Seed);
  // Attaches to all sites or to a random subset, waits a little, detaches, and
  // makes the handler's data unreadable.
  void toggleOnce();
  // Some turns are made even if other processes took all the time.
  void runUntil(std::chrono::steady_clock::time_point End);
  uint64_t toggles() const { return Toggles; }
  uint64_t hits() const { return Hits; }

private:
  void chooseSites();
  void pause();

  std::vector<const tprt_site *> Sites, Chosen;
  unsigned Mask;
  Caller Random;
  DataPages Pages;
  uint64_t Toggles = 0, Hits = 0;
};

// The sites of functions whose names match Glob. Reports a fault if there are
// none.
std::vector<const tprt_site *> sitesNamed(const char *Glob);

// The functions that have one of the sites and that this machine can call.
std::vector<StressFunction>
functionsAt(std::span<const StressFunction> All,
            const std::vector<const tprt_site *> &Sites);

// A part of the time that each group of functions has. That time is
// TP_STRESS_SECONDS, by default STRESS_SECONDS of CMakeLists.txt.
std::chrono::steady_clock::duration timeFor(int Parts);

} // namespace stress
