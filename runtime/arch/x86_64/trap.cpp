// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Traps, for x86-64 sleds that no single store can turn into a jump. A trap
// works for any nops at any address.
//
//   off: 90 | 66 90 | 90 90 | 0f 1f 44 00 00 | ...   on: cc, the rest as it was
//
// A sled is flipped by one store of one byte; the bytes after it do not change.
// So a thread executes either the old first instruction or the int3, at any
// alignment (Intel SDM vol. 3, 9.1.3; AMD APM vol. 2, 7.6.1). If a thread is
// between two of several nops, it continues through the remaining nops. If a
// thread executes the int3, the signal's handler (os/linux/sigtrap.cpp)
// continues it at the sled's stub.
//
// A trap is found by its address and is never removed from the table. Traps are
// added under the lock and looked up without a lock, by the signal's handler.
// If another sled has the same address later, it reuses the trap.
#include "trap.h"
#include "code_patch.h"

namespace tprt {

namespace {
struct Trap {
  uint64_t address;
  uint64_t stub;
  // The next trap in its bucket. `next` and `address` are constant after the
  // trap was published.
  Trap *next;
  uint8_t bytes; // The length of the sled.
  // The lock protects the members from here on, except `state`.
  Trap *nextTouched;
  const tprt_site *site;
  uint32_t state; // Is incremented; odd as long as the int3 may be in the code.
  uint8_t original;
  bool isTouched;
};
constexpr unsigned kBucketBits = 12;
} // namespace

static Trap *buckets[1 << kBucketBits]; // Lists. New traps are added at the
                                        // head.
static Trap *touched;                   // the traps that this batch touched
static bool asked;                      // whether this batch called takeTraps()
static tprt_refusal answer;

static Trap **bucketOf(uint64_t address) {
  return &buckets[address * 0x9e3779b97f4a7c15u >> (64 - kBucketBits)];
}

static Trap *findTrap(uint64_t address) {
  Trap *trap = __atomic_load_n(bucketOf(address), __ATOMIC_ACQUIRE);
  while (trap && trap->address != address)
    trap = trap->next;
  return trap;
}

static Trap *makeTrap(uint64_t address) {
  auto *trap = static_cast<Trap *>(allocateSmall(sizeof(Trap)));
  if (!trap)
    return nullptr;
  Trap **bucket = bucketOf(address);
  trap->address = address;
  trap->next = *bucket;
  __atomic_store_n(bucket, trap, __ATOMIC_RELEASE); // read in findTrap()
  return trap;
}

// The state is odd from before the int3 is stored until after it was removed.
// If the state is the same even number before and after the byte was read,
// there are two cases. If the byte is an int3, another program set it. If not,
// the thread executed our int3 before the sled was restored, and now executes
// the sled. Each additional iteration of the loop follows a complete batch.
uint64_t destinationOfTrap(uint64_t address) {
  const Trap *trap = findTrap(address);
  if (!trap)
    return 0;
  for (;;) {
    uint32_t state = __atomic_load_n(&trap->state, __ATOMIC_ACQUIRE);
    if (state & 1)
      return __atomic_load_n(&trap->stub, __ATOMIC_RELAXED);
    uint8_t byte = __atomic_load_n(reinterpret_cast<const uint8_t *>(address),
                                   __ATOMIC_ACQUIRE);
    if (state == __atomic_load_n(&trap->state, __ATOMIC_RELAXED))
      return byte == kInt3 ? 0 : address;
  }
}

uint64_t beforeLostTrap(uint64_t pc) {
  const Trap *trap = findTrap(pc - 1);
  // After a sled of one byte, a thread may be at this address without having
  // executed an int3. If there is no int3, the sled may have been removed long
  // ago.
  bool isInside =
      trap && trap->bytes > 1 && destinationOfTrap(pc - 1) &&
      (__atomic_load_n(&trap->state, __ATOMIC_RELAXED) & 1 ||
       areNops(reinterpret_cast<const uint8_t *>(pc - 1), trap->bytes));
  return isInside ? pc - 1 : pc;
}

bool resumeTrap(void *context) {
  greg_t &pc = programCounter(context);
  uint64_t to = destinationOfTrap(static_cast<uint64_t>(pc) - 1);
  if (to)
    pc = static_cast<greg_t>(to);
  return to;
}

void resumeLostTrap(void *context) {
  greg_t &pc = programCounter(context);
  pc = static_cast<greg_t>(beforeLostTrap(static_cast<uint64_t>(pc)));
}

bool repeatTrap(void *context) {
  greg_t &pc = programCounter(context);
  bool after = *reinterpret_cast<const uint8_t *>(pc - 1) == kInt3;
  pc -= after;
  return after;
}

bool isTrapped(const tprt_site &site) {
  const Trap *trap = findTrap(reinterpret_cast<uint64_t>(site.sled()));
  return trap && __atomic_load_n(&trap->state, __ATOMIC_RELAXED) & 1;
}

SledForm formByTrap(const tprt_site &site) {
  const uint8_t *sled = site.sled();
  if (*sled != kInt3)
    return isUnchanged(site) ? SledForm::Off : SledForm::Other;
  return isTrapped(site) ? SledForm::On : SledForm::Other;
}

static void touch(Trap *trap, SledForm now, Toggle *toggle) {
  if (!trap->isTouched) {
    trap->isTouched = true;
    trap->nextTouched = touched;
    touched = trap;
  }
  uint8_t off =
      isProfilerCall(*trap->site) ? firstByteOff(*trap->site) : trap->original;
  *toggle = {trap->address, off, kInt3, 1, now};
}

// From now on the int3 may be in the code.
tprt_refusal startTrap(const tprt_site &site, uint64_t stub, Toggle *toggle) {
  const uint8_t *sled = site.sled();
  Trap *trap = findTrap(reinterpret_cast<uint64_t>(sled));
  if (!asked)
    answer = takeTraps();
  asked = true;
  if (answer != TPRT_REFUSAL_NONE)
    return answer;
  if (!trap && !(trap = makeTrap(reinterpret_cast<uint64_t>(sled))))
    return TPRT_REFUSAL_REACH;
  trap->site = &site;
  trap->original = *sled;
  // A thread can only be inside these bytes if they are a run of nops.
  trap->bytes = site.shape() == TPRT_SHAPE_CODE
                    ? 1
                    : static_cast<uint8_t>(sledBytes(site));
  __atomic_store_n(&trap->stub, stub, __ATOMIC_RELAXED);
  __atomic_store_n(&trap->state, trap->state | 1, __ATOMIC_RELEASE);
  touch(trap, SledForm::Off, toggle);
  return TPRT_REFUSAL_NONE;
}

void planTrap(const tprt_site &site, Toggle *toggle) {
  SledForm now = formByTrap(site);
  Trap *trap = findTrap(reinterpret_cast<uint64_t>(site.sled()));
  toggle->now = now;
  if (trap && now != SledForm::Other)
    touch(trap, now, toggle);
}

void finishTraps() {
  for (; touched; touched = touched->nextTouched) {
    touched->isTouched = false;
    if (!touched->site->enabled && touched->state & 1)
      __atomic_store_n(&touched->state, touched->state + 1, __ATOMIC_RELEASE);
  }
  asked = false;
}

} // namespace tprt
