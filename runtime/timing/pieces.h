// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory of histograms. A histogram consists of pieces of 4 doublings, of
// which most histograms need only a few. All pieces of a group are in one pool,
// which is reserved as address space.
#ifndef TPRT_TIMING_PIECES_H
#define TPRT_TIMING_PIECES_H

#include "base/os_memory.h"
#include "base/page_size.h"
#include "timing/duration_buckets.h"

namespace tprt {

// Pieces are numbered; number 0 is none.
constexpr uint32_t kPieceBuckets = 64;
constexpr uint32_t kPieces = (kBuckets + kPieceBuckets - 1) / kPieceBuckets;
using Piece64 = uint64_t[kPieceBuckets];
// How many pieces a thread takes at a time: one page.
constexpr uint32_t kPieceRun = 8;

// The pieces of a group. A piece is never given back before the pool ends.
struct PiecePool {
  Piece64 *pieces; // nullptr: there are none.
  uint32_t room, used;

  // Reserves memory for this many bytes of pieces; 0: there are none. Returns
  // false if there is no memory. Not in hits.
  bool reserve(size_t most);
  // Not in hits. The pool is empty before its memory is freed.
  void release();

private:
  // The first run is left out, as number 0 is none.
  static constexpr uint32_t kFirst = kPieceRun;
  size_t bytes() const { return roundToPages(room * sizeof(Piece64)); }
};

// The pieces that one thread has taken from the pool and not used yet. In hits.
// A signal handler may leave the hit by siglongjmp between any two stores. So
// one word says where the run begins and ends: a run begins at a multiple of
// kPieceRun.
struct PieceRun {
  uint32_t next;
  bool isFull; // No more pieces.

  // Stores a new piece's number, and returns it; 0: there is no more room.
  uint32_t add(PiecePool &pool, uint32_t &number) {
    if (next % kPieceRun == 0 && !refill(pool))
      return 0;
    uint32_t piece = next++;
    __atomic_store_n(&number, piece, __ATOMIC_RELEASE);
    return piece;
  }

private:
  bool refill(PiecePool &pool) {
    if (isFull)
      return false;
    uint32_t run = __atomic_fetch_add(&pool.used, kPieceRun, __ATOMIC_RELAXED);
    isFull = run + kPieceRun > pool.room;
    if (!isFull)
      next = run;
    return !isFull;
  }
};

inline bool PiecePool::reserve(size_t most) {
  auto count = static_cast<uint32_t>(most / sizeof(Piece64));
  room = count ? count + kFirst : 0;
  used = kFirst;
  if (room)
    pieces = static_cast<Piece64 *>(reservePages(bytes()));
  return pieces || !room;
}

inline void PiecePool::release() {
  Piece64 *freed = pieces;
  pieces = nullptr;
  if (freed)
    freePages(freed, bytes());
}

} // namespace tprt

#endif
