// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats and writes tables and messages; see output.h. All of it may run in a
// signal handler, or on a thread that is about to end the process.
#include "optional/output.h"
#include "optional/extension.h"

#include <errno.h>
#include <string.h>

namespace tprt {

void Printout::write(const char *text, size_t bytes) {
  while (bytes) {
    size_t part = sizeof buffer - used;
    part = part < bytes ? part : bytes;
    memcpy(buffer + used, text, part);
    used += part;
    text += part;
    bytes -= part;
    if (used == sizeof buffer)
      flush();
  }
}

void Printout::pad(size_t spaces) {
  for (; spaces; --spaces)
    put(' ');
}

static size_t format(uint64_t number, unsigned base, char (&out)[20]) {
  size_t at = sizeof out;
  do
    out[--at] = "0123456789abcdef"[number % base];
  while (number /= base);
  return at;
}

void Printout::number(uint64_t number, size_t columns) {
  char digits[20];
  size_t at = format(number, 10, digits), length = sizeof digits - at;
  pad(length < columns ? columns - length : 0);
  write(digits + at, length);
}

void Printout::putPiece(const Piece &piece) {
  char digits[20];
  size_t at;
  switch (piece.kind) {
  case Piece::Text:
    return write(piece.text, strlen(piece.text));
  case Piece::Number:
    return number(piece.number, 0);
  case Piece::Address:
    at = format(piece.number, 16, digits);
    write("0x", 2);
    return write(digits + at, sizeof digits - at);
  case Piece::List:
    for (size_t i = 0; i < piece.count; ++i)
      putPiece(piece.list[i]);
  }
}

int Printout::flush() {
  int saved = errno;
  if (used && !error && !runtime->writeAll(file, buffer, used))
    error = errno;
  errno = saved;
  used = 0;
  return error;
}

void tellPiece(int level, const Piece &piece) {
  if (*runtime->verbosity < level)
    return;
  Printout out(runtime->standardError());
  out.putPiece(piece);
  out.flush();
}

} // namespace tprt
