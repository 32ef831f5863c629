// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Formats and writes tables and messages; see output.h. All of it may run in a
// signal handler, or on a thread that is about to end the process.
#include "options/output.h"
#include "base/os_file.h"
#include "base/printable.h"
#include "threads/status.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

namespace tprt {

// --- one process at a time ---------------------------------------------------

// The lock belongs to the open file, not to the process. So it does not mix
// with the locks that the program has on the same file, and the kernel gives it
// back if the process dies.
static bool setLock(int file, short type) {
  struct flock whole = {};
  whole.l_type = type;
  whole.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &whole) == 0;
}

void FileLock::take() {
  if (tried)
    return;
  tried = true;
  int saved = errno;
  struct stat status;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode))
    for (unsigned round = 0; round < 1000; ++round) {
      held = setLock(file, F_WRLCK);
      if (held || (errno != EAGAIN && errno != EACCES))
        break;
      timespec pause = {0, 1'000'000};
      nanosleep(&pause, nullptr);
    }
  errno = saved;
}

void FileLock::give() {
  if (!held)
    return;
  int saved = errno;
  setLock(file, F_UNLCK);
  tried = held = false;
  errno = saved;
}

// --- the buffer --------------------------------------------------------------

void Printout::write(const char *text, size_t bytes) {
  while (bytes) {
    size_t part = size - used;
    part = part < bytes ? part : bytes;
    memcpy(buffer + used, text, part);
    used += part;
    text += part;
    bytes -= part;
    if (used == size) {
      auto *end = static_cast<char *>(memrchr(buffer, '\n', used));
      writeOut(end ? static_cast<size_t>(end + 1 - buffer) : used);
    }
  }
}

void Printout::printable(const char *text) {
  for (const char *end = text + strlen(text); text != end;) {
    size_t bytes = printableBytes(text, end);
    write(bytes ? text : "?", bytes ? bytes : 1);
    text += bytes ? bytes : 1;
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

// Writes the first bytes of the buffer, and moves the others to its front.
void Printout::writeOut(size_t bytes) {
  int saved = errno;
  if (lock && bytes)
    lock->take();
  if (bytes && !error && !writeAll(file, buffer, bytes))
    error = errno;
  errno = saved;
  used -= bytes;
  memmove(buffer, buffer + bytes, used);
}

int Printout::flush() {
  writeOut(used);
  return error;
}

void tellPiece(int level, const Piece &piece) {
  if (verbosity < level)
    return;
  Printout out(standardError());
  out.putPiece(piece);
  out.flush();
}

} // namespace tprt
