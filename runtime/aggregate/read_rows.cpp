// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the rows of a group, without the lock, while the threads go on; see
// aggregations.h.
#include "aggregate/read_rows.h"
#include "aggregate/aggregate_table.h"
#include "programs/doubles.h"

#include <string.h>

namespace tprt {

template <class T> static T read(const T &figure) {
  return __atomic_load_n(&figure, __ATOMIC_RELAXED);
}

static AggregateTable *firstTable(const Aggregation *group) {
  return __atomic_load_n(&group->tables, __ATOMIC_ACQUIRE);
}

AggregateTotals totalsOf(const Aggregation *group) {
  AggregateTotals totals = {};
  totals.lost = read(group->lost);
  for (const AggregateTable *t = firstTable(group); t; t = t->next) {
    totals.unread += read(t->unread);
    totals.lost += read(t->lost);
    totals.left += read(t->left);
    totals.pairs.started += read(t->pairs.started);
    totals.pairs.ended += read(t->pairs.ended);
    totals.pairs.unpaired += read(t->pairs.unpaired);
    totals.pairs.replaced += read(t->pairs.replaced);
    totals.pairs.full += read(t->pairs.full);
  }
  return totals;
}

bool hasStopped(const Aggregation *group, uint64_t *ticks) {
  if (!group->limit.isDone())
    return false;
  *ticks = read(group->limit.doneAt);
  return true;
}

uint64_t hitsOf(const Aggregation *group) {
  uint64_t hits = 0;
  for (const AggregateTable *t = firstTable(group); t; t = t->next)
    for (uint32_t i = 0, end = __atomic_load_n(&t->rowsUsed, __ATOMIC_ACQUIRE);
         i < end; ++i)
      hits += read(t->rows[i].hits);
  return hits;
}

// Stores the words of TimedRow in `words`. Returns how many there are.
static uint32_t readBuckets(const PiecePool &pool, const KeyedRow &row,
                            uint64_t *words) {
  constexpr uint64_t kMost = (uint64_t{1} << kBucketShift) - 1;
  uint32_t used = 0;
  for (uint32_t i = 0; i < kPieces; ++i)
    if (uint32_t piece = __atomic_load_n(&row.pieces[i], __ATOMIC_ACQUIRE))
      for (uint32_t j = 0; j < kPieceBuckets; ++j)
        if (uint64_t count = read(pool.pieces[piece][j]))
          words[used++] = uint64_t{i * kPieceBuckets + j} << kBucketShift |
                          (count < kMost ? count : kMost);
  return used;
}

// Stores the keys of a row as the bytes that tools get. Returns how many. A
// signal handler that changes stacks in the middle of a hit, and has hits on
// the other stack, may leave words that are no keys: what follows is left out.
static uint32_t packKeys(const AggregateTable &table, const KeyedRow &row,
                         char (&bytes)[kMostKeyBytes]) {
  const uint64_t *at = table.keys + row.keysAt, *end = at + row.keyWords;
  char *to = bytes;
  while (at < end) {
    const uint64_t head = *at++;
    const auto kind = static_cast<uint8_t>(head);
    const bool isText =
        kind == TPRT_PROGRAM_KEY_TEXT || kind == TPRT_PROGRAM_KEY_CUT_TEXT;
    const bool isStack = kind == TPRT_PROGRAM_KEY_STACK_FRAMES;
    const uint64_t length = kind == TPRT_PROGRAM_KEY_NUMBER ? sizeof *at
                            : isText                        ? lengthOfKey(head)
                            : isStack ? lengthOfKey(head) * sizeof *at
                                      : 0;
    const uint64_t words = (length + 7) / 8;
    if (words > static_cast<uint64_t>(end - at) ||
        kind > TPRT_PROGRAM_KEY_STACK_FRAMES ||
        static_cast<uint64_t>(to - bytes) + 3 + length > sizeof bytes)
      break;
    *to++ = static_cast<char>(kind);
    if (isText || isStack)
      *to++ = static_cast<char>(lengthOfKey(head));
    if (isStack)
      *to++ = static_cast<char>(head >> kStackEndShift);
    memcpy(to, at, length);
    to += length;
    at += words;
  }
  return static_cast<uint32_t>(to - bytes);
}

// The row's figures after the same number of hits, but for a hit under way, of
// which some may be there already. If the row gets hits all the time, reading
// it again would not end.
static AggregateRow readFigures(const KeyedRow &row, const uint64_t &self,
                                bool hasFloats) {
  constexpr int kMostReadings = 1000;
  AggregateRow out = {};
  out.hits = __atomic_load_n(&row.hits, __ATOMIC_ACQUIRE);
  for (int i = 0; i < kMostReadings; ++i) {
    out.sum = read(row.sum);
    out.unknown = read(row.unknown);
    out.least = read(row.least);
    out.greatest = read(row.greatest);
    out.negative = read(row.negative);
    out.unplaced = read(row.unplaced);
    out.self = read(self);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const uint64_t now = __atomic_load_n(&row.hits, __ATOMIC_ACQUIRE);
    if (now == out.hits)
      break;
    out.hits = now;
  }
  if (out.least > out.greatest) { // No value was known so far.
    out.least = out.greatest = 0;
  } else if (hasFloats) {
    out.least = orderOf(static_cast<uint64_t>(out.least));
    out.greatest = orderOf(static_cast<uint64_t>(out.greatest));
  }
  return out;
}

// The ended pairs of a row; 0 in groups of other hits. Read before the row's
// figures, which then have all of these pairs.
static EndedPairs readEnded(const Aggregation &group, const KeyedRow &row) {
  if (!group.hasOpenPairs)
    return {};
  const uint64_t count = __atomic_load_n(&row.ended.count, __ATOMIC_ACQUIRE);
  const uint64_t sum = __atomic_load_n(&row.ended.sum, __ATOMIC_ACQUIRE);
  return {count, sum, __atomic_load_n(&row.ended.unknown, __ATOMIC_ACQUIRE)};
}

// The figures of the pairs that have not ended. Pairs that end meanwhile may
// already be missing in the sum.
static void leave(const EndedPairs &ended, AggregateRow &figures) {
  figures.hits -= ended.count;
  figures.sum =
      static_cast<int64_t>(static_cast<uint64_t>(figures.sum) - ended.sum);
  figures.unknown -= ended.unknown;
  if (figures.unknown > figures.hits)
    figures.unknown = figures.hits;
  if (figures.unknown == figures.hits)
    figures.sum = 0;
}

static AggregateRow describe(const AggregateTable &table, AggregatePlace place,
                             AggregateRow out, char (&keys)[kMostKeyBytes],
                             const uint64_t *buckets, uint32_t bucketCount) {
  const KeyedRow &row = table.rows[place.row];
  out.table = place.table;
  out.number = place.row;
  out.isOthers = !place.row;
  out.keys = keys;
  out.keyBytes = packKeys(table, row, keys);
  out.buckets = buckets;
  out.bucketCount = bucketCount;
  return out;
}

// Tables are added at the head, so a table's number is counted from the end:
// it stays the same while a visit goes on.
bool visitAggregated(Aggregation *group, AggregatePlace *place, bool changed,
                     bool (*visit)(const AggregateRow &row, void *data),
                     void *data) {
  AggregateTable *first = firstTable(group);
  uint32_t tables = 0;
  for (const AggregateTable *t = first; t; t = t->next)
    ++tables;
  uint64_t words[kBuckets];
  char keys[kMostKeyBytes];
  for (uint32_t number = place->table; number < tables; ++number) {
    AggregateTable *table = first;
    for (uint32_t i = tables - 1; i > number; --i)
      table = table->next;
    const uint32_t end = __atomic_load_n(&table->rowsUsed, __ATOMIC_ACQUIRE);
    for (uint32_t i = place->row; i < end; ++i) {
      const KeyedRow &row = table->rows[i];
      const uint64_t hits = read(row.hits);
      const EndedPairs ended = readEnded(*group, row);
      if (!hits || (changed && table->told[i] == hits + ended.count))
        continue;
      AggregateRow figures = readFigures(row, table->self[i], group->hasFloats);
      figures.hasSelf = group->hasSelf;
      const uint64_t told = figures.hits + ended.count;
      if (group->hasOpenPairs)
        leave(ended, figures);
      const uint32_t count =
          group->hasOpenPairs ? 0 : readBuckets(group->pool, row, words);
      if (!visit(describe(*table, {number, i}, figures, keys, words, count),
                 data)) {
        *place = {number, i};
        return false;
      }
      if (changed)
        table->told[i] = told;
    }
    *place = {number + 1, 0};
  }
  return true;
}

} // namespace tprt
