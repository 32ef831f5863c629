// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=perf=1. perf shows code that is in no file as `[JIT]`, unless
// the process has left a file /tmp/perf-PID.map with a line for each piece of
// such code: start and size in hexadecimal, and a name (the Linux kernel's
// tools/perf/Documentation/jit-interface.txt). Stubs are such code. Called when
// the process ends or a table is asked for: async-signal-safe, under the lock.
#include "options/perf_map.h"
#include "base/os_file.h"
#include "modules/module.h"
#include "names/path_glob.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/output.h"
#include "text/stub_regions.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tprt {

namespace {
// Digits of a number, without leading zeros.
struct Digits {
  char text[24];
  size_t begin = sizeof text - 1;

  Digits(uint64_t number, unsigned base) {
    text[begin] = 0;
    do
      text[--begin] = "0123456789abcdef"[number % base];
    while (number /= base);
  }
  const char *get() const { return text + begin; }
};

// The path of this process's map.
struct MapPath {
  char text[48] = "/tmp/perf-";

  MapPath() {
    const Digits id(static_cast<uint64_t>(getpid()), 10);
    strcpy(text + strlen(text), id.get());
    strcpy(text + strlen(text), ".map");
  }
};
} // namespace

// Opens the map for appending, as other makers of code may have lines in it.
// -1, with errno: it cannot be opened, or is not this user's file. What else
// has that name in /tmp may be a trap.
static int openMap(const char *path) {
  int file = raiseDescriptor(open(path,
                                  O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC |
                                      O_NOFOLLOW | O_NONBLOCK | O_NOCTTY,
                                  0644));
  struct stat found;
  if (file >= 0 && fstat(file, &found) == 0 && S_ISREG(found.st_mode) &&
      found.st_uid == geteuid())
    return file;
  if (file >= 0) {
    close(file);
    errno = EPERM;
  }
  return -1;
}

static void writeLine(uint64_t start, size_t bytes, const Module *module,
                      void *out) {
  static_cast<Printout *>(out)->put(Digits(start, 16).get(), " ",
                                    Digits(bytes, 16).get(), " tprt: stubs of ",
                                    fileNameOf(module->path), "\n");
}

void writePerfMap() {
  const MapPath path;
  int file = openMap(path.text);
  int error = errno;
  if (file >= 0) {
    Printout out(file);
    visitStubs(writeLine, &out);
    error = out.flush();
    close(file);
    if (!error)
      return;
  }
  tell(1, "tprt: can't write ", path.text, " (error ",
       uint64_t(static_cast<unsigned>(error)),
       "): perf will show stubs as [JIT]\n");
}

} // namespace tprt
