// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sentences of all statuses and refusals, and the text of the last error,
// which is in the calling thread's block (thread_block.h).
#include "threads/status.h"
#include "base/cancel.h"
#include "base/os_file.h"
#include "sites/arch.h"
#include "threads/thread_block.h"

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
              : "no memory for this thread's block, which holds the text of "
                "the last error";
}

#define TPRT_TEXT_(number) #number
#define TPRT_TEXT(number) TPRT_TEXT_(number)
const char *tprt_version_string() {
  return TPRT_TEXT(TPRT_VERSION_MAJOR) "." TPRT_TEXT(
      TPRT_VERSION_MINOR) "." TPRT_TEXT(TPRT_VERSION_PATCH);
}

// --- sentences --------------------------------------------------------------

namespace {
template <class Value> struct Sentence {
  Value value;
  const char *text;
};

// One entry for each enumerator, in the same order.
constexpr Sentence<tprt_status> kStatuses[] = {
    {TPRT_STATUS_OK, "it was done"},
    {TPRT_STATUS_NO_MATCH, "no site matches the selector"},
    {TPRT_STATUS_NO_TABLE, "no loaded module has a sled table, or points"},
    {TPRT_STATUS_PARTIAL, "some sites were refused, the others are on"},
    {TPRT_STATUS_REFUSED, "every matching site was refused"},
    {TPRT_STATUS_INVALID_ARGUMENT, "an argument is not valid"},
    {TPRT_STATUS_IN_HANDLER, "this call is not allowed from inside a handler"},
    {TPRT_STATUS_PENDING, "detached, but a thread is still inside the handler"},
    {TPRT_STATUS_NO_MEMORY, "the system gave no memory"},
    {TPRT_STATUS_NO_PERMISSION,
     "the system does not let this process change its code"},
    {TPRT_STATUS_NO_BARRIER,
     "the system cannot synchronise all cores with new code (membarrier "
     "SYNC_CORE)"},
    {TPRT_STATUS_BAD_TABLE, "a sled table contradicts the module it is in"},
    {TPRT_STATUS_UNSUPPORTED, "not supported here"},
    {TPRT_STATUS_OTHER_COPY,
     "another copy of libtprt is in charge of this process"},
    {TPRT_STATUS_NO_FILE, "a file cannot be made or written"},
};
constexpr Sentence<tprt_refusal> kRefusals[] = {
    {TPRT_REFUSAL_NONE, "not refused"},
    {TPRT_REFUSAL_BYTES,
     "the bytes there are not those of the table (another patcher, a "
     "breakpoint?)"},
    {TPRT_REFUSAL_SHAPE,
     tprt::kHasTraps
         ? "the sled has no room for a jump; build with an entry of 2 "
           "and a slot, or of 5, or ask for traps (tpctl --traps, "
           "TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS)"
         : "the sled has no room for a jump"},
    {TPRT_REFUSAL_ALIGNMENT,
     tprt::kHasTraps ? "one store can't flip the sled at its address; ask for "
                       "traps (tpctl --traps, TPRT_OPTIONS=traps=1, "
                       "TPRT_SELECT_TRAPS)"
                     : "one store can't flip the sled at its address"},
    {TPRT_REFUSAL_REACH,
     tprt::kHasVeneers
         ? "no memory for a stub within reach of the sled; build with six nops "
           "before the function for its entry, -ftp-entry=7,6, and with six "
           "more for each exit, -ftp-entry=19,18 (of no use to a jump by x16); "
           "or the code of a point is out of reach of its static branch"
         : "no memory for a stub within reach of the sled; or the code of a "
           "point is out of reach of its static branch"},
    {TPRT_REFUSAL_PERMISSION,
     "the code there cannot be read or made writable, or the site needs other "
     "code, which cannot be made executable"},
    {TPRT_REFUSAL_MAPPING, "the code there is a shared mapping, where other "
                           "processes would see the change, or in hugetlbfs"},
    {TPRT_REFUSAL_NOT_OPAQUE,
     "the function was not compiled with -ftp-opaque, so its callers may "
     "know its result or arguments"},
    {TPRT_REFUSAL_ACTION,
     "only entries of functions with the platform's usual calling convention "
     "can be redirected, on AArch64 none that signs its return address "
     "(paciasp) and has no sled; and no probe can change the arguments of a "
     "point"},
    {TPRT_REFUSAL_NO_NOPS,
     "no nops are there, or they may not be at the start of a function"},
    {TPRT_REFUSAL_DEBUGGER,
     "it needs a trap, which a debugger would mistake for its own (or /proc "
     "can't show whether there is a debugger); attach without the debugger"},
    {TPRT_REFUSAL_SIGTRAP,
     "it needs a trap, and SIGTRAP may not reach libtprt there: the C library "
     "blocks signals in the function, a thread blocks SIGTRAP, or the program "
     "replaced libtprt's handler"},
    {TPRT_REFUSAL_MOVED,
     "BOLT moved the function's code, and the table leads to the old code, "
     "which no longer runs; exclude the function from BOLT (--skip-funcs)"},
    {TPRT_REFUSAL_BRANCH,
     "a jump in the function leads to the instruction that would change, so "
     "that the instruction does not run only at entry or exit"},
    {TPRT_REFUSAL_DECODE,
     "the function could not be decoded to its end: its code has data, a "
     "breakpoint, or instructions that libtprt-code.so does not know"},
    {TPRT_REFUSAL_INSTRUCTION,
     "its instruction can't run at another address: it is a call, a system "
     "call or in a restartable sequence (rseq); or its function sets the "
     "direction flag, which must be clear in handlers"},
    {TPRT_REFUSAL_ROOM,
     "no jump fits over its instruction without changing other instructions; "
     "ask for traps (tpctl --traps, TPRT_OPTIONS=traps=1, TPRT_SELECT_TRAPS), "
     "unless a neighbour that is on uses the bytes"},
    {TPRT_REFUSAL_SWITCH,
     "its indirect jump may leave the function or belong to a switch"},
    {TPRT_REFUSAL_XRAY,
     "an XRay sled is there, which XRay's runtime may change at any time"},
    {TPRT_REFUSAL_BOUNDARY,
     "no instruction begins there: the address is inside one, or in padding"},
    {TPRT_REFUSAL_EXCHANGE,
     "its instruction is not a nop, b or bl, so its page has to be exchanged, "
     "which is not possible (are the pages writable or sealed, is memory "
     "short, is mremap(2) filtered, or is a uprobe in a removed file?)"},
    {TPRT_REFUSAL_MAP_COUNT,
     tprt::kHasTraps
         ? "its jump needs one more mapping, and libtprt takes at most half of "
           "those that the process has left, and 32,768; select fewer "
           "functions, raise the limit (sysctl -w vm.max_map_count=262144), or "
           "ask for traps (tpctl --traps, TPRT_OPTIONS=traps=1, "
           "TPRT_SELECT_TRAPS)"
         : "it needs one more mapping, and the process may have no more; raise "
           "the limit (sysctl -w vm.max_map_count=262144)"},
};

template <class Value, size_t N>
constexpr bool isWhole(const Sentence<Value> (&all)[N], Value last) {
  for (size_t i = 0; i < N; ++i)
    if (static_cast<size_t>(all[i].value) != i)
      return false;
  return N == static_cast<size_t>(last) + 1;
}
static_assert(isWhole(kStatuses, TPRT_STATUS_NO_FILE) &&
              isWhole(kRefusals, TPRT_REFUSAL_MAP_COUNT));

template <class Value, size_t N>
const char *textOf(const Sentence<Value> (&all)[N], Value value,
                   const char *otherwise) {
  auto i = static_cast<size_t>(value);
  return i < N ? all[i].text : otherwise;
}
} // namespace

const char *tprt_status_string(tprt_status status) {
  return textOf(kStatuses, status, "unknown status");
}

const char *tprt_refusal_string(tprt_refusal refusal) {
  return textOf(kRefusals, refusal, "unknown refusal");
}
