// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See pairs.h. Except for the last section this runs in hits:
// async-signal-safe, without a lock and without vector registers.
#include "programs/pairs.h"
#include "base/os_memory.h"
#include "base/page_size.h"

namespace tprt {

// What a slot's word is. All others are those of keys.
static constexpr uint64_t kFree = 0, kBusy = 1;

// A word for each key, whose bits are all mixed. Different keys have different
// words, as each step can be undone. Two keys have the words of free and busy
// slots; they are counted as pairs that found no room.
static uint64_t wordOf(uint64_t key) {
  uint64_t word = (key ^ 0x8f1b3a5c97d2e604) * uint64_t{0x9e3779b97f4a7c15};
  word = (word ^ word >> 32) * uint64_t{0xbf58476d1ce4e5b9};
  return word ^ word >> 29;
}
static bool isOfSlots(uint64_t word) { return word <= kBusy; }

namespace {
struct Slot {
  uint64_t *word; // nullptr: none
  OpenPair *pair;
};

struct Bucket {
  uint64_t *words;
  OpenPair *pairs;

  Slot operator[](uint32_t i) const { return {words + i, pairs + i}; }
  uint32_t countFree() const {
    uint32_t count = 0;
    for (uint32_t i = 0; i < kSlots; ++i)
      count += __atomic_load_n(words + i, __ATOMIC_RELAXED) == kFree;
    return count;
  }
};

// The buckets of a word. The second pair is of the large level.
struct Buckets {
  Bucket of[4];
  uint32_t count;
};
} // namespace

template <class Level> static Bucket bucketOf(Level &level, uint64_t bits) {
  const auto i = static_cast<uint32_t>(bits) % Level::kBuckets;
  return {level.keys[i], level.pairs[i]};
}

static Buckets bucketsOf(PairTable &table, uint64_t word) {
  const bool large = __atomic_load_n(&table.usesLarge, __ATOMIC_SEQ_CST);
  return {{bucketOf(table.small, word >> 52), bucketOf(table.small, word >> 40),
           bucketOf(table.large, word), bucketOf(table.large, word >> 20)},
          large ? 4u : 2u};
}

// Makes a slot busy that has this word.
static bool claim(uint64_t *slot, uint64_t word) {
  return __atomic_load_n(slot, __ATOMIC_SEQ_CST) == word &&
         __atomic_compare_exchange_n(slot, &word, kBusy, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

// Claims the slot with the pair of a word, if there is one.
static Slot claimPair(const Buckets &buckets, uint64_t word) {
  for (uint32_t b = 0; b < buckets.count; ++b)
    for (uint32_t i = 0; i < kSlots; ++i)
      if (claim(buckets.of[b].words + i, word))
        return buckets.of[b][i];
  return {};
}

static Slot claimFreeIn(const Bucket &bucket) {
  for (uint32_t i = 0; i < kSlots; ++i)
    if (claim(bucket.words + i, kFree))
      return bucket[i];
  return {};
}

// Claims a free slot, in the emptier one of two buckets.
static Slot claimFree(const Bucket *two) {
  const uint32_t first = two[0].countFree() < two[1].countFree();
  const Slot slot = claimFreeIn(two[first]);
  return slot.word ? slot : claimFreeIn(two[!first]);
}

template <class T> static T read(const T &from) {
  return __atomic_load_n(&from, __ATOMIC_RELAXED);
}
template <class T> static void store(T &to, T value) {
  __atomic_store_n(&to, value, __ATOMIC_RELAXED);
}

// Takes an ended pair off its row. The count is last: a reader that reads it
// first has no pair that its row's sum lacks.
static void leaveRow(const OpenPair &pair) {
  if (!pair.row)
    return;
  const bool isKnown = !(pair.row & 1);
  auto *row = reinterpret_cast<EndedPairs *>(pair.row & ~uintptr_t{1});
  __atomic_fetch_add(isKnown ? &row->sum : &row->unknown,
                     isKnown ? pair.value : 1, __ATOMIC_RELEASE);
  __atomic_fetch_add(&row->count, 1, __ATOMIC_RELEASE);
}

// Copies the pair of a slot that this thread has claimed, and frees the slot.
static OpenPair take(Slot slot) {
  const OpenPair pair = {read(slot.pair->start), read(slot.pair->value),
                         read(slot.pair->row)};
  __atomic_store_n(slot.word, kFree, __ATOMIC_RELEASE);
  return pair;
}

// Two threads that start the same key at the same moment find no pair of each
// other, and place two. Each of them looks again after placing its own, so at
// least one of them finds both: the earlier slot stays.
static uint32_t removeOthers(const Buckets &buckets, uint64_t word, Slot own) {
  for (uint32_t b = 0; b < buckets.count; ++b)
    for (uint32_t i = 0; i < kSlots; ++i) {
      const Slot other = buckets.of[b][i];
      if (other.word == own.word ||
          __atomic_load_n(other.word, __ATOMIC_SEQ_CST) != word)
        continue;
      const Slot later = other.word < own.word ? own : other;
      if (!claim(later.word, word))
        continue;
      leaveRow(take(later));
      return 1;
    }
  return 0;
}

StartedPair startPair(PairTable &table, uint64_t key, const OpenPair &pair) {
  const uint64_t word = wordOf(key);
  const Buckets buckets = bucketsOf(table, word);
  StartedPair done = {};
  Slot slot = {};
  if (!isOfSlots(word)) {
    slot = claimPair(buckets, word);
    if (slot.word) {
      done.replaced = 1;
      leaveRow({0, read(slot.pair->value), read(slot.pair->row)});
    } else if (slot = claimFree(buckets.of); !slot.word) {
      __atomic_store_n(&table.usesLarge, true, __ATOMIC_SEQ_CST);
      slot = claimFree(buckets.of + 2);
    }
  }
  if (!slot.word) {
    leaveRow(pair);
    return done;
  }
  done.isPlaced = true;
  store(slot.pair->start, pair.start);
  store(slot.pair->value, pair.value);
  store(slot.pair->row, pair.row);
  __atomic_exchange_n(slot.word, word, __ATOMIC_SEQ_CST);
  done.replaced += removeOthers(bucketsOf(table, word), word, slot);
  return done;
}

bool endPair(PairTable &table, uint64_t key, OpenPair &pair) {
  const uint64_t word = wordOf(key);
  if (isOfSlots(word))
    return false;
  const Slot slot = claimPair(bucketsOf(table, word), word);
  if (!slot.word)
    return false;
  pair = take(slot);
  leaveRow(pair);
  return true;
}

// --- not in hits -------------------------------------------------------------

PairTable *makePairTable() {
  return static_cast<PairTable *>(
      reservePages(roundToPages(sizeof(PairTable))));
}

void freePairTable(PairTable *table) {
  freePages(table, roundToPages(sizeof(PairTable)));
}

} // namespace tprt
