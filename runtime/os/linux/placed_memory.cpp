// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps memory at or near given addresses, and keeps the room free into which
// the program's stack and heap may grow; see base/os_text.h. Called in attach
// and detach, under the runtime's lock.
#include "base/os_text.h"
#include "base/page_size.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

// Maps memory at exactly this address, and never over another mapping. Kernels
// before 4.17 do not know MAP_FIXED_NOREPLACE and treat the address as a hint,
// so the result is compared.
static void *mapExactly(uint64_t start, size_t bytes, int rights) {
  auto *wanted = reinterpret_cast<void *>(start);
  void *memory = mmap(wanted, bytes, rights,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == wanted)
    return memory;
  if (memory != MAP_FAILED)
    munmap(memory, bytes);
  return nullptr;
}

// How much room below its beginning the main thread's stack may need. This is
// the stack's limit (setrlimit(2), RLIMIT_STACK), which the program may change,
// plus the gap that Linux leaves between a stack and the mapping below it.
// Linux keeps this much room free, but at least 128 MB and at most five sixths
// of the address space (the kernel's mmap_base()). If there is no limit, Linux
// keeps no particular room free. In that case, 1 TiB is assumed, because a
// stack is not larger than memory.
static uint64_t readStackRoom(uint64_t stack) {
  constexpr uint64_t kLeast = uint64_t{128} << 20, kMost = uint64_t{1} << 40;
  const uint64_t guard = 256 * pageBytes();
  const uint64_t space = uint64_t{1} << (64 - __builtin_clzll(stack | 1));
  uint64_t most = space / 6 * 5;
  most = most < kMost ? most : kMost;
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur > most - guard)
    return most;
  uint64_t room = limit.rlim_cur + guard;
  return room > kLeast ? room : kLeast;
}

// The program's name lies at the stack's beginning (getauxval(3), AT_EXECFN).
// The heap grows upward from its end (brk(2)), which at first is up to 1 GiB
// after a position-independent program (the Linux kernel's
// arch_randomize_brk()). In programs with frame pointers, the jumps of most
// entries need an address 1,222 MiB after the entry (48 89 e5 48), and those of
// functions that save many registers one 1,054 MiB after it (48 89 e5 41). So
// the room that is kept free must be less than 30 MiB: with 128 MiB, such
// functions were refused in a tenth of all processes. If the heap reaches a
// page of libtprt, malloc of glibc and musl uses mmap instead.
GrowthRoom readGrowthRoom() {
  constexpr uint64_t kHeapRoom = uint64_t{16} << 20;
  static const uint64_t stack = getauxval(AT_EXECFN);
  const uint64_t room = readStackRoom(stack);
  auto heap = static_cast<uint64_t>(syscall(SYS_brk, 0));
  return {stack > room ? stack - room + 1 : 0, stack + pageBytes(), heap,
          heap + kHeapRoom};
}

bool reserveExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_NONE);
}

bool allocateExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_READ | PROT_WRITE);
}

bool allocateCodeExactly(uint64_t start, size_t bytes) {
  return mapExactly(start, bytes, PROT_READ | PROT_EXEC);
}

// Uses mmap, which may be permitted even if mprotect is forbidden.
bool makeWritable(uint64_t start, size_t bytes) {
  return mmap(reinterpret_cast<void *>(start), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED;
}

// Maps memory at the page of `address`, if that lies in [lowest, highest].
static void *tryMap(uint64_t address, size_t bytes, uint64_t lowest,
                    uint64_t highest) {
  address &= ~(pageBytes() - 1);
  if (address < lowest || address > highest)
    return nullptr;
  return mapExactly(address, bytes, PROT_READ | PROT_WRITE);
}

void *allocateNear(uint64_t low, uint64_t high, size_t bytes, uint64_t reach) {
  uint64_t page = pageBytes();
  bytes = roundToPages(bytes);
  if (high - low + bytes > reach)
    return nullptr;
  uint64_t lowest = high > reach ? high - reach : page;
  uint64_t highest = low + reach - bytes;
  // The room below the module is tried first, because the heap lies above an
  // executable and grows. Each step leads further from the module, so that
  // neighboring modules keep their room. If everything is in use, a second
  // round also tries the room that the heap may need, because malloc can do
  // without it. A stack cannot do without its room.
  const uint64_t kStep = reach >> 7 & ~(page - 1);
  const GrowthRoom growing = readGrowthRoom();
  for (bool again = false;; again = true) {
    for (uint64_t way = kStep; way < reach; way += kStep) {
      void *memory = tryMap(low - bytes - way, bytes, lowest, highest);
      uint64_t above = high + page - 1 + way;
      if (!memory && !growing.meetsStack(above, above + bytes) &&
          (again || !growing.has(above)))
        memory = tryMap(above, bytes, lowest, highest);
      if (memory)
        return memory;
    }
    if (again)
      return nullptr;
  }
}

} // namespace tprt
