// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows TPRT_OPTIONS, by which users trace a program without writing code.
// Runs once, when the library is loaded. It reads the options, attaches the
// probes that they ask for, and sees to it that option_tables.cpp prints the
// results at the end.
#include "options/option_start.h"
#include "base/os_file.h"
#include "control/server_start.h"
#include "options/at_end.h"
#include "options/count_option.h"
#include "options/gdb_jit.h"
#include "options/option_tables.h"
#include "options/output.h"
#include "options/preread_names.h"
#include "options/print_option.h"
#include "options/record_option.h"
#include "options/site_facts.h"
#include "options/skip_option.h"
#include "options/time_option.h"
#include "patch/uprobe_thread.h"
#include "record/family.h"
#include "select/select.h"
#include "text/pun_islands.h"
#include "threads/status.h"
#include "tprt/point.h"
#include "tprt/record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tprt {

tprt_selector selectorOf(const Patterns &patterns, size_t which) {
  // Each kind of table has one list of excluded names. Every probe keeps a
  // pointer to it and uses the beginning of it.
  static const char *lists[5][2 * kMostPatterns];
  const char **list = lists[&patterns == &options.timed      ? 1
                            : &patterns == &options.printed  ? 2
                            : &patterns == &options.recorded ? 3
                            : &patterns == &options.skipped  ? 4
                                                             : 0];
  excludedNames = list;
  excludedCount = options.excluded.count + which;
  for (size_t i = 0; i < options.excluded.count; ++i)
    list[i] = options.excluded.globs[i];
  for (size_t i = 0; i < which; ++i)
    list[options.excluded.count + i] = patterns.globs[i];
  tprt_selector selector{};
  const char *pattern = patterns.globs[which];
  if (*pattern == '@')
    selector.source = pattern + 1;
  else
    selector.function = afterPointPrefix(pattern);
  if (selector.function && selector.function != pattern)
    selector.kinds = TPRT_KIND_SET_POINT;
  else if (&patterns != &options.timed && asksForInstructions(&selector))
    selector.kinds = TPRT_KIND_SET_INSTRUCTION;
  else if (&patterns == &options.recorded)
    selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  else if (&patterns != &options.timed)
    selector.kinds = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  selector.flags = TPRT_SELECT_AWAIT | kSelectWithoutExcluded;
  if (options.traps)
    selector.flags |= TPRT_SELECT_TRAPS;
  if (options.code)
    selector.flags |= TPRT_SELECT_CODE;
  if (&patterns == &options.skipped) {
    selector.kinds = TPRT_KIND_SET_ALL;
    selector.flags |= TPRT_SELECT_PROFILERS;
  }
  return selector;
}

Quiet::Quiet() : before(verbosity) { verbosity = 0; }
void Quiet::end() { verbosity = before; }

// Whether the process that started this one was given TPRT_OPTIONS as well. A
// script with libtprt preloaded runs dozens of programs, most of which have no
// sleds, or no function of these names. The first of them says so, and the
// programs that it starts do not repeat it.
static bool startedByAnother() {
  return wasGivenOptions(static_cast<uint32_t>(getppid()));
}

// Whether this process may have been started by one with TPRT_OPTIONS. One that
// cannot see its parent was put into a namespace of its own, which neither
// tpctl nor a shell does.
static bool mayInherit() {
  char self[24] = "";
  if (getppid() == 0 || readlink("/proc/self", self, sizeof self - 1) <= 0 ||
      strtol(self, nullptr, 10) != getpid()) // /proc of another namespace
    return true;
  return startedByAnother();
}

static void sayNoNames(const SiteFacts &facts, size_t sites, size_t named) {
  // If the file has no symbol table at all, a message said so when the table
  // was read.
  if (sites && !named && facts.hasSymbols)
    tell(1, "tprt: ", facts.path,
         ": stripped: none of its functions with sleds has a name; compile "
         "with -ftp-names, or select by module\n");
}

static bool matchesAny(const tprt_selector &selector) {
  Quiet quiet;
  tprt_status status = tprt_site_visit(
      &selector, [](const tprt_site *, void *) { return 1; }, nullptr);
  quiet.end();
  return status == TPRT_STATUS_OK;
}

// Finds the modules and reads their symbols. A signal handler may have to print
// them, and could not read them. Prints what is wrong with a module. Returns
// false if no module can be looked at; a message has said so.
static bool lookAtModules() {
  if (tprt_module_refresh() != TPRT_STATUS_OK)
    return false;
  struct Look {
    SiteFacts facts{}; // of the last site that was visited
    size_t sites = 0, named = 0;
  } look;
  tprt_stats stats;
  tprt_stats_read(&stats);
  if (!stats.sites)
    return true;
  tprt_selector all{};
  all.kinds = TPRT_KIND_SET_ENTRY | TPRT_KIND_SET_POINT;
  if (!matchesAny(all)) // What skip= found has no sled.
    return true;
  tprt_site_visit(
      &all,
      [](const tprt_site *site, void *data) {
        auto &look = *static_cast<Look *>(data);
        SiteFacts facts = lookAt(site);
        if (look.facts.module != facts.module) {
          sayNoNames(look.facts, look.sites, look.named);
          tprt_site_info info;
          tprt_site_describe(site, &info);
          facts = lookAt(site);
          look = {facts, 0, 0};
        }
        ++look.sites;
        look.named += facts.name != nullptr;
        return 0;
      },
      &look);
  sayNoNames(look.facts, look.sites, look.named);
  return true;
}

bool matchesTests(const Patterns &patterns, size_t which) {
  if (&patterns != &options.counted)
    return false;
  tprt_selector selector = selectorOf(patterns, which);
  selector.flags |= kSelectLoneTests;
  return matchesAny(selector);
}

void sayHowItWent(const Patterns &patterns, size_t which, tprt_status status,
                  const tprt_result &result) {
  const char *glob = patterns.globs[which];
  if (status == TPRT_STATUS_NO_MATCH && matchesTests(patterns, which))
    tell(1, "tprt: ", patterns.option, "=", glob, ": ", kOnlyTested, "\n");
  else if (status == TPRT_STATUS_NO_MATCH)
    tell(startedByAnother() ? 2 : 1, "tprt: ", patterns.option, "=", glob,
         &patterns == &options.timed     ? ": no function"
         : &patterns == &options.skipped ? ": no call of a profiler"
                                         : ": no function or point",
         " matches so far; libraries that are loaded later are "
         "searched as well\n");
  else if (status == TPRT_STATUS_NO_TABLE)
    tell(which || startedByAnother() ? 2 : 1, "tprt: ", tprt_error_string(),
         "; libraries that are loaded later are searched as well\n");
  else if (status != TPRT_STATUS_OK)
    tell(1, "tprt: ", tprt_error_string(), "\n");
  tell(2, "tprt: ", patterns.option, "=", glob, ": ", result.matched,
       result.matched == 1 ? " site, " : " sites, ", result.enabled,
       " enabled\n");
}

static void followOptions(const char *text) {
  readOptions(text);
  if (options.help)
    printHelp();
  if (options.usdt && tprt_usdt_watch(1) != TPRT_STATUS_OK)
    tell(1, "tprt: usdt=1: ", tprt_error_string(), "\n");
  if (options.gdb)
    tellDebuggers();
  if (options.signals && tprt_signal_translate() != TPRT_STATUS_OK)
    tell(1, "tprt: signals=1: ", tprt_error_string(), "\n");
  if (options.uprobes != kUsual)
    oneByte = options.uprobes ? OneByte::Always : OneByte::Never;
  if (options.code && options.control != 1)
    startsWatch = !mayInherit();
  startSkipping();
  const char *file = options.recording.file;
  if (options.recorded.count || (file && options.control > 1))
    startRecording();
  else if (file)
    tell(1, "tprt: TPRT_OPTIONS: record=", file,
         ": has no pattern after its file\n");
  bool tables = options.counted.count || options.timed.count;
  if (!tables && !options.perf && !options.printed.count)
    return;
  keepStandardError();
  if (!tables && !options.printed.count)
    return watchEndings(true);
  chooseOutput();
  if (!lookAtModules())
    return;
  bool counts = startCounting(), times = startTiming(),
       prints = startPrinting();
  if (!counts && !times && !prints && !options.perf)
    return;
  // Of lines alone, only losses are told at the end, and no signal is worth
  // catching for that.
  if (!tables && !options.perf)
    return watchEndings(false);
  prepareNames();
  tprt_stats stats;
  tprt_stats_read(&stats);
  watchEndings(stats.sites != 0);
}

void startOptions() {
  const char *text = secure_getenv("TPRT_OPTIONS");
  if (!text || !*text)
    return;
  followOptions(text);
  // Last, as this may wait for a tool.
  if (!options.control)
    return;
  Quiet quiet;
  tprt_status status =
      startControl(static_cast<uint32_t>(options.control), options.tool);
  quiet.end();
  if (status != TPRT_STATUS_OK)
    tell(1, "tprt: control=1: ", tprt_error_string(), "\n");
}

} // namespace tprt
