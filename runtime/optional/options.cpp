// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS: what a user can have without writing code. Read once when the
// library is loaded; ignored in programs that gain privileges (AT_SECURE). A
// mistake in it is reported on standard error, and the program runs on without
// probes.
#include "core/os.h"
#include "core/probe.h"
#include "core/sort.h"
#include "core/status.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern "C" char *__cxa_demangle(const char *, char *, size_t *, int *)
    __attribute__((weak));

namespace tprt {

namespace {
constexpr size_t kMaxPatterns = 32;
struct Options {
  const char *count[kMaxPatterns] = {};
  size_t counts = 0;
  uint64_t top = 25;
  const char *output = nullptr;
  uint64_t help = 0, traps = 0, verbose = 1;
  char text[4096] = {};
};
// Constant-initialised: it is filled by a constructor that may run before any
// dynamic initialisation of this file.
constinit Options options;

struct Row {
  const tprt_site *site;
  uint64_t count;
};
tprt_probe *probes[kMaxPatterns];

bool addPattern(const char *value);
bool setOutput(const char *value);

// Each takes a number, up to `most`, or what `read` does with it.
constexpr struct Option {
  char name[8], argument[6];
  uint32_t most;
  uint64_t *number;
  bool (*read)(const char *value);
  const char *help;
} kOptions[] = {
    {"count", "GLOB", 0, nullptr, addPattern,
     "count the calls of functions whose name matches, print a table at exit; "
     "repeatable"},
    {"top", "N", UINT32_MAX, &options.top, nullptr,
     "print the N most called functions (default 25, 0: all)"},
    {"output", "FILE", 0, nullptr, setOutput,
     "print the table to FILE, %p in it becoming the process id (default: "
     "standard error)"},
    {"traps", "0|1", 1, &options.traps, nullptr,
     "1: also count where only a trap can (slow; see TPRT_SELECT_TRAPS)"},
    {"verbose", "0|1|2", 2, &options.verbose, nullptr,
     "1: say what went wrong (default when count is given); 2: every "
     "operation"},
    {"help", "1", 1, &options.help, nullptr, "print this list"},
};
} // namespace

// Returns false.
static bool complain(const char *format, const char *what, const char *more) {
  char line[512];
  snprintf(line, sizeof line, format, what, more);
  printLine("TPRT_OPTIONS: %s; TPRT_OPTIONS=help=1 lists the options", line);
  return false;
}

namespace {
bool addPattern(const char *value) {
  if (const char *fault = globFault(value))
    return complain("the pattern '%s' of count %s", value, fault);
  if (options.counts == kMaxPatterns)
    return complain("more than 32 patterns to count, '%s' and later ones%s",
                    value, "");
  options.count[options.counts++] = value;
  return true;
}

bool setOutput(const char *value) {
  options.output = value;
  // Room for process ids, see writePath().
  return strlen(value) < 2048
             ? *value || complain("output%s needs a file%s", "", "")
             : complain("the file of output is longer than 2047 bytes%s%s", "",
                        "");
}
} // namespace

static bool parseOption(const char *name, const char *value) {
  const Option *option = kOptions;
  while (strcmp(name, option->name) != 0)
    if (++option == kOptions + sizeof kOptions / sizeof *kOptions)
      return complain("'%s' is not an option%s", name, "");
  if (option->read)
    return option->read(value);
  char *end = nullptr;
  errno = 0;
  uint64_t number = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || number > option->most)
    return complain("'%s' is no value for %s, which takes a number", value,
                    name);
  *option->number = number;
  return true;
}

// name=value, separated by spaces or commas; a C++ name needs its colons.
static bool parseOptions(const char *text) {
  if (strlen(text) >= sizeof options.text)
    return complain("longer than 4095 bytes%s%s", "", "");
  strcpy(options.text, text);
  bool good = true;
  char *rest = options.text;
  for (char *word; (word = strsep(&rest, " ,\t\n"));) {
    if (!*word)
      continue;
    char *equals = strchr(word, '=');
    if (equals)
      *equals++ = 0;
    good &= equals ? parseOption(word, equals)
                   : complain("'%s' has no value%s", word, "");
  }
  return good;
}

static void printHelp() {
  Output output(standardError());
  output.print("libtprt %s. TPRT_OPTIONS takes name=value, separated by spaces "
               "or commas:\n",
               tprt_version_string());
  for (const Option &o : kOptions)
    output.print("  %-8s %-7s %s\n", o.name, o.argument, o.help);
  output.finish();
}

// --- the table at exit
// ---------------------------------------------------------

static int collect(const tprt_site *site, uint64_t count, void *rows) {
  return count && !static_cast<Array<Row> *>(rows)->push({site, count});
}

// The file's name as options give it, with the process in place of %p.
static void writePath(char (&path)[4096]) {
  char *end = path;
  for (const char *p = options.output; *p && end < path + sizeof path - 24;)
    if (p[0] == '%' && p[1] == 'p') {
      end += sprintf(end, "%d", getpid());
      p += 2;
    } else {
      *end++ = *p++;
    }
  *end = 0;
}

// The file of the option, or standard error where there is none or it can't be
// opened; -1: nor is there that.
static int openOutput(const char *path) {
  int file = -1;
  if (options.output) {
    // A pipe that nobody reads is no reason to wait.
    file = open(
        path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
        0666);
    if (file < 0)
      printLine("can't write %s: %s; the table follows here", path,
                strerror(errno));
  }
  return file < 0 ? standardError() : file;
}

static void printRow(Output &output, const Row &row) {
  tprt_site_info info;
  tprt_site_describe(row.site, &info);
  int status = 0;
  char *plain = info.name && __cxa_demangle
                    ? __cxa_demangle(info.name, nullptr, nullptr, &status)
                    : nullptr;
  const void *what = plain ? plain : info.name ? info.name : info.function;
  output.print(info.name ? "%14llu  %s  (%s)\n" : "%14llu  %p  (%s)\n",
               static_cast<unsigned long long>(row.count),
               static_cast<const char *>(what), fileNameOf(info.module));
  free(plain);
}

// The reason given at the start may be out of date: libraries came later.
static void explainNothing() {
  tprt_stats stats;
  tprt_stats_read(&stats);
  if (stats.sites)
    printLine("nothing was counted: none of the %zu sites in %zu modules "
              "matches",
              stats.sites, stats.modules);
}

static void printTable() {
  Array<Row> rows;
  uint64_t calls = 0;
  size_t watched = 0;
  for (tprt_probe *&probe : probes) {
    if (!probe)
      continue;
    watched += probe->sites.size();
    tprt_probe_counts(probe, collect, &rows);
  }
  if (!watched)
    return explainNothing();
  // A site that two patterns match has one row.
  heapSort(rows.begin(), rows.size(),
           [](const Row &a, const Row &b) { return a.site < b.site; });
  size_t kept = 0;
  for (size_t i = 0; i < rows.size(); ++i)
    if (i == 0 || rows[i].site != rows[kept - 1].site)
      calls += rows[i].count, rows[kept++] = rows[i];
  heapSort(rows.begin(), kept,
           [](const Row &a, const Row &b) { return a.count > b.count; });
  char path[4096] = "standard error";
  if (options.output)
    writePath(path);
  int file = openOutput(path);
  if (file < 0)
    return;
  Output output(file);
  output.print(
      "tprt: %llu calls of %zu functions (%zu watched) in %s, process %d\n"
      "         calls  function\n",
      static_cast<unsigned long long>(calls), kept, watched,
      program_invocation_short_name, getpid());
  size_t shown = options.top && options.top < kept ? options.top : kept;
  for (size_t i = 0; i < shown; ++i)
    printRow(output, rows[i]);
  if (shown < kept)
    output.print("%14s  %zu more; TPRT_OPTIONS=top=0 shows all\n", "",
                 kept - shown);
  int fault = output.finish();
  // Some file systems say so only now (close(2)).
  if (file != STDERR_FILENO && close(file) != 0 && !fault)
    fault = errno;
  if (fault)
    printLine("can't write the table of calls to %s: %s", path,
              strerror(fault));
}

static bool startCounting() {
  bool any = false;
  for (size_t i = 0; i < options.counts; ++i) {
    tprt_selector selector{};
    selector.function = options.count[i];
    selector.flags = TPRT_SELECT_AWAIT;
    if (options.traps)
      selector.flags |= TPRT_SELECT_TRAPS;
    tprt_action action{};
    action.kind = TPRT_ACTION_COUNT;
    tprt_result result;
    tprt_probe_attach(&selector, &action, &probes[i], &result);
    say(2, "count=%s: %zu sites, %zu enabled", options.count[i], result.matched,
        result.enabled);
    any |= probes[i] != nullptr;
  }
  return any;
}

void startOptions() {
  const char *text = secure_getenv("TPRT_OPTIONS");
  if (!text || !*text)
    return;
  bool good = parseOptions(text);
  verbosity = static_cast<int>(options.verbose);
  if (options.help)
    printHelp();
  if (good && options.counts && startCounting())
    callAtExit([](void *) { printTable(); });
}

} // namespace tprt
