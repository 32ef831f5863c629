// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentences of all statuses and refusals, and the text of the last error,
// which lies in the calling thread's block (threads.h).
#include "core/status.h"
#include "core/arch.h"
#include "core/cancel.h"
#include "core/os.h"
#include "core/threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

namespace tprt {

int verbosity = 0;

using Text = char[sizeof(Thread::lastError)];

static void write(Text &text, const char *format, va_list arguments) {
  vsnprintf(text, sizeof text, format, arguments);
  if (verbosity >= 1)
    printLine("%s", text);
}

void printLine(const char *format, ...) {
  char line[1024] = "tprt: ";
  constexpr size_t kBegin = sizeof "tprt: " - 1;
  int file = standardError();
  if (file < 0)
    return;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line + kBegin, sizeof line - kBegin - 1, format, arguments);
  va_end(arguments);
  size_t length = strlen(line);
  CancelDisabled uncancelled; // a refused call is not a cancellation point
  line[length] = '\n';
  writeAll(file, line, length + 1);
}

tprt_status fail(tprt_status status, const char *format, ...) {
  Text text;
  va_list arguments;
  va_start(arguments, format);
  write(text, format, arguments);
  va_end(arguments);
  if (Thread *self = currentThread())
    memcpy(self->lastError, text, sizeof text);
  return status;
}

void say(int level, const char *format, ...) {
  if (verbosity < level)
    return;
  Text text;
  va_list arguments;
  va_start(arguments, format);
  write(text, format, arguments);
  va_end(arguments);
}

// Finds one of several sentences that each end in a zero byte. It does not use
// strlen, which uses vector registers: a handler that promised not to use these
// may ask for a sentence.
static const char *nth(const char *sentence, unsigned n) {
  while (n)
    n -= !*sentence++;
  return sentence;
}

} // namespace tprt

const char *tprt_error_string() {
  tprt::Thread *self = tprt::currentThread();
  return self ? self->lastError
              : "there is no memory for this thread's block, where the text of "
                "a failure would be";
}

const char *tprt_version_string() { return "0.2.0"; }

const char *tprt_status_string(tprt_status status) {
  // In the order of their numbers; the last sentence is for all other numbers.
  unsigned which = static_cast<unsigned>(status);
  return tprt::nth(
      "it was done\0"
      "no site matches the selector\0"
      "no loaded module has a sled table\0"
      "some sites were refused, the others are on\0"
      "every matching site was refused\0"
      "an argument is not valid\0"
      "this call is not allowed from inside a handler\0"
      "detached, but a thread is still inside the handler\0"
      "the system gave no memory\0"
      "the system does not let this process change its code\0"
      "the system cannot synchronise all cores with new code "
      "(membarrier SYNC_CORE)\0"
      "a sled table contradicts the module it is in\0"
      "not supported here\0"
      "another copy of libtprt is in charge of this process\0"
      "unknown status",
      which <= TPRT_STATUS_OTHER_COPY ? which : TPRT_STATUS_OTHER_COPY + 1);
}

const char *tprt_refusal_string(tprt_refusal refusal) {
  constexpr unsigned kUnknown = TPRT_REFUSAL_MOVED + 1;
  unsigned which = static_cast<unsigned>(refusal);
  if (which > kUnknown)
    which = kUnknown;
  if (!tprt::kHasTraps && tprt::mayNeedTrap(refusal))
    which += kUnknown + 1 - TPRT_REFUSAL_SHAPE;
  return tprt::nth(
      "not refused\0"
      "the bytes there are not those of the table (another patcher, a "
      "breakpoint?)\0"
      "the sled has no room for a jump; build with an entry of 2 and a slot, "
      "or of 5, or ask for traps (TPRT_SELECT_TRAPS)\0"
      "the sled does not lie where one store can flip it; ask for traps "
      "(TPRT_SELECT_TRAPS)\0"
      "no memory for a stub within reach of the sled\0"
      "the code there cannot be read, or made writable\0"
      "the code there is a shared mapping, where others would see the change, "
      "or in hugetlbfs\0"
      "the function was not compiled with -ftp-opaque, so its callers may know "
      "its result or arguments\0"
      "a redirection is for entries of functions of the platform's usual "
      "calling convention\0"
      "there are no nops, or none that is known to begin a function\0"
      "it needs a trap, which a debugger would take for its own (or /proc "
      "can't say whether there is one); attach without it\0"
      "it needs a trap, but the program took SIGTRAP after libtprt; set its "
      "handler before the first attach with traps\0"
      "BOLT moved the function's code, and the table leads to the old one, "
      "which is not run any more; keep BOLT off it (--skip-funcs)\0"
      "unknown refusal\0"
      // Where there are no traps:
      "the sled has no room for a jump\0"
      "the sled does not lie where one store can flip it",
      which);
}
