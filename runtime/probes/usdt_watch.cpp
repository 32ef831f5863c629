// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tprt_usdt_watch(): turns points on while tracers use their USDT probes.
//
// A tracer that supports semaphores increments the probe's semaphore, a number
// in the point's object, and decrements it when the tracer detaches. The
// process is not notified. So a thread reads the semaphores ten times a second.
// If a semaphore is not zero, the thread attaches an empty handler to its
// point. That opens the static branches, and the probe's nop in the cold block
// is executed.
//
// All code here runs on that thread, except tprt_usdt_watch(). The list of
// watched points belongs to that thread. A child of fork() has a copy of the
// list but not the thread: there the list belongs to the first thread that
// calls tprt_usdt_watch(). A module may be unloaded at any time, so semaphores
// are read by peek(), which fails if the memory is no longer mapped.
#include "base/os_memory.h"
#include "base/os_process.h"
#include "base/os_thread.h"
#include "loader/module_list.h"
#include "modules/module.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"
#include "tprt/point.h"
#include "tprt/trace.h"

#include <errno.h>

namespace tprt {

namespace {
constexpr uint64_t kPause = 100'000'000; // ns: a tenth of a second
// How long tprt_usdt_watch(0) waits for the thread, in hundredths of a pause.
// The thread may be waiting for a lock of the loader that the caller has.
constexpr unsigned kPatience = 5000;

// A point with USDT probes.
struct Watched {
  const Module *module;
  uint64_t adopted;  // The module's epoch.
  uint64_t point;    // The address of its struct tprt_point.
  tprt_probe *probe; // nullptr means that the point is not on for a tracer.
  bool wanted, refused;
};

// The thread's process, and the requested state of the thread, in one word.
// tprt_usdt_watch() and the thread write this word.
enum State : uint32_t { Stopped, Running, Stopping };
struct Watch {
  int32_t process;
  State state;
};
uint64_t watchWord;
GlobalArray<Watched> watched;
uint64_t seenEpoch;
} // namespace

static Watch now() {
  return __builtin_bit_cast(Watch,
                            __atomic_load_n(&watchWord, __ATOMIC_ACQUIRE));
}
// Returns false if another thread changed the state first.
static bool change(Watch from, State to) {
  auto expected = __builtin_bit_cast(uint64_t, from);
  auto wanted = __builtin_bit_cast(uint64_t, Watch{processId(), to});
  return __atomic_compare_exchange_n(&watchWord, &expected, wanted, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

static void doNothing(const tprt_event *, const tprt_regs *, void *) {}

static Watched *find(Array<Watched> &list, const Module *module,
                     uint64_t point) {
  for (Watched &each : list)
    if (each.point == point && each.module == module &&
        each.adopted == module->adopted)
      return &each;
  return nullptr;
}

// Adds the points of loaded modules, and drops those of unloaded ones. A module
// with an enabled point cannot be unloaded. Under the lock.
static void update(Array<Watched> &list) {
  if (seenEpoch == epoch)
    return;
  size_t kept = 0;
  for (const Watched &each : list)
    if (each.module->loaded && each.adopted == each.module->adopted)
      list[kept++] = each;
  list.resize(kept);
  for (const Module *m = modules; m; m = m->next)
    for (uint32_t i = 0; m->loaded && i < m->usdtPoints.size(); ++i)
      if (uint64_t point = m->usdtPoints[i];
          !find(list, m, point) &&
          !list.push({m, m->adopted, point, nullptr, false, false}))
        return; // If there is no memory, the next round tries again.
  seenEpoch = epoch;
}

static bool isRaised(uint64_t point) {
  uint16_t semaphore = 0;
  static_assert(offsetof(tprt_point, semaphore) == 0);
  return peek(point, &semaphore, sizeof semaphore) && semaphore;
}

// Turns one point on or off. A refused point is not tried again before its
// semaphore has been zero.
static void follow(Watched &each) {
  if (!each.wanted) {
    each.refused = false;
    if (each.probe)
      tprt_probe_detach(each.probe, 0);
    each.probe = nullptr;
    return;
  }
  if (each.probe || each.refused)
    return;
  tprt_action action{};
  action.flags = TPRT_HANDLER_GENERAL_REGS_ONLY;
  action.handler = doNothing;
  tprt_status status =
      tprt_point_enable(reinterpret_cast<const void *>(each.point), &action,
                        &each.probe, nullptr);
  each.refused = !each.probe;
  if (status != TPRT_STATUS_OK)
    say(1, "a tracer watches a USDT probe whose point stays off: %s",
        tprt_error_string());
}

static void round(Array<Watched> &list) {
  tprt_module_refresh();
  {
    Lock lock;
    update(list);
    for (Watched &each : list)
      each.wanted = isRaised(each.point);
  }
  for (Watched &each : list)
    follow(each);
}

static void turnAllOff(Array<Watched> &list) {
  for (Watched &each : list) {
    each.wanted = false;
    follow(each);
  }
}

static void watch() {
  seenEpoch = 0;
  do {
    while (now().state == Running) {
      {
        Lock lock;
        followProcessIfLess();
      }
      round(*watched);
      sleepFor(kPause);
    }
    turnAllOff(*watched);
  } while (!change({processId(), Stopping}, Stopped));
}

static tprt_status startWatching() {
  if (startThread(watch, "tprt-usdt"))
    return TPRT_STATUS_OK;
  int error = errno;
  change({processId(), Running}, Stopped);
  return fail(TPRT_STATUS_NO_MEMORY,
              "the thread that watches USDT probes cannot be started: %s",
              error == EAGAIN ? "a limit on threads or memory is reached"
                              : "the system refused");
}

static tprt_status start() {
  char probe;
  if (!peek(reinterpret_cast<uint64_t>(&probe), &probe, sizeof probe))
    return fail(TPRT_STATUS_NO_PERMISSION,
                "the system does not let the semaphores of USDT probes be read "
                "(process_vm_readv; is there a seccomp filter?)");
  for (;;) {
    Watch present = now();
    bool mine = present.process == processId();
    if (mine && present.state == Running)
      return TPRT_STATUS_OK;
    if (change(present, Running)) // A thread that was requested to stop
                                  // continues.
      return mine && present.state == Stopping ? TPRT_STATUS_OK
                                               : startWatching();
  }
}

// For a process whose parent watched: the points that the parent had turned on
// are also on in this process.
static tprt_status takeOver(Watch parents) {
  if (change(parents, Stopping)) {
    turnAllOff(*watched);
    change({processId(), Stopping}, Stopped);
  }
  return TPRT_STATUS_OK;
}

static tprt_status stop() {
  Watch present = now();
  if (present.state == Stopped)
    return TPRT_STATUS_OK;
  if (present.process != processId())
    return takeOver(present);
  if (present.state == Running)
    change(present, Stopping);
  for (unsigned i = 0; i < kPatience; ++i) {
    if (now().state != Stopping)
      return TPRT_STATUS_OK;
    sleepFor(kPause / 100);
  }
  return fail(TPRT_STATUS_PENDING,
              "the thread that watches USDT probes has not ended yet: it waits "
              "for the loader, or for another thread's call of libtprt");
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_usdt_watch(int on) {
  if (insideHandler())
    return TPRT_STATUS_IN_HANDLER;
  return on ? start() : stop();
}
