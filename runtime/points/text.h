// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A text with limited room. Characters that do not fit are counted but not
// stored. The code calls no function of libc, because handlers of points must
// not use vector registers, and memcpy uses them. Async-signal-safe.
#ifndef TPRT_POINTS_TEXT_H
#define TPRT_POINTS_TEXT_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// Keeps the compiler from replacing the enclosing loop with a call of memcpy,
// memset or strlen.
[[gnu::always_inline]] inline void keepLoop() {
  __asm__ volatile("" ::: "memory");
}

inline void copyBytes(char *to, const char *from, size_t bytes) {
  for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
    __builtin_memcpy(to, from, 8); // one load and one store
    keepLoop();
  }
  for (; bytes; --bytes) {
    *to++ = *from++;
    keepLoop();
  }
}

// The length of a text that may lack its NUL. Reads at most `most` bytes.
inline size_t boundedLength(const char *text, size_t most) {
  size_t length = 0;
  for (; length < most && text[length]; ++length)
    keepLoop();
  return length;
}

class Text {
public:
  Text(char *out, size_t room) : out(out), room(room) {}

  void put(char c) {
    if (length < room)
      out[length] = c;
    ++length;
  }
  void write(const char *text, size_t bytes) {
    copyBytes(out + stored(), text, fitting(bytes));
    length += bytes;
  }
  template <size_t N> void write(const char (&literal)[N]) {
    write(literal, N - 1);
  }
  void fill(char c, size_t count) {
    char *to = out + stored();
    for (size_t left = fitting(count); left; --left) {
      *to++ = c;
      keepLoop();
    }
    length += count;
  }

  // Counts bytes that do not fit.
  void skip(size_t bytes) { length += bytes; }

  // The length of the complete text, including characters that did not fit.
  size_t size() const { return length; }
  size_t stored() const { return length < room ? length : room; }
  bool isFull() const { return length >= room; }

private:
  size_t fitting(size_t bytes) const {
    size_t left = room - stored();
    return bytes < left ? bytes : left;
  }

  char *out;
  size_t room, length = 0;
};

} // namespace tprt

#endif
