// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code modules; see code_modules.h.
#include "code/code_modules.h"
#include "base/os_memory.h"
#include "base/page_memo.h"
#include "base/page_size.h"
#include "base/search.h"
#include "base/sort.h"
#include "code/decode_inputs.h"
#include "elf/foreign_breakpoints.h"
#include "elf/mcount_calls.h"
#include "elf/symbols.h"
#include "loader/awaited.h"
#include "loader/choose_and_pin.h"
#include "loader/module_list.h"
#include "names/path_glob.h"
#include "sites/arch.h"
#include "text/pun_islands.h"
#include "threads/lock.h"
#include "threads/status.h"

#include <string.h>

namespace tprt {

// Set once, read by any thread.
static const CodeReader *reader;

const CodeReader *codeReader() {
  return __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
}

bool readsCode() { return __atomic_load_n(&reader, __ATOMIC_ACQUIRE); }

bool prepareCode() {
  if (readsCode())
    return true;
  const char *fault =
      "this libtprt can't read code: libtprt.a leaves that part out";
  const CodeReader *opened = openCodeReader ? openCodeReader(&fault) : nullptr;
  if (!opened) {
    fail(TPRT_STATUS_UNSUPPORTED, "functions without sleds can't be probed: %s",
         fault);
    return false;
  }
  walkForCode(); // Set before the reader: a thread that sees the reader has
                 // walks for code.
  __atomic_store_n(&reader, opened, __ATOMIC_RELEASE); // see readsCode()
  return true;
}

// --- what is read -----------------------------------------------------------

// Whether a selector may select sites of this module.
static bool asksFor(uint32_t flags, const char *module, const void *address,
                    const Module *of) {
  if (!(flags & (TPRT_SELECT_CODE | TPRT_SELECT_PROFILERS)) ||
      (!(flags & TPRT_SELECT_CODE) && of->hasNoProfilers) ||
      (module && !globMatchesPath(module, of->path)))
    return false;
  auto at = reinterpret_cast<uint64_t>(address);
  for (const Segment &s : of->segments)
    if (!at || (at >= s.start && at < s.end))
      return true;
  return false;
}

static bool isSelected(const tprt_selector *selector, const Module *module) {
  if (!selector)
    return false;
  if (const void *address = addressIn(selector))
    return asksFor(selector->flags, selector->module, address, module);
  const char *name = selector->function;
  const char *bang = name ? splitAtModule(name) : nullptr;
  char own[256];
  auto length = bang ? static_cast<size_t>(bang - name) : 0;
  if (bang && length < sizeof own) {
    for (size_t i = 0; i < length; ++i)
      own[i] = name[i];
    own[length] = 0;
  }
  return asksFor(selector->flags,
                 bang && length < sizeof own ? own : selector->module, nullptr,
                 module);
}

static bool isWanted(const tprt_selector *selector, const Module *module) {
  return isSelected(selector, module) || awaited.isAwaited(module, asksFor);
}

// Removes sites that no probe in code may use: those of functions with sleds,
// and those in the trampolines that tp-clang links into executables. A hit
// there would run its own site. The instructions that patch/overlap.h reads are
// of the functions that remain.
static bool dropReserved(Module *module) {
  Array<Keyed> order;
  for (const Module *m = modules; m; m = m->next)
    if (m->loaded && !m->isCode && m->base == module->base)
      for (uint32_t i = 0; i < m->siteCount; ++i)
        if (const tprt_site &site = sites[m->firstSite + i];
            site.isOfFunction() && !order.push({site.functionAt, 0}))
          return false;
  if (!sortByKey(order))
    return false;
  size_t kept = 0;
  for (const CodeSite &site : module->code) {
    size_t i = partitionPoint(0, order.size(), [&](size_t at) {
      return order[at].key < site.function;
    });
    if ((i == order.size() || order[i].key != site.function) &&
        !isTrampolineCode(module->origin + site.function))
      module->code[kept++] = site;
  }
  return module->code.resize(kept);
}

// The number of bytes that a flip of the site stores: the bytes that change,
// and the neighbouring bytes that the same store rewrites.
static uint32_t changedBytesOf(const CodeSite &site) {
  switch (site.means) {
  case Means::None:
  case Means::Trap:
    return 0;
  case Means::ShortJump:
    return 2;
  case Means::Call:
    return site.fieldBytes;
  case Means::Jump:
  case Means::Return:
  case Means::Pun:
    break;
  }
  return jumpBytes(site);
}

// If a program writes to an instruction again, it would write into a jump that
// covers the instruction. A trap changes only one byte, so such a site gets a
// trap. On a processor whose instructions all have the same size, there is no
// remedy.
static void spareWritten(const Array<uint32_t> &written,
                         Array<CodeSite> &sites) {
  constexpr uint32_t kCovered = 5;
  if (written.empty() || kCodeAlignment > 1)
    return;
  for (CodeSite &site : sites) {
    const uint32_t from = changedFrom(site), to = from + changedBytesOf(site);
    size_t i = partitionPoint(0, written.size(), [&](size_t at) {
      return written[at] + kCovered <= from;
    });
    if (i < written.size() && written[i] < to)
      site.means = Means::Trap;
  }
}

static bool isToRead(const tprt_selector *selector, const Module *module) {
  return module->loaded && module->isCode && module->unread &&
         isWanted(selector, module) && mayPin(module);
}

namespace {
// Reads all wanted modules.
struct CodeWalk {
  const tprt_selector *selector;
  Pins pins;
  Hints hints;
  uint64_t pinnedIn = 0; // The epoch of the last begin(), or 0.
  unsigned number = 0;   // The number of the last module that was checked.
  // Another thread has loaded a module since the pins were requested.
  bool isMoreThere = false;
  CodeRead done = CodeRead::All;

  explicit CodeWalk(const tprt_selector *selector) : selector(selector) {}
  bool begin();
  void miss(const Module *module);
  Module *next();
  void read(Module *module);
};
} // namespace

// Begins a walk over the wanted modules that have not been read, and asks for
// them to be pinned. Returns false if there are no such modules. Called under
// the lock.
bool CodeWalk::begin() {
  bool any = false, memory = true;
  number = 0;
  isMoreThere = false;
  pinnedIn = epoch;
  for (Module *m = modules; m && memory; m = m->next)
    if (isToRead(selector, m)) {
      any = true;
      memory = pins.holds(m) || pins.want(m); // otherwise the module is not
                                              // held
    }
  return any;
}

void CodeWalk::miss(const Module *module) {
  if (done == CodeRead::NotWanted)
    return;
  done =
      isSelected(selector, module) ? CodeRead::NotWanted : CodeRead::NotAwaited;
  constexpr size_t kLongest = 160;
  size_t length = module->pathBytes - 1;
  fail(TPRT_STATUS_NO_MEMORY,
       "%s: no memory to read its code (is the address space limited, "
       "ulimit -v?); the next call tries again",
       module->path + (length > kLongest ? length - kLongest : 0));
}

// The next module to read, or nullptr if none is left.
Module *CodeWalk::next() {
  Lock lock;
  for (Module *m = modules; m; m = m->next) {
    if (m->number <= number || !isToRead(selector, m))
      continue;
    number = m->number;
    if (!pins.holds(m)) {
      if (m->adopted > pinnedIn)
        isMoreThere = true;
      else if (!pins.failed(m)) // otherwise the module is being unloaded
        miss(m);
      continue;
    }
    hints.patches.clear();
    if (!findHints(m, hints)) {
      miss(m);
      continue;
    }
    // Most modules have no calls of profilers, and are then not read for such
    // calls.
    m->hasNoProfilers = !hints.knowProfilers();
    if (!isWanted(selector, m))
      continue;
    ++m->readers;
    return m;
  }
  return nullptr;
}

// Reads one module without the lock: the module is pinned, and its readers are
// counted.
void CodeWalk::read(Module *module) {
  Array<CodeSite> found;
  Array<Segment> readable;
  bool memory = findReadable(module, readable);
  CodeView view = hints.view(module, readable);
  const char *fault = memory ? reader->read(view, found) : nullptr;
  memory = memory && fault != reader->noMemory;
  if (fault && memory)
    say(1, "%s: no probes in its code: %s", module->path, fault);
  Lock lock;
  --module->readers;
  if (!module->loaded || !module->unread)
    return; // another thread was faster
  if (memory) {
    spareWritten(hints.written, found);
    module->code.swap(found);
    if (dropReserved(module) && makeCodeSites(module))
      return;
    module->code.clear();
  }
  miss(module);
}

CodeRead readCode(const tprt_selector *selector) {
  CodeWalk walk(selector);
  if (!readsCode())
    return walk.done;
  bool memory = true;
  chooseAndPin(
      walk.pins,
      [&] { // reads the modules that the last round has pinned
        while (Module *module = walk.pinnedIn ? walk.next() : nullptr)
          walk.read(module);
        return true;
      },
      [&](Round round) {
        memory = round.memory;
        const bool ends = walk.pinnedIn && !walk.isMoreThere;
        return !memory || ends || !round.mayWait || !walk.begin();
      });
  if (!memory) {
    fail(TPRT_STATUS_NO_MEMORY, "no memory for the list of modules");
    return CodeRead::NotWanted;
  }
  return walk.done;
}

} // namespace tprt
