// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the sums for a function's calls with one return address; see
// thread_sums.h. The return address is exact whether or not the caller has
// sleds. Runs in hits, on any thread: async-signal-safe and without a lock.
#include "timing/caller_sums.h"

namespace tprt {

static uint32_t recentOf(const FunctionTimes &function,
                         uint64_t returnAddress) {
  auto times = reinterpret_cast<uintptr_t>(&function) / sizeof function;
  uint64_t mixed = (returnAddress ^ times << 20) * 0x9e3779b97f4a7c15;
  return static_cast<uint32_t>(mixed >> 32) % CallerTable::kRecent;
}

// Adds a return address to the function's list. nullptr: no room.
static CallerTimes *addCaller(CallerTable &table, FunctionTimes &function,
                              uint64_t returnAddress) {
  if (table.used == CallerTable::kMost)
    return nullptr;
  CallerTimes &made = table.all[table.used++];
  made.returnAddress = returnAddress;
  made.sums.isOfCaller = true;
  made.sums.function = &function;
  made.next = function.latestCaller;
  // Pairs with the acquire in timed_rows.cpp.
  __atomic_store_n(&function.latestCaller, &made, __ATOMIC_RELEASE);
  return &made;
}

__attribute__((noinline)) static FunctionTimes &
findCaller(TimedTally &tally, FunctionTimes &function, uint64_t returnAddress) {
  if (!tally.callers)
    __atomic_store_n(
        &tally.callers,
        static_cast<CallerTable *>(reserveInHit(sizeof(CallerTable))),
        __ATOMIC_RELEASE);
  CallerTable *table = tally.callers;
  if (!table)
    return function;
  CallerTimes *found = function.latestCaller;
  while (found && found->returnAddress != returnAddress)
    found = found->next;
  if (!found && !(found = addCaller(*table, function, returnAddress)))
    return function;
  table->recent[recentOf(function, returnAddress)] = found;
  return found->sums;
}

FunctionTimes &timesOfCaller(TimedTally &tally, FunctionTimes &function,
                             uint64_t returnAddress) {
  if (const CallerTable *table = tally.callers) {
    CallerTimes *recent = table->recent[recentOf(function, returnAddress)];
    if (recent && recent->returnAddress == returnAddress &&
        recent->sums.function == &function)
      return recent->sums;
  }
  return findCaller(tally, function, returnAddress);
}

} // namespace tprt
