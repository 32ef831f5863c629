// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See read_memory.h. No loop may become a call of memcpy (run_program.cpp).
#include "programs/read_memory.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "programs/lasting_memory.h"
#include "sites/arch.h"
#include "threads/thread_block.h"

namespace tprt {

bool copyMemory(uint64_t address, void *to, size_t bytes) {
  bool done = false;
  const int32_t thread = idInHit();
  keepVectorsIn([&] { done = peek(address, to, bytes, thread); });
  return done;
}

// Memory of the program at any address. A sanitizer has its own view of it.
using Word16 [[gnu::aligned(1), gnu::may_alias]] = uint16_t;
using Word32 [[gnu::aligned(1), gnu::may_alias]] = uint32_t;
using Word64 [[gnu::aligned(1), gnu::may_alias]] = uint64_t;
#define TPRT_PROGRAMS_MEMORY                                                   \
  __attribute__((no_sanitize("address"), no_sanitize("thread")))

template <class Word>
TPRT_PROGRAMS_MEMORY static Word loadFrom(uint64_t address) {
  return *reinterpret_cast<const volatile Word *>(address);
}

TPRT_PROGRAMS_MEMORY static uint64_t loadNumber(uint64_t address,
                                                unsigned bytes) {
  switch (bytes) {
  case 1:
    return loadFrom<uint8_t>(address);
  case 2:
    return loadFrom<Word16>(address);
  case 4:
    return loadFrom<Word32>(address);
  default:
    return loadFrom<Word64>(address);
  }
}

// Reads bytes of one page, if they are in one page: by load(), which may be
// undone, or else into `to`.
enum class Done : uint8_t { Not, Loaded, Copied };
template <class Load>
static inline Done readBytes(uint64_t address, void *to, uint32_t bytes,
                             const Load &load) {
  const Lasts lasts = doesLast(address, bytes);
  if (lasts == Lasts::Yes) {
    load();
    return Done::Loaded;
  }
  const bool isLoaded = mayUseTransactions() && inTransaction(load);
  if (!isLoaded && !copyMemory(address, to, bytes))
    return Done::Not;
  if (lasts == Lasts::IfReadable)
    noteReadable(address);
  return isLoaded ? Done::Loaded : Done::Copied;
}

Read readNumber(uint64_t address, unsigned bytes) {
  uint64_t value = 0, copied = 0;
  const Done done = readBytes(address, &copied, bytes,
                              [&] { value = loadNumber(address, bytes); });
  return {done == Done::Copied ? copied : value, done != Done::Not};
}

// --- strings -----------------------------------------------------------------

// Copies bytes up to a NUL, at most `most`, and returns how many are before the
// NUL. Copies bytes after the NUL, too.
TPRT_PROGRAMS_MEMORY static uint32_t loadString(uint64_t from, uint32_t most,
                                                char *to) {
  constexpr uint64_t kOnes = UINT64_MAX / 255, kHigh = kOnes << 7;
  uint32_t length = 0;
  for (; most - length >= 8; length += 8) {
    const uint64_t word = loadFrom<Word64>(from + length);
    *reinterpret_cast<Word64 *>(to + length) = word;
    // The lowest bit that is set is of the first NUL. Both processors store the
    // first byte lowest.
    if (const uint64_t nuls = (word - kOnes) & ~word & kHigh)
      return length + static_cast<uint32_t>(__builtin_ctzll(nuls)) / 8;
  }
  for (; length < most; ++length) {
    to[length] = loadFrom<char>(from + length);
    if (!to[length])
      break;
  }
  return length;
}

static uint32_t lengthIn(const char *bytes, uint32_t most) {
  uint32_t length = 0;
  while (length < most && bytes[length])
    ++length;
  return length;
}

// Reads the part of a string in these bytes of one page, at most all of them.
// Returns its length without the NUL, or -1.
static int readPart(uint64_t from, uint32_t bytes, char *to) {
  uint32_t length = 0;
  const Done done =
      readBytes(from, to, bytes, [&] { length = loadString(from, bytes, to); });
  if (done == Done::Copied)
    length = lengthIn(to, bytes);
  return done == Done::Not ? -1 : static_cast<int>(length);
}

TPRT_PROGRAMS_MEMORY static void loadMemory(uint64_t from, uint32_t bytes,
                                            char *to) {
  for (uint32_t i = 0; i < bytes; ++i) {
    to[i] = loadFrom<char>(from + i);
    __asm__ volatile("" ::: "memory");
  }
}

bool readMemory(uint64_t address, uint32_t bytes, char *to) {
  for (uint32_t done = 0; done < bytes;) {
    const uint64_t from = address + done;
    const uint64_t pageRest = pageBytes() - from % pageBytes();
    uint32_t part = bytes - done;
    part = part < pageRest ? part : static_cast<uint32_t>(pageRest);
    if (readBytes(from, to + done, part,
                  [&] { loadMemory(from, part, to + done); }) == Done::Not)
      return false;
    done += part;
  }
  return true;
}

int readString(uint64_t address, uint32_t most, uint64_t bound, char *to,
               bool &cut) {
  uint32_t length = 0;
  cut = false;
  const auto wanted =
      static_cast<uint32_t>(bound < most + 1 ? bound : most + 1);
  while (length < wanted) {
    const uint64_t from = address + length;
    const uint64_t pageRest = pageBytes() - from % pageBytes();
    uint32_t part = wanted - length;
    part = part < pageRest ? part : static_cast<uint32_t>(pageRest);
    const int before = readPart(from, part, to + length);
    if (before < 0)
      return -1;
    length += static_cast<uint32_t>(before);
    if (before < static_cast<int>(part))
      return static_cast<int>(length);
  }
  cut = wanted > most;
  return static_cast<int>(cut ? most : wanted);
}

} // namespace tprt
