// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See pc_map.h. Notes are added and removed under the lock. Any thread reads
// them without a lock, also in signal handlers.
#include "text/pc_map.h"
#include "base/os_memory.h"
#include "base/os_signal.h"
#include "base/page_size.h"
#include "base/small_alloc.h"
#include "modules/module.h"
#include "sites/arch.h"
#include "text/pun_islands.h"
#include "text/stack_overflow.h"
#include "threads/lock.h"
#include "threads/status.h"
#include "threads/thread_block.h"

namespace tprt {

namespace {
// Notes are never freed. A removed note is reused.
struct Note {
  // Odd while the other members are being changed. A reader skips the note if
  // the version is odd, or if the version has changed during the read. The
  // reader cannot be in these stubs, because no thread is in stubs while they
  // are added or removed.
  uint32_t version;
  uint8_t layout; // A StubLayout; clang's atomic functions need an integer.
  uint32_t first;
  uint64_t start, end; // Both are 0 if the note was removed.
  Note *next;          // Constant once published.
};
} // namespace

namespace {
// A stub that was found by an address in it.
struct Found {
  const tprt_site *site;
  StubLayout layout;
  size_t inside;  // The address's offset from the stub's beginning.
  uint64_t start; // Where the region begins.

  // While the copy of the instruction and the code after it run: the offset of
  // the original pc from the instruction. Elsewhere 0.
  size_t after() const {
    const size_t copy = copyAt() + pushBytes();
    return isInCopy() && inside > copy ? afterInstruction(*site, inside - copy)
                                       : 0;
  }
  // If the stub's copy begins with pushes: how many bytes of the pushes are not
  // executed yet. Elsewhere 0.
  size_t pushesLeft() const {
    const size_t end = copyAt() + pushBytes();
    if (layout == StubLayout::Original && inside < copyAt())
      return copyAt() == SIZE_MAX ? 0 : pushBytes();
    return isInCopy() && inside < end ? end - inside : 0;
  }
  // Whether a hit enters the stub there.
  bool isStart() const {
    return inside == (isGeneral(layout) ? startInStub(*site) : 0);
  }

private:
  // Where the copy begins in the stub, or SIZE_MAX if the stub has none.
  size_t copyAt() const {
    if (layout == StubLayout::WithCopy)
      return kStubBytes;
    if (layout == StubLayout::InnerWithCopy)
      return kInnerStubBytes;
    return layout == StubLayout::Original && kOriginalCopy &&
                   site->shape() == TPRT_SHAPE_CODE
               ? kOriginalCopy
               : SIZE_MAX;
  }
  size_t pushBytes() const {
    return isAfterPushes(*site) ? codeOf(*site).pushBytes : 0;
  }
  bool isInCopy() const {
    const size_t start =
        layout == StubLayout::WithCopy ? startInStub(*site) : 0;
    return copyAt() != SIZE_MAX && inside >= copyAt() &&
           (!start || inside < start);
  }
};
} // namespace

static Note *notes; // each added at the head
static bool anyFar; // Veneers were noted.

static void fill(Note *note, StubLayout layout, uint32_t first, uint64_t start,
                 uint64_t end) {
  // The fences pair with those in isNoteOf().
  __atomic_store_n(&note->version, note->version + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_store_n(&note->layout, static_cast<uint8_t>(layout),
                   __ATOMIC_RELAXED);
  __atomic_store_n(&note->first, first, __ATOMIC_RELAXED);
  __atomic_store_n(&note->start, start, __ATOMIC_RELAXED);
  __atomic_store_n(&note->end, end, __ATOMIC_RELAXED);
  __atomic_store_n(&note->version, note->version + 1, __ATOMIC_RELEASE);
}

void (*pcMapChanged)();
static bool changed;

void noteChangedPcMap() { changed = true; }
void tellOfPcMap() {
  if (!changed || !pcMapChanged)
    return;
  changed = false;
  pcMapChanged();
}

void noteStubs(StubLayout layout, uint32_t first, uint64_t code, size_t bytes) {
  changed = true;
  Note *note = notes;
  while (note && note->end)
    note = note->next;
  if (note)
    return fill(note, layout, first, code, code + bytes);
  note = static_cast<Note *>(allocateSmall(sizeof(Note)));
  if (!note)
    return;
  fill(note, layout, first, code, code + bytes);
  note->next = notes;
  __atomic_store_n(&notes, note, __ATOMIC_RELEASE); // read in find()
}

void noteVeneers() { __atomic_store_n(&anyFar, true, __ATOMIC_RELAXED); }

void forgetStubs(uint64_t code) {
  changed = true;
  for (Note *note = notes; note; note = note->next)
    if (note->end && note->start == code)
      fill(note, StubLayout::General, 0, 0, 0);
}

// Whether the note is for stubs that contain this address. If so, fills in
// `found`.
static bool isNoteOf(const Note &note, uint64_t address, Found &found) {
  uint32_t version = __atomic_load_n(&note.version, __ATOMIC_ACQUIRE);
  uint64_t start = __atomic_load_n(&note.start, __ATOMIC_RELAXED);
  uint64_t end = __atomic_load_n(&note.end, __ATOMIC_RELAXED);
  found.layout =
      static_cast<StubLayout>(__atomic_load_n(&note.layout, __ATOMIC_RELAXED));
  uint32_t first = __atomic_load_n(&note.first, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  if (version % 2 ||
      version != __atomic_load_n(&note.version, __ATOMIC_RELAXED))
    return false;
  uint32_t place;
  found.start = start;
  if (address - start >= end - start ||
      !stubWithin(found.layout, address - start, place, found.inside))
    return false;
  found.site = &sites[first + place];
  return true;
}

static bool find(uint64_t address, Found &found) {
  const Note *note = __atomic_load_n(&notes, __ATOMIC_ACQUIRE);
  while (note && !isNoteOf(*note, address, found))
    note = note->next;
  return note;
}

// Finds the stub to which a slot or an island jumps. A debugger may have
// unmapped the page, so the code is read by peek().
static bool findAfterJump(uint64_t address, Found &found) {
  uint8_t code[kIslandBytes];
  if (!peek(address, code, sizeof code))
    return false;
  uint64_t to = targetOfIsland(code, address);
  return to && find(to, found) && found.isStart();
}

// Finds the stub if the address is one of a veneer's instructions, none of
// which changes anything that the program reads. In a process without veneers,
// which is the usual case, no memory is read.
static bool findByVeneer(uint64_t address, Found &found) {
  if (!kHasVeneers || !__atomic_load_n(&anyFar, __ATOMIC_RELAXED))
    return false;
  for (size_t i = 0; i < kVeneerWords; ++i) {
    uint32_t words[kVeneerWords];
    uint64_t start = address - i * sizeof *words;
    if (!peek(start, words, sizeof words))
      continue;
    uint64_t stub = stubOfVeneer(words);
    if (stub && find(stub, found) && !found.inside)
      return true;
  }
  return false;
}

uint64_t originalPcOf(uint64_t address) {
  Found found;
  if (!find(address, found) && !findAfterJump(address, found) &&
      !findByVeneer(address, found))
    return 0;
  const tprt_site &site = *found.site;
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  // The stub of a static branch moves the stack pointer.
  if (found.inside && site.isStaticBranch())
    return 0;
  // Unwinders can continue from the function's beginning.
  if (isGeneral(found.layout) && isAtBeginning(found.inside, site))
    return beginningOf(site);
  return sled + found.after() - found.pushesLeft();
}

// How far the stack pointer there is below the stack pointer at the original
// pc.
static int64_t stackBelowOriginal(const Found &found) {
  const tprt_site &site = *found.site;
  if (isGeneral(found.layout))
    return stackBelow(InnerStub::General, found.inside, site);
  if (!keepsBelow(site))
    return 0;
  switch (found.layout) {
  case StubLayout::FullCounting:
    return stackBelow(InnerStub::Counting, found.inside, site);
  case StubLayout::Recording:
    return stackBelow(InnerStub::Recording, found.inside, site);
  default:
    return 0;
  }
}

bool findStub(uint64_t address, StubPlace &place) {
  Found found;
  if (!find(address, found))
    return false;
  bool counts = found.layout == StubLayout::FullCounting,
       records = found.layout == StubLayout::Recording;
  place = {found.site,
           counts    ? InnerStub::Counting
           : records ? InnerStub::Recording
                     : InnerStub::General,
           found.inside};
  return counts || records || isGeneral(found.layout);
}

// --- debuggers --------------------------------------------------------------

// To find the instruction at the site, an unwinder looks up the address before
// the instruction's end, as it does for a call.
static PcRun runOf(const Found &found, uint64_t at) {
  const tprt_site &site = *found.site;
  auto sled = reinterpret_cast<uint64_t>(site.sled());
  uint64_t end =
      sled + (site.shape() == TPRT_SHAPE_CODE ? codeOf(site).length : 1u);
  if (isGeneral(found.layout) && isAtBeginning(found.inside, site))
    end = beginningOf(site) + 1;
  else if (size_t left = found.pushesLeft())
    end = sled - left + 1;
  else if (size_t after = found.after())
    end = sled + after + 1;
  return {at, at + 1, end, stackBelowOriginal(found), &site, 0, 0};
}

static void visitSlots(void (*tell)(const PcRun &run, void *data), void *data) {
  for (const Module *module = modules; module; module = module->next)
    for (size_t i = 0; module->loaded && i < module->code.size(); ++i) {
      const CodeSite &code = module->code[i];
      if (code.means != Means::ShortJump || !(code.use & kWasUsed))
        continue;
      const tprt_site &site = sites[module->firstSite + i];
      const Found found = {&site, StubLayout::General, startInStub(site), 0};
      PcRun run = runOf(found, module->origin + code.slot);
      run.end = run.start + kDeadBytes;
      run.below = 0;
      tell(run, data);
    }
}

void visitPcMap(void (*tell)(const PcRun &run, void *data), void *data) {
  for (const Note *note = notes; note; note = note->next) {
    PcRun run{};
    if (kHeaderCodeBytes && note->end &&
        isGeneral(static_cast<StubLayout>(note->layout)))
      tell({note->start, note->start + kHeaderCodeBytes, 0, 0,
            &sites[note->first], note->start, note->end},
           data);
    for (uint64_t at = note->start; at < note->end; ++at) {
      Found found;
      if (!isNoteOf(*note, at, found) || !found.site->isOfFunction())
        continue;
      PcRun one = runOf(found, at);
      if (one.site == run.site && one.resume == run.resume &&
          one.below == run.below && run.end == at) {
        run.end = at + 1;
        continue;
      }
      if (run.site)
        tell(run, data);
      run = one;
      run.firstOfAll = note->start;
      run.endOfAll = note->end;
    }
    if (run.site)
      tell(run, data);
  }
  struct Told {
    decltype(tell) call;
    void *data;
  } told{tell, data};
  visitPuns(
      [](uint64_t island, uint64_t stub, void *data) {
        const auto &told = *static_cast<const Told *>(data);
        Found found;
        if (!find(stub, found))
          return;
        PcRun run = runOf(found, island);
        run.end = island + kIslandBytes;
        run.below = 0;
        run.firstOfAll = island & ~(pageBytes() - 1);
        run.endOfAll = run.firstOfAll + pageBytes();
        told.call(run, told.data);
      },
      &told);
  visitSlots(tell, data);
}

// --- signals ----------------------------------------------------------------

// The stub that called the header in which the thread is.
static bool findAfterHeader(const void *context, uint64_t now, Found &found) {
  uint64_t from = calledFrom(context);
  return from && find(from, found) && isGeneral(found.layout) &&
         now - found.start < kStubHeaderBytes;
}

// The return address is already pushed when a call's stub is entered. So a call
// has no slot and no island.
static bool showOriginalPc(void *context, SignalResponses::Shown &was) {
  uint64_t now = programCounterIn(context), original = originalPcOf(now);
  Found found;
  if (original == now)
    return false;
  was = {now, 0, {}};
  if (original ? find(now, found) : findAfterHeader(context, now, found))
    was.moved = stackBelowOriginal(found);
  if (!original && was.moved)
    original = reinterpret_cast<uint64_t>(found.site->sled());
  if (!original)
    return false;
  setProgramCounter(context, original);
  showSite(context, was.moved, was.registers);
  return true;
}

static void restorePc(void *context, const SignalResponses::Shown &was) {
  setProgramCounter(context, was.programCounter);
  leaveSite(context, was.moved, was.registers);
}

static constexpr SignalResponses kResponses = {showOriginalPc, restorePc,
                                               programCounterIn, leaveOverflow};

bool showOriginalPcs() { return translateSignals(kResponses, Translated::All); }

void guardOverflows() {
  static bool isGuarded;
  if (__atomic_load_n(&isGuarded, __ATOMIC_ACQUIRE))
    return;
  readUnwindTables();
  Lock lock;
  translateSignals(kResponses, Translated::Overflows);
  __atomic_store_n(&isGuarded, true, __ATOMIC_RELEASE);
}

} // namespace tprt
