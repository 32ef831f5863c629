// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See run_table.h. A row is found by its key's hash and the next places. A
// thread claims a free row, writes the key, and publishes it. It may stop in
// between for any time, so no other thread waits for it: a row that is being
// written counts as another key's.
#include "run/run_table.h"
#include "points/text.h"

namespace tprt {

// How many places are looked at. A table that is nearly full loses hits rather
// than time.
static constexpr uint64_t kMostPlaces = 64;

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * 0x9e3779b97f4a7c15;
  return hash ^ hash >> 32;
}

static uint64_t hashOf(const RunKey &key) {
  uint64_t hash = key.numberCount + uint64_t{key.textBytes} * 8;
  for (unsigned i = 0; i < key.numberCount; ++i)
    hash = mix(hash, key.numbers[i]);
  for (unsigned i = 0; i < key.textBytes; ++i)
    hash = mix(hash, static_cast<unsigned char>(key.text[i]));
  return hash;
}

static bool hasKey(const tprt_run_row &row, const RunKey &key) {
  if (row.numbers != key.numberCount || row.text_bytes != key.textBytes)
    return false;
  for (unsigned i = 0; i < key.numberCount; ++i)
    if (row.keys[i] != key.numbers[i])
      return false;
  for (unsigned i = 0; i < key.textBytes; ++i)
    if (row.text[i] != key.text[i])
      return false;
  return true;
}

static bool claim(tprt_run_row &row) {
  uint32_t free = TPRT_RUN_ROW_FREE;
  return __atomic_compare_exchange_n(&row.state, &free,
                                     uint32_t{TPRT_RUN_ROW_BEGUN}, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void makeRow(tprt_run_row &row, const RunKey &key, int64_t value) {
  row.numbers = key.numberCount;
  row.text_bytes = key.textBytes;
  for (unsigned i = 0; i < key.numberCount; ++i)
    row.keys[i] = key.numbers[i];
  copyBytes(row.text, key.text, key.textBytes);
  row.least = row.greatest = value;
  __atomic_store_n(&row.state, uint32_t{TPRT_RUN_ROW_MADE}, __ATOMIC_RELEASE);
}

static tprt_run_row *findRow(tprt_run_table &table, const RunKey &key,
                             int64_t value) {
  const uint64_t count = table.row_count;
  uint64_t at = count ? hashOf(key) % count : 0;
  for (uint64_t i = 0; i < count && i < kMostPlaces; ++i) {
    tprt_run_row &row = table.rows[at];
    const uint32_t state = __atomic_load_n(&row.state, __ATOMIC_ACQUIRE);
    if (state == TPRT_RUN_ROW_MADE && hasKey(row, key))
      return &row;
    if (state == TPRT_RUN_ROW_FREE && claim(row)) {
      makeRow(row, key, value);
      return &row;
    }
    at = at + 1 == count ? 0 : at + 1;
  }
  return nullptr;
}

// Lets `bound` be the value if `isBeyond(value, bound)`.
template <class IsBeyond>
static void extend(int64_t &bound, int64_t value, IsBeyond isBeyond) {
  int64_t now = __atomic_load_n(&bound, __ATOMIC_RELAXED);
  while (isBeyond(value, now) &&
         !__atomic_compare_exchange_n(&bound, &now, value, true,
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

void addToRunTable(tprt_run_table &table, const RunKey &key, int64_t value) {
  tprt_run_row *row = findRow(table, key, value);
  if (!row) {
    __atomic_fetch_add(&table.lost, 1, __ATOMIC_RELAXED);
    return;
  }
  __atomic_fetch_add(&row->hits, 1, __ATOMIC_RELAXED);
  // Modulo 2^64, as the tool's sums.
  __atomic_fetch_add(reinterpret_cast<uint64_t *>(&row->sum),
                     static_cast<uint64_t>(value), __ATOMIC_RELAXED);
  extend(row->least, value, [](int64_t a, int64_t b) { return a < b; });
  extend(row->greatest, value, [](int64_t a, int64_t b) { return a > b; });
}

} // namespace tprt
