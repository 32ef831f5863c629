// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of strings and of sets of signals that the runtime calls; see
// own_names.h. Unlike the C library's functions, they use only general
// registers. Any thread may call them, also in hits. Async-signal-safe.
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

// Only aligned words are read, so no read extends into the page after the text.
using Word = uint64_t __attribute__((may_alias));
static constexpr uint64_t kOnes = 0x0101010101010101, kHighs = kOnes << 7;

// Whether one of the word's bytes is 0.
static bool hasEnd(uint64_t word) {
  return ((word - kOnes) & ~word & kHighs) != 0;
}

static bool isAligned(const void *at) {
  return reinterpret_cast<uintptr_t>(at) % sizeof(Word) == 0;
}

// The kernel's set of signals, one bit each: the first word of the C library's
// set. The other words are never read.
static uint64_t &bitsOf(sigset_t *set) {
  return *reinterpret_cast<Word *>(set);
}
static uint64_t bitOf(int signal) { return uint64_t{1} << (signal - 1); }

extern "C" {

__attribute__((no_sanitize("address"))) size_t
strlen(const char *text) noexcept {
  const char *at = text;
  while (!isAligned(at)) {
    if (!*at)
      return static_cast<size_t>(at - text);
    ++at;
  }
  while (!hasEnd(*reinterpret_cast<const Word *>(at)))
    at += sizeof(Word);
  while (*at)
    ++at;
  return static_cast<size_t>(at - text);
}

size_t strnlen(const char *text, size_t most) noexcept {
  size_t length = 0;
  while (length < most && text[length])
    ++length;
  return length;
}

int strcmp(const char *first, const char *second) noexcept {
  while (*first && *first == *second)
    ++first, ++second;
  return static_cast<uint8_t>(*first) - static_cast<uint8_t>(*second);
}

int strncmp(const char *first, const char *second, size_t most) noexcept {
  for (; most; --most, ++first, ++second)
    if (!*first || *first != *second)
      return static_cast<uint8_t>(*first) - static_cast<uint8_t>(*second);
  return 0;
}

char *stpcpy(char *__restrict to, const char *__restrict text) noexcept {
  while ((*to = *text++))
    ++to;
  return to;
}

char *strcpy(char *__restrict to, const char *__restrict text) noexcept {
  stpcpy(to, text);
  return to;
}

char *strncpy(char *__restrict to, const char *__restrict text,
              size_t bytes) noexcept {
  size_t at = 0;
  for (; at < bytes && text[at]; ++at)
    to[at] = text[at];
  for (; at < bytes; ++at)
    to[at] = 0;
  return to;
}

const void *__tprt_c_memchr(const void *from, int c, size_t bytes) noexcept {
  const auto *at = static_cast<const char *>(from);
  for (const char *end = at + bytes; at < end; ++at)
    if (*at == static_cast<char>(c))
      return at;
  return nullptr;
}

const void *__tprt_c_memrchr(const void *from, int c, size_t bytes) noexcept {
  const auto *at = static_cast<const char *>(from);
  while (bytes--)
    if (at[bytes] == static_cast<char>(c))
      return at + bytes;
  return nullptr;
}

const char *__tprt_c_strchrnul(const char *text, int c) noexcept {
  while (*text && *text != static_cast<char>(c))
    ++text;
  return text;
}

const char *__tprt_c_strchr(const char *text, int c) noexcept {
  const char *found = __tprt_c_strchrnul(text, c);
  return *found == static_cast<char>(c) ? found : nullptr;
}

const char *__tprt_c_strrchr(const char *text, int c) noexcept {
  const char *found = nullptr;
  do
    if (*text == static_cast<char>(c))
      found = text;
  while (*text++);
  return found;
}

const char *__tprt_c_strstr(const char *text, const char *part) noexcept {
  size_t length = strlen(part);
  for (; *text; ++text)
    if (*text == *part && strncmp(text, part, length) == 0)
      return text;
  return length ? nullptr : text;
}

// --- numbers -----------------------------------------------------------------

static bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static unsigned digitOf(char c) {
  return c >= '0' && c <= '9'   ? static_cast<unsigned>(c - '0')
         : c >= 'a' && c <= 'z' ? static_cast<unsigned>(c - 'a') + 10
         : c >= 'A' && c <= 'Z' ? static_cast<unsigned>(c - 'A') + 10
                                : UINT32_MAX;
}

// Reads a number without a limit. `isTooLarge` is set if the number needs more
// than 64 bits.
static uint64_t readNumber(const char *text, char **end, int base,
                           bool &isNegative, bool &isTooLarge) {
  const char *at = text, *last = text;
  while (isSpace(*at))
    ++at;
  isNegative = *at == '-';
  at += *at == '-' || *at == '+';
  bool hasPrefix = at[0] == '0' && (at[1] | 0x20) == 'x' && digitOf(at[2]) < 16;
  if (base == 0)
    base = hasPrefix ? 16 : *at == '0' ? 8 : 10;
  if (base == 16 && hasPrefix)
    at += 2;
  uint64_t number = 0;
  isTooLarge = false;
  for (unsigned digit; (digit = digitOf(*at)) < static_cast<unsigned>(base);) {
    isTooLarge |=
        __builtin_mul_overflow(number, static_cast<uint64_t>(base), &number) ||
        __builtin_add_overflow(number, uint64_t{digit}, &number);
    last = ++at;
  }
  if (end)
    *end = const_cast<char *>(last);
  return number;
}

unsigned long long strtoull(const char *__restrict text, char **__restrict end,
                            int base) noexcept {
  bool isNegative, isTooLarge;
  uint64_t number = readNumber(text, end, base, isNegative, isTooLarge);
  if (isTooLarge)
    errno = ERANGE;
  return isTooLarge ? UINT64_MAX : isNegative ? -number : number;
}

unsigned long strtoul(const char *__restrict text, char **__restrict end,
                      int base) noexcept {
  return strtoull(text, end, base);
}

long strtol(const char *__restrict text, char **__restrict end,
            int base) noexcept {
  bool isNegative, isTooLarge;
  uint64_t number = readNumber(text, end, base, isNegative, isTooLarge);
  uint64_t most = static_cast<uint64_t>(INT64_MAX) + isNegative;
  if (isTooLarge || number > most) {
    errno = ERANGE;
    number = most;
  }
  return static_cast<long>(isNegative ? -number : number);
}

int atoi(const char *text) noexcept {
  return static_cast<int>(strtol(text, nullptr, 10));
}

// --- sets of signals ---------------------------------------------------------

int sigemptyset(sigset_t *set) noexcept {
  bitsOf(set) = 0;
  return 0;
}

// Excludes the signals that the C library reserves (nptl(7)): 32 and 33, and
// for musl also 34.
int sigfillset(sigset_t *set) noexcept {
#ifdef __GLIBC__
  bitsOf(set) = ~(bitOf(32) | bitOf(33));
#else
  bitsOf(set) = ~(bitOf(32) | bitOf(33) | bitOf(34));
#endif
  return 0;
}

int sigaddset(sigset_t *set, int signal) noexcept {
  bitsOf(set) |= bitOf(signal);
  return 0;
}

int sigdelset(sigset_t *set, int signal) noexcept {
  bitsOf(set) &= ~bitOf(signal);
  return 0;
}

int sigismember(const sigset_t *set, int signal) noexcept {
  return (bitsOf(const_cast<sigset_t *>(set)) & bitOf(signal)) != 0;
}
}
