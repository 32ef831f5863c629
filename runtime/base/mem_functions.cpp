// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// memcpy() and its relatives for the shared libraries of the runtime. The
// libraries do not export these functions, and do not call the C library's,
// which may be full of probes: copying a megabyte would cost thousands of hits,
// or traps, in the middle of an attach. libtprt.a does not contain this file,
// because the program would get these functions, too. Any thread, also in hits;
// async-signal-safe.
#include <stddef.h>
#include <stdint.h>

// Words are read and written by builtins that become one instruction.
// CMakeLists.txt keeps the compiler from turning the loops below into calls of
// the functions that contain them.
static uint64_t load(const char *from) {
  uint64_t word;
  __builtin_memcpy(&word, from, sizeof word);
  return word;
}

static void store(char *to, uint64_t word) {
  __builtin_memcpy(to, &word, sizeof word);
}

static constexpr size_t kWord = sizeof(uint64_t);

extern "C" {

void *memmove(void *to, const void *from, size_t bytes) {
  auto *out = static_cast<char *>(to);
  const auto *in = static_cast<const char *>(from);
  // If the destination begins inside the source, the copy goes backwards.
  if (reinterpret_cast<uintptr_t>(out) - reinterpret_cast<uintptr_t>(in) <
      bytes) {
    for (; bytes >= kWord; bytes -= kWord)
      store(out + bytes - kWord, load(in + bytes - kWord));
    while (bytes--)
      out[bytes] = in[bytes];
    return to;
  }
  size_t at = 0;
  for (; bytes - at >= kWord; at += kWord)
    store(out + at, load(in + at));
  for (; at < bytes; ++at)
    out[at] = in[at];
  return to;
}

void *memcpy(void *__restrict to, const void *__restrict from, size_t bytes) {
  return memmove(to, from, bytes);
}

void *memset(void *to, int value, size_t bytes) {
  auto *out = static_cast<char *>(to);
  const uint64_t word = static_cast<uint8_t>(value) * 0x0101010101010101;
  size_t at = 0;
  for (; bytes - at >= kWord; at += kWord)
    store(out + at, word);
  for (; at < bytes; ++at)
    out[at] = static_cast<char>(value);
  return to;
}

int memcmp(const void *first, const void *second, size_t bytes) {
  const auto *a = static_cast<const char *>(first);
  const auto *b = static_cast<const char *>(second);
  size_t at = 0;
  while (bytes - at >= kWord && load(a + at) == load(b + at))
    at += kWord;
  for (; at < bytes; ++at)
    if (a[at] != b[at])
      return static_cast<uint8_t>(a[at]) - static_cast<uint8_t>(b[at]);
  return 0;
}
}
