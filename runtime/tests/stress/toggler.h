// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches and detaches in a loop, to the functions that the workers of
// threaded tests call. Only one thread at a time may use a toggler.
#pragma once

#include "calls.h"
#include "handlers.h"

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace stress {

// The actions that a toggler may use.
enum ActionMask : unsigned {
  General = 1,
  Trample = 2,
  Count = 4,
  AllActions = 7
};

// Data for handlers. Each lies in a separate page, which becomes inaccessible
// when the probe is gone, so a late call causes a fault. A page is reused only
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
  // Attaches to all sites or to a random subset, waits briefly, detaches, and
  // makes the handler's data unreadable.
  void toggleOnce();
  // A minimum number of turns is made even if other processes use all the time.
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

// The sites of functions whose names match Glob. Reports a fault if no name
// matches.
std::vector<const tprt_site *> sitesNamed(const char *Glob);

// The functions that contain one of the sites and that this machine can call.
std::vector<StressFunction>
functionsAt(std::span<const StressFunction> All,
            const std::vector<const tprt_site *> &Sites);

// Divides the time of each group of functions. That time is TP_STRESS_SECONDS,
// by default STRESS_SECONDS of CMakeLists.txt.
std::chrono::steady_clock::duration timeFor(int Parts);

} // namespace stress
