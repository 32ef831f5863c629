// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collects the tables from the probes and prints them where TPRT_OPTIONS says.
// at_end.cpp calls it, on one thread at a time, maybe in a signal handler.
// Async-signal-safe unless the occasion is ordinary.
#include "options/option_tables.h"
#include "base/os_file.h"
#include "options/count_option.h"
#include "options/option_rows.h"
#include "options/option_start.h"
#include "options/option_values.h"
#include "options/perf_map.h"
#include "options/print_option.h"
#include "options/site_facts.h"
#include "options/time_option.h"
#include "threads/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

namespace tprt {

namespace {
// The path of `output`, made absolute at the start, with %p still in it.
char outputPath[4096 + sizeof options.text];
bool appends;
// 1 once a process has emptied the file. The word is shared with the children
// of fork(), so that only one of these processes empties it.
uint32_t *emptied;
// The process that has emptied the file. It is used where each process has a
// file of its own (%p).
pid_t emptiedBy;
} // namespace

void chooseOutput() {
  const char *path = options.output;
  if (!path)
    return;
  appends = *path == '+';
  path += appends;
  size_t used = 0;
  if (*path != '/' && getcwd(outputPath, 4095)) {
    used = strlen(outputPath);
    outputPath[used++] = '/';
  }
  strcpy(outputPath + used, path);
  void *page = mmap(nullptr, sizeof *emptied, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  emptied = page == MAP_FAILED ? nullptr : static_cast<uint32_t *>(page);
}

// Replaces %p by the process's id. Returns false if the path is too long.
static bool expand(char (&path)[4096], bool &ownFile) {
  char *end = path;
  ownFile = false;
  for (const char *p = outputPath; *p;) {
    if (end > path + sizeof path - 24)
      return false;
    if (p[0] != '%' || p[1] != 'p') {
      *end++ = *p++;
      continue;
    }
    char digits[12];
    size_t at = sizeof digits;
    for (auto id = static_cast<unsigned>(getpid()); id; id /= 10)
      digits[--at] = static_cast<char>('0' + id % 10);
    memcpy(end, digits + at, sizeof digits - at);
    end += sizeof digits - at;
    p += 2;
    ownFile = true;
  }
  *end = 0;
  return true;
}

// Whether this is the first table of this run in that file. The file is then
// emptied for it. Under the file's lock, so that no process empties it after
// another one has printed.
static bool isFirst(bool ownFile) {
  if (appends)
    return false;
  pid_t before = emptiedBy;
  emptiedBy = getpid();
  if (ownFile || !emptied)
    return before != emptiedBy;
  return !__atomic_exchange_n(emptied, 1, __ATOMIC_RELAXED);
}

static void emptyAtFirst(int file, bool ownFile, FileLock &lock) {
  lock.take();
  // Only regular files can be emptied.
  int failed = isFirst(ownFile) ? ftruncate(file, 0) : 0;
  (void)failed;
  lock.give();
}

static void sayFailure(const char *path, int error, const Occasion &occasion,
                       const char *what) {
#ifdef __GLIBC__
  const char *reason = strerrordesc_np(error); // no translation, no memory
#else
  const char *reason = occasion.ordinary() ? strerror(error) : nullptr;
#endif
  (void)occasion;
  tell(1, "tprt: can't write ", path, ": ", reason ? reason : "an error",
       strcmp(what, "lines") == 0 ? "; the lines follow here\n"
                                  : "; the table follows here\n");
}

// Opens the file of `output`. Returns -1 and an error if that fails.
static int openOutput(char (&path)[4096], bool &ownFile, int &error) {
  error = ENAMETOOLONG;
  if (!expand(path, ownFile))
    return -1;
  // A named pipe that nobody reads is no reason to wait.
  int file = open(
      path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
      0666);
  error = errno;
  return file;
}

int outputForLines() {
  static char path[4096];
  bool ownFile;
  int error;
  if (!options.output)
    return standardError();
  int file = openOutput(path, ownFile, error);
  if (file < 0) {
    sayFailure(path, error, {End::Exit, 0, nullptr}, "lines");
    return standardError();
  }
  file = raiseDescriptor(file);
  FileLock lock(file);
  emptyAtFirst(file, ownFile, lock);
  return file;
}

void withOutput(const Occasion &occasion, void (*print)(Printout &, void *),
                void *data) {
  // Static, as the stack of a signal may be small. What fits the buffer goes
  // into a pipe as a whole.
  static char path[4096], buffer[PIPE_BUF];
  if (options.output) {
    bool ownFile;
    int error, file = openOutput(path, ownFile, error);
    if (file >= 0) {
      FileLock lock(file);
      emptyAtFirst(file, ownFile, lock);
      Printout out(file, buffer, lock);
      print(out, data);
      error = out.flush();
      lock.give();
      if (close(file) != 0 && !error && errno != EINTR)
        error = errno;
      if (!error)
        return;
    }
    sayFailure(path, error, occasion, "table");
  }
  int file = standardError();
  FileLock lock(file);
  Printout out(file, buffer, lock);
  print(out, data);
  out.flush();
}

// --- taking them -------------------------------------------------------------

// Never for ever: a signal handler may have interrupted this very thread where
// it has the lock.
static bool lockForATime() {
  for (unsigned round = 0; round < 1000; ++round) {
    if (tryLock())
      return true;
    timespec pause = {0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
  return false;
}

static void sumUp(Table &table) {
  for (const Row &row : table.rows) {
    table.calls += row.calls;
    table.self += row.self;
  }
}

// The sentence of a pattern that found nothing, now that all modules have come.
static const char *reasonFor(const Patterns &patterns) {
  tprt_selector selector = selectorOf(patterns, 0);
  Quiet quiet;
  tprt_status status = tprt_site_visit(
      &selector, [](const tprt_site *, void *) { return 1; }, nullptr);
  quiet.end();
  return status == TPRT_STATUS_OK    ? "all sites were refused"
         : matchesTests(patterns, 0) ? kOnlyTested
                                     : tprt_error_string();
}

static void explainNothing(const Table &table, const Occasion &occasion) {
  const Patterns &patterns = table.timed ? options.timed : options.counted;
  tell(1, "tprt: nothing was ", table.timed ? "timed" : "counted", " by ",
       patterns.option, "=", patterns.globs[0], ": ",
       occasion.ordinary() ? reasonFor(patterns) : "nothing matches", "\n");
}

static void takeAndPrint(const Occasion &occasion) {
  Table tables[2]{};
  if (!lockForATime()) {
    tell(1, "tprt: no table: a thread is inside an operation of libtprt\n");
    return;
  }
  if (options.perf)
    writePerfMap();
  bool wanted[] = {collectCounts(tables[0], Which::Called),
                   collectTimes(tables[1], Which::Called)};
  // Where there are none, that was said at the start.
  bool explains = haveSites();
  giveLock();
  for (unsigned i = 0; i < 2; ++i) {
    if (!wanted[i])
      continue;
    if (!tables[i].watched) {
      if (explains)
        explainNothing(tables[i], occasion);
      continue;
    }
    sumUp(tables[i]);
    struct Both {
      Table &table;
      const Occasion &occasion;
    } both{tables[i], occasion};
    withOutput(
        occasion,
        [](Printout &out, void *data) {
          auto &both = *static_cast<Both *>(data);
          printTable(both.table, both.occasion, out);
        },
        &both);
  }
}

void printAtEnd(const Occasion &occasion) {
  if (options.counted.count || options.timed.count || options.perf)
    takeAndPrint(occasion);
  tellLostLines();
}

} // namespace tprt
