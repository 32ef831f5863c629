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
static constinit thread_local bool quiet;

void keepThreadQuiet() { quiet = true; }

using Text = char[sizeof(Thread::lastError)];

static void write(Text &text, const char *format, va_list arguments) {
  vsnprintf(text, sizeof text, format, arguments);
  if (verbosity >= 1 && !quiet)
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

} // namespace tprt

const char *tprt_error_string() {
  tprt::Thread *self = tprt::currentThread();
  return self ? self->lastError
              : "there is no memory for this thread's block, where the text of "
                "a failure would be";
}

const char *tprt_version_string() { return "0.2.0"; }

const char *tprt_status_string(tprt_status status) {
  switch (status) {
  case TPRT_STATUS_OK:
    return "it was done";
  case TPRT_STATUS_NO_MATCH:
    return "no site matches the selector";
  case TPRT_STATUS_NO_TABLE:
    return "no loaded module has a sled table, or points";
  case TPRT_STATUS_PARTIAL:
    return "some sites were refused, the others are on";
  case TPRT_STATUS_REFUSED:
    return "every matching site was refused";
  case TPRT_STATUS_INVALID_ARGUMENT:
    return "an argument is not valid";
  case TPRT_STATUS_IN_HANDLER:
    return "this call is not allowed from inside a handler";
  case TPRT_STATUS_PENDING:
    return "detached, but a thread is still inside the handler";
  case TPRT_STATUS_NO_MEMORY:
    return "the system gave no memory";
  case TPRT_STATUS_NO_PERMISSION:
    return "the system does not let this process change its code";
  case TPRT_STATUS_NO_BARRIER:
    return "the system cannot synchronise all cores with new code (membarrier "
           "SYNC_CORE)";
  case TPRT_STATUS_BAD_TABLE:
    return "a sled table contradicts the module it is in";
  case TPRT_STATUS_UNSUPPORTED:
    return "not supported here";
  case TPRT_STATUS_OTHER_COPY:
    return "another copy of libtprt is in charge of this process";
  case TPRT_STATUS_NO_FILE:
    return "a file cannot be made or written";
  }
  return "unknown status";
}

const char *tprt_refusal_string(tprt_refusal refusal) {
  switch (refusal) {
  case TPRT_REFUSAL_NONE:
    return "not refused";
  case TPRT_REFUSAL_BYTES:
    return "the bytes there are not those of the table (another patcher, a "
           "breakpoint?)";
  case TPRT_REFUSAL_SHAPE:
    return tprt::kHasTraps
               ? "the sled has no room for a jump; build with an entry of 2 "
                 "and a slot, or of 5, or ask for traps (TPRT_SELECT_TRAPS)"
               : "the sled has no room for a jump";
  case TPRT_REFUSAL_ALIGNMENT:
    return tprt::kHasTraps
               ? "the sled does not lie where one store can flip it; ask for "
                 "traps (TPRT_SELECT_TRAPS)"
               : "the sled does not lie where one store can flip it";
  case TPRT_REFUSAL_REACH:
    return "no memory for a stub within reach of the sled; or the code of a "
           "point is out of reach of its gate";
  case TPRT_REFUSAL_PERMISSION:
    return "the code there cannot be read, or made writable";
  case TPRT_REFUSAL_MAPPING:
    return "the code there is a shared mapping, where others would see the "
           "change, or in hugetlbfs";
  case TPRT_REFUSAL_NOT_OPAQUE:
    return "the function was not compiled with -ftp-opaque, so its callers may "
           "know its result or arguments";
  case TPRT_REFUSAL_ACTION:
    return "a redirection is for entries of functions of the platform's usual "
           "calling convention; and nothing changes what a point is given";
  case TPRT_REFUSAL_NO_NOPS:
    return "there are no nops, or none that is known to begin a function";
  case TPRT_REFUSAL_DEBUGGER:
    return "it needs a trap, which a debugger would take for its own (or /proc "
           "can't say whether there is one); attach without it";
  case TPRT_REFUSAL_SIGTRAP:
    return "it needs a trap, but the program took SIGTRAP after libtprt; set "
           "its handler before the first attach with traps";
  case TPRT_REFUSAL_MOVED:
    return "BOLT moved the function's code, and the table leads to the old "
           "one, which is not run any more; keep BOLT off it (--skip-funcs)";
  case TPRT_REFUSAL_BRANCH:
    return "a jump of the function leads to the instruction that would change, "
           "so it is more than the function's beginning or end";
  case TPRT_REFUSAL_DECODE:
    return "the function could not be decoded to its end: it has data or a "
           "breakpoint in its code, or instructions that libtprt-code.so does "
           "not know";
  case TPRT_REFUSAL_ROOM:
    return "no jump fits over its instruction without changing other "
           "instructions; ask for traps (TPRT_SELECT_TRAPS)";
  case TPRT_REFUSAL_SWITCH:
    return "it is not known whether its indirect jump leaves the function or "
           "is a switch's";
  case TPRT_REFUSAL_XRAY:
    return "a sled of XRay's is there, which XRay's runtime may change at any "
           "time";
  case TPRT_REFUSAL_INSTRUCTION:
    return "its instruction runs only where it is, as a call or a system call "
           "does";
  }
  return "unknown refusal";
}
