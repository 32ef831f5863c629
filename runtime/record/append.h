// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The slow path of recording: appends events that do not fit at the cursor. In
// hits: async-signal-safe; the functions take no lock, and call neither malloc
// nor functions that use vector registers (memcpy, memset).
#ifndef TPRT_RECORD_APPEND_H
#define TPRT_RECORD_APPEND_H

#include "record/thread_record.h"

namespace tprt {

// Holds the signals of the calling thread back, except those that an
// instruction itself may raise: while a block is exchanged, a signal handler's
// events could not be stored.
class SignalsHeld {
public:
  SignalsHeld();
  ~SignalsHeld();
  SignalsHeld(const SignalsHeld &) = delete;
  SignalsHeld &operator=(const SignalsHeld &) = delete;

private:
  uint64_t before;
};

// The slow path, as long as an object of this type lives. At its end it stores
// what signal handlers kept meanwhile. False: this interrupts the slow path,
// and only appendNested() may be called.
class SlowPath {
public:
  [[gnu::always_inline]] explicit SlowPath(ThreadRecord &thread)
      : thread(thread), begun(thread.busy.begin(reinterpret_cast<uint64_t>(
                            __builtin_frame_address(0)))) {}
  ~SlowPath();
  SlowPath(const SlowPath &) = delete;
  SlowPath &operator=(const SlowPath &) = delete;
  explicit operator bool() const { return begun; }

private:
  ThreadRecord &thread;
  bool begun;
};

// Appends an event of these words, in the slow path or inside of it. False:
// there is no room for it inside of the slow path.
bool append(ThreadRecord &thread, uint64_t now, const uint64_t *words,
            unsigned count);
// The two halves, where an event's words are not known before:
// In the slow path. Reserves `count` words for an event at `now`: no other code
// of this thread gets them. Before that, stores what signal handlers kept
// because there was no room. nullptr: the event is lost, and was counted.
uint64_t *claimWords(ThreadRecord &thread, uint64_t now, unsigned count);
// Words for an entry and its arguments, unless there are long strings.
constexpr unsigned kEntryWords = 2 + TPRT_ARGUMENT_REGISTERS;
// In the slow path. Makes that much room, so that the next event is stored at
// once. Called before the time of a call's entry is read: a block may take some
// 50 µs, which the call did not. False: as nullptr above.
bool makeRoom(ThreadRecord &thread, uint64_t now, unsigned count);
// For an event that interrupts the slow path: stores it at once, or keeps it
// for the slow path's end. False: there is no room.
bool appendNested(ThreadRecord &thread, uint64_t now, const uint64_t *words,
                  unsigned count);

} // namespace tprt

#endif
