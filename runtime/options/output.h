// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes tables and messages. Any thread may call it, also in a signal handler:
// it is async-signal-safe and uses neither malloc nor printf. A failed write
// sends the program no SIGPIPE or SIGXFSZ.
#ifndef TPRT_OPTIONS_OUTPUT_H
#define TPRT_OPTIONS_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

namespace tprt {

// A text, a number, or a list of pieces.
struct Piece {
  enum Kind : uint8_t { Text, Number, Address, List };
  Kind kind = Text;
  uint32_t count = 0; // of a list
  union {
    const char *text;
    uint64_t number;
    const Piece *list;
  };

  Piece() : text("") {}
  Piece(const char *text) : text(text ? text : "") {}
  Piece(uint64_t number) : kind(Number), number(number) {}
  Piece(const void *address)
      : kind(Address), number(reinterpret_cast<uint64_t>(address)) {}
  Piece(const Piece *list, size_t count)
      : kind(List), count(static_cast<uint32_t>(count)), list(list) {}
};

// Excludes other processes that print to the same file, if it is a regular one.
// Async-signal-safe.
class FileLock {
public:
  explicit FileLock(int file) : file(file) {}
  ~FileLock() { give(); }
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  // Waits a second at most. After that, the caller continues without the lock,
  // and no later call waits again.
  void take();
  void give();

private:
  int file;
  bool tried = false, held = false;
};

// A buffer in front of a file descriptor. No write splits a line that is
// shorter than the buffer.
class Printout {
public:
  explicit Printout(int file) : file(file) {}
  // `larger` is the buffer. `lock` is taken before the first write; the caller
  // gives it back.
  template <size_t N>
  Printout(int file, char (&larger)[N], FileLock &lock)
      : file(file), lock(&lock), buffer(larger), size(N) {}
  Printout(const Printout &) = delete;
  Printout &operator=(const Printout &) = delete;
  template <class... T> void put(T... pieces) {
    const Piece list[] = {pieces...};
    putPiece(Piece(list, sizeof...(pieces)));
  }
  void put(char c) { write(&c, 1); }
  void putPiece(const Piece &piece);
  void write(const char *text, size_t bytes);
  // Writes text from the program or a file, with a question mark in place of
  // each byte that is not printable.
  void printable(const char *text);
  void pad(size_t spaces);
  // Writes a number, right-aligned in `columns`.
  void number(uint64_t number, size_t columns);
  // Writes what the buffer holds. Returns 0, or the error of the first write
  // that failed.
  int flush();

private:
  void writeOut(size_t bytes);
  int file, error = 0;
  FileLock *lock = nullptr;
  char *buffer = own;
  size_t size = sizeof own, used = 0;
  char own[512]; // small, as the stack of a signal handler may be small
};

// Prints a line on standard error if the verbosity is `level` or more.
void tellPiece(int level, const Piece &piece);
template <class... T> void tell(int level, T... pieces) {
  const Piece list[] = {pieces...};
  tellPiece(level, Piece(list, sizeof...(pieces)));
}

} // namespace tprt

#endif
