// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dead bytes; see padding.h. Bytes are allocated as far after a run's beginning
// as possible, because a return just before the run needs the beginning.
#include "sites/padding.h"
#include "base/search.h"

namespace tprt {

bool DeadBytes::add(uint32_t start, uint32_t end) {
  if (start >= end)
    return true;
  if (runs.empty() || runs[runs.size() - 1].end != start)
    return runs.push({start, end});
  runs[runs.size() - 1].end = end;
  return true;
}

void DeadBytes::cut(const uint32_t *targets, size_t count) {
  size_t next = 0;
  for (DeadRun &run : runs) {
    while (next < count && targets[next] < run.start)
      ++next;
    if (next < count && targets[next] < run.end)
      run.end = targets[next];
  }
}

size_t DeadBytes::firstAfter(uint32_t at) const {
  constexpr size_t kMostNext = 8;
  const size_t size = runs.size();
  size_t i = found < size ? found : size;
  if (i && runs[i - 1].end > at)
    i = size; // it is not in one of the next runs
  size_t last = i + kMostNext < size ? i + kMostNext : size;
  while (i < last && runs[i].end <= at)
    ++i;
  found = i < last
              ? i
              : partitionPoint(
                    0, size, [&](size_t run) { return runs[run].end <= at; });
  return found;
}

bool DeadBytes::hasAt(uint32_t start, uint32_t bytes) const {
  size_t i = firstAfter(start);
  return i < runs.size() && runs[i].start == start &&
         runs[i].end - start >= bytes;
}

bool DeadBytes::takeAt(uint32_t start, uint32_t bytes) {
  if (!hasAt(start, bytes))
    return false;
  runs[found].start += bytes;
  return true;
}

uint8_t DeadBytes::takeUpTo(uint32_t start, uint32_t most) {
  size_t i = firstAfter(start);
  if (i == runs.size() || runs[i].start != start)
    return 0;
  uint32_t bytes = runs[i].end - start;
  if (bytes > most)
    bytes = most;
  runs[i].start += bytes;
  return static_cast<uint8_t>(bytes);
}

uint32_t DeadBytes::takeNear(uint32_t low, uint32_t high, uint32_t bytes,
                             uint32_t spared) {
  uint32_t found = takeLeaving(low, high, bytes, spared);
  return found ? found : takeLeaving(low, high, bytes, 0);
}

// Removes `bytes` at `at` from run number i. The rest of the run after them
// becomes another run.
bool DeadBytes::takeFrom(size_t i, uint32_t at, uint32_t bytes) {
  DeadRun after = {at + bytes, runs[i].end};
  if (after.start < after.end) {
    if (!runs.push(after))
      return false;
    for (size_t last = runs.size() - 1; last > i + 1; --last)
      runs[last] = runs[last - 1];
    runs[i + 1] = after;
  }
  runs[i].end = at;
  return true;
}

// Finds `bytes` dead bytes in a run, such that at least the run's first `keep`
// bytes stay free.
bool DeadBytes::findLeaving(uint32_t low, uint32_t high, uint32_t bytes,
                            uint32_t keep, size_t &run, uint32_t &at) const {
  for (run = firstAfter(low); run < runs.size() && runs[run].start <= high;
       ++run) {
    const DeadRun &one = runs[run];
    if (one.end - one.start < bytes + keep)
      continue;
    at = one.end - bytes < high ? one.end - bytes : high;
    if (at >= low && at >= one.start + keep)
      return true;
  }
  return false;
}

uint32_t DeadBytes::takeLeaving(uint32_t low, uint32_t high, uint32_t bytes,
                                uint32_t keep) {
  size_t run;
  uint32_t at;
  return findLeaving(low, high, bytes, keep, run, at) &&
                 takeFrom(run, at, bytes)
             ? at
             : 0;
}

uint32_t DeadBytes::findNear(uint32_t low, uint32_t high,
                             uint32_t bytes) const {
  size_t run;
  uint32_t at;
  return findLeaving(low, high, bytes, 0, run, at) ? at : 0;
}

} // namespace tprt
