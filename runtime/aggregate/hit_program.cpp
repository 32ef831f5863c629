// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers that run a group's program and add the hit to a row; see
// aggregate_table.h. Runs in hits, on any thread: async-signal-safe, without a
// lock and without vector registers.
#include "aggregate/hit_program.h"
#include "aggregate/aggregate_table.h"
#include "modules/module.h"
#include "programs/doubles.h"
#include "programs/hit_values.h"
#include "programs/run_program.h"
#include "sites/arch.h"
#include "threads/clock.h"
#include "threads/thread_block.h"
#include "timing/missing_exits.h"

namespace tprt {

// --- tables ------------------------------------------------------------------

void beginThreadAggregates(void *state) {
  markStale(static_cast<ThreadAggregates *>(state)->of);
}

static AggregateTable *makeTable(Aggregation &group) {
  auto *table =
      static_cast<AggregateTable *>(reserveInHit(sizeof(AggregateTable)));
  if (!table)
    return nullptr;
  table->group = &group;
  table->rowsUsed = 1;
  table->rows[0].least = INT64_MAX;
  table->rows[0].greatest = INT64_MIN;
  table->open.init();
  addToList(group.tables, table);
  return table;
}

// The calling thread's table, which is made if there is none. nullptr: no
// memory.
[[gnu::noinline]] static AggregateTable *findTable(Aggregation &group) {
  Thread *self = blockInHit();
  if (!self)
    return nullptr;
  uintptr_t &word =
      stateOf<ThreadAggregates>(self, aggregatesComponent).of[group.slot];
  auto *table = reinterpret_cast<AggregateTable *>(word & ~kStale);
  if (!table)
    table = makeTable(group);
  else if (word & kStale) // calls that an ended thread left open
    table->open.setTop(table->open.calls);
  __atomic_store_n(&word, reinterpret_cast<uintptr_t>(table), __ATOMIC_RELEASE);
  return table;
}

// nullptr: no memory.
static inline AggregateTable *tableOf(const AggregateLink &link) {
  const uintptr_t word =
      stateOf<ThreadAggregates>(threadInHandler(), aggregatesComponent)
          .of[link.slot];
  if (__builtin_expect(word && !(word & kStale), 1))
    return reinterpret_cast<AggregateTable *>(word);
  return findTable(*link.group);
}

[[gnu::noinline]] static void lose(Aggregation &group) {
  __atomic_fetch_add(&group.lost, 1, __ATOMIC_RELAXED);
}

// --- rows --------------------------------------------------------------------

// Each word changes all bits of the result: the product's upper half brings the
// upper bits down.
static inline uint32_t hashOf(const uint64_t *keys, size_t words) {
  uint64_t hash = words;
  for (size_t i = 0; i < words; ++i) {
    const auto product = static_cast<unsigned __int128>(hash ^ keys[i]) *
                         uint64_t{0x9e3779b97f4a7c15};
    hash =
        static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  return static_cast<uint32_t>(hash);
}

// Adds a row with the keys in `scratch`, and enters it in the index. A signal
// handler may leave the hit by siglongjmp at any instruction: until the row is
// in the index it is only unused memory, and a row without hits is not read.
// Row 0 if there is no room.
[[gnu::noinline]] static KeyedRow &addRow(AggregateTable &table, uint32_t hash,
                                          size_t keyWords, uint32_t &entry) {
  const uint32_t number = table.rowsUsed, at = table.keysUsed;
  if (number == AggregateTable::kMostRows ||
      keyWords > AggregateTable::kMostKeys - at)
    return table.rows[0];
  KeyedRow &row = table.rows[number];
  table.keysUsed = at + static_cast<uint32_t>(keyWords);
  for (size_t i = 0; i < keyWords; ++i) {
    table.keys[at + i] = table.scratch[i];
    __asm__ volatile("" ::: "memory"); // no call of memcpy, see run_program.cpp
  }
  row.hash = hash;
  row.keysAt = at;
  row.keyWords = static_cast<uint32_t>(keyWords);
  row.least = INT64_MAX;
  row.greatest = INT64_MIN;
  __atomic_store_n(&table.rowsUsed, number + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&entry, number, __ATOMIC_RELEASE);
  return row;
}

static inline bool isSame(const uint64_t *a, const uint64_t *b, size_t words) {
  for (size_t i = 0; i < words; ++i)
    if (a[i] != b[i])
      return false;
  return true;
}

static inline KeyedRow &rowOf(AggregateTable &table, size_t keyWords) {
  const uint32_t hash = hashOf(table.scratch, keyWords);
  for (uint32_t i = hash;; ++i) {
    uint32_t &entry = table.index[i % AggregateTable::kIndex];
    if (!entry)
      return addRow(table, hash, keyWords, entry);
    KeyedRow &row = table.rows[entry];
    if (row.hash == hash && row.keyWords == keyWords &&
        isSame(table.keys + row.keysAt, table.scratch, keyWords))
      return row;
  }
}

template <class T> static inline void store(T &to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

static inline void place(AggregateTable &table, KeyedRow &row, int64_t value) {
  if (value < 0)
    return store(row.negative, row.negative + 1);
  const uint32_t bucket = bucketOf(static_cast<uint64_t>(value));
  uint32_t &number = row.pieces[bucket / kPieceBuckets];
  PiecePool &pool = table.group->pool;
  const uint32_t piece = number ? number : table.run.add(pool, number);
  if (!piece)
    return store(row.unplaced, row.unplaced + 1);
  add(pool.pieces[piece][bucket % kPieceBuckets], 1);
}

static inline void addValue(KeyedRow &row, uint64_t sum, int64_t order) {
  store(row.sum, static_cast<int64_t>(sum));
  if (order < row.least)
    store(row.least, order);
  if (order > row.greatest)
    store(row.greatest, order);
}

[[gnu::noinline]] static void addDouble(KeyedRow &row, uint64_t value) {
  addValue(row, addDoubles(static_cast<uint64_t>(row.sum), value),
           orderOf(value));
}

static inline void addTo(AggregateTable &table, KeyedRow &row,
                         const Program &program, const ProgramResult &result) {
  const auto value = static_cast<uint64_t>(result.value);
  if (__builtin_expect(result.isValueKnown && program.hasFloatValue(), 0)) {
    addDouble(row, value);
  } else if (result.isValueKnown) {
    addValue(row, static_cast<uint64_t>(row.sum) + value, result.value);
    if (program.hasHistogram())
      place(table, row, result.value);
  } else {
    store(row.unknown, row.unknown + 1);
  }
  __atomic_store_n(&row.hits, row.hits + 1, __ATOMIC_RELEASE);
}

// Before the hit counts, as what addTo() adds.
static void addSelf(AggregateTable &table, const KeyedRow &row,
                    const HitValues &hit) {
  if (hit.ticks == kUnknownTicks || hit.ticks <= hit.inside)
    return;
  uint64_t &self = table.self[&row - table.rows];
  store(self, self + nanosecondsInHit(hit.ticks - hit.inside));
}

// Counts a hit of a program of pairs. A pair is in its row before it is in the
// table, so that none ends that its row lacks.
[[gnu::noinline]] static void addPair(AggregateTable &table,
                                      const Program &program,
                                      const ProgramResult &result) {
  const bool isInRow = program.startsPair() == program.hasOpenPairs();
  KeyedRow *row = isInRow ? &rowOf(table, result.keyWords) : nullptr;
  if (row)
    addTo(table, *row, program, result);
  PairTotals &pairs = table.pairs;
  if (!program.startsPair())
    return store(pairs.ended, pairs.ended + 1);
  store(pairs.started, pairs.started + 1);
  OpenPair pair = {readTicks(), static_cast<uint64_t>(result.value), 0};
  if (row)
    pair.setRow(row->ended, result.isValueKnown);
  const StartedPair done = startPair(*table.group->pairs, result.pairKey, pair);
  store(pairs.replaced, pairs.replaced + done.replaced);
  store(pairs.full, pairs.full + !done.isPlaced);
}

// A program that is not plain.
[[gnu::noinline]] static void
runOther(AggregateTable &table, const Program &program, const HitValues &hit) {
  ProgramResult result;
  result.keys = table.scratch;
  result.pairs = table.group->pairs;
  HitLimit *const limit = program.stops ? &table.group->limit : nullptr;
  if (limit && limit->isOver())
    return;
  const Outcome outcome = runProgram(program, hit, result);
  if (outcome == Outcome::Counts) {
    if (limit && !limit->takes(result.lastAt))
      return;
    if (program.isOfPairs()) {
      addPair(table, program, result);
    } else {
      KeyedRow &row = rowOf(table, result.keyWords);
      if (program.hasSelf())
        addSelf(table, row, hit);
      addTo(table, row, program, result);
    }
    if (limit)
      limit->finish(result.lastAt);
  } else if (outcome == Outcome::Unread) {
    add(table.unread, 1);
  } else if (outcome == Outcome::Unpaired) {
    add(table.pairs.unpaired, 1);
  }
}

[[gnu::always_inline]] static inline void
runIn(AggregateTable &table, const Program &program, const HitValues &hit) {
  if (__builtin_expect(!program.isPlain, 0))
    return runOther(table, program, hit);
  ProgramResult result;
  result.keys = table.scratch;
  const Outcome outcome = runProgram(program, hit, result);
  if (outcome == Outcome::Counts)
    addTo(table, rowOf(table, result.keyWords), program, result);
  else if (outcome == Outcome::Unread)
    add(table.unread, 1);
}

// --- handlers ----------------------------------------------------------------

void aggregateEntry(const tprt_event *event, const tprt_regs *regs,
                    void *data) {
  const auto &link = *static_cast<const AggregateLink *>(data);
  AggregateTable *table = tableOf(link);
  if (!table)
    return lose(*link.group);
  OtherArguments others;
  runIn(*table, link.program(),
        valuesAtEntry(link.program(), event, regs, others));
}

// Ends the innermost call. One that ends by a tail call has no result: the
// function that it jumps to returns the result.
static void close(AggregateTable &table, uint64_t now, const CallResult *result,
                  StackPlace place) {
  const OpenAggregatedCall &call = *table.open.top;
  table.open.setTop(table.open.top - 1);
  const Program &program = call.link->program();
  HitValues hit =
      valuesAtEnd(call.kept, table.othersOf(call), now, result, place);
  if (__builtin_expect(program.hasSelf(), 0)) {
    hit.inside = call.inside;
    // When a call that was left has ended is not known: the time of calls
    // inside of it is not time of its caller alone.
    table.open.top->inside +=
        hit.ticks == kUnknownTicks ? call.inside : hit.ticks;
  }
  runIn(table, program, hit);
}

// The innermost call was left: it has no result, and when it ended is not
// known.
static void closeLeft(AggregateTable &table) {
  add(table.left, 1);
  close(table, kLeft, nullptr, {});
}

// Whether this is the function's call that `call` is. Another link of the group
// has the function, too.
static bool isSame(const OpenAggregatedCall &call, const tprt_site &site,
                   uint64_t stack) {
  return call.stack == stack &&
         functionOf(*call.kept.entry) == functionOf(site);
}

// Whether the end of the function's calls is seen. Of code without sleds this
// is known only after the attach.
static inline bool ends(const AggregateLink &link, const tprt_site *entry) {
  return link.group->ends.has(entry, [&] {
    return !entry->module()->isCode ||
           __atomic_load_n(&link.attached, __ATOMIC_ACQUIRE);
  });
}

static void enter(const AggregateLink &link, const tprt_event *event,
                  const tprt_regs *regs) {
  if (!ends(link, event->site))
    return;
  AggregateTable *known = tableOf(link);
  if (!known)
    return lose(*link.group);
  AggregateTable &table = *known;
  const auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  if (table.open.top->stack <= stack) {
    const OpenAggregatedCall &last = *table.open.top;
    if (last.link != &link && isSame(last, *event->site, stack))
      return;
    table.open.cutLeft(stack, [&] { closeLeft(table); });
  }
  if (table.open.isFull())
    return add(table.lost, 1);
  OpenAggregatedCall *call = table.open.top + 1;
  call->stack = stack;
  call->inside = 0;
  call->link = &link;
  call->kept.keep(link.program(), event, regs, table.othersOf(*call));
  table.open.setTop(call);
}

void aggregateCall(const tprt_event *event, const tprt_regs *regs, void *data) {
  const auto &link = *static_cast<const AggregateLink *>(data);
  if (event->kind == TPRT_KIND_ENTRY)
    return enter(link, event, regs);
  const uint64_t now = readTicks();
  AggregateTable *table = tableOf(link);
  const auto stack = reinterpret_cast<uint64_t>(tprt_regs_stack(regs));
  if (table && table->open.wasLeftOut(stack))
    return;
  // The hit's first link has ended the call, and this is another one.
  if (table && table->open.top[1].link != &link &&
      isSame(table->open.top[1], *event->site, stack))
    return;
  auto isIts = [&](const OpenAggregatedCall &call) {
    return functionOf(*call.kept.entry) == functionOf(*event->site);
  };
  auto cut = [&] { closeLeft(*table); };
  if (table && table->open.cutInside(stack, isIts, cut)) {
    if (event->kind != TPRT_KIND_EXIT)
      return close(*table, now, nullptr, {event, regs});
    CallResult result;
    readResult(table->open.top->link->program(), event, regs, result);
    return close(*table, now, &result, {event, regs});
  }
  // The call began on another thread.
  for (AggregateTable *t =
           __atomic_load_n(&link.group->tables, __ATOMIC_ACQUIRE);
       t; t = t->next)
    t->open.disown(stack);
}

} // namespace tprt
