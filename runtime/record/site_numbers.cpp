// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of sites and points, and the records that describe them. Numbers
// are given at the first question for them, mostly by the core before a sled is
// on, else in a hit. Descriptions are written under the runtime's lock, as
// names may have to be read. So a site whose first hit comes before that has a
// number, and its name follows at the latest when the recording ends.
#include "record/site_numbers.h"
#include "actions/probe.h"
#include "base/os_memory.h"
#include "base/page_size.h"
#include "elf/elf_file.h"
#include "elf/symbols.h"
#include "modules/point_groups.h"
#include "record/metadata.h"
#include "record/processes.h"
#include "record/recorded_probe.h"
#include "record/recording.h"
#include "record/recording_calls.h"
#include "sites/arch.h"
#include "text/inline_stubs.h"
#include "threads/thread_block.h"
#include "timing/missing_exits.h"

#include <string.h>

namespace tprt {

// Indexed by module number; nullptr before the first recording.
static ModuleRecord **records;

// --- numbers -----------------------------------------------------------------

static ModuleRecord **table() {
  ModuleRecord **now = __atomic_load_n(&records, __ATOMIC_ACQUIRE);
  if (now)
    return now;
  size_t bytes = kMaxModules * sizeof *now;
  auto *made = static_cast<ModuleRecord **>(reservePages(bytes));
  if (!made)
    return nullptr;
  if (__atomic_compare_exchange_n(&records, &now, made, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return made;
  freePages(made, bytes);
  return now;
}

static uint32_t pointsOf(const Module &module) {
  return module.pointGroups
             ? static_cast<uint32_t>(module.pointGroups->groups.size())
             : 0;
}

// Two threads may do so at once, and one of them wins. The other's numbers are
// given to nobody.
[[gnu::noinline]] static ModuleRecord *
makeRecord(ModuleRecord **place, ModuleRecord *old, const Module &module) {
  size_t bytes = roundToPages(sizeof(ModuleRecord) + module.siteCount);
  KeptErrno kept;
  auto *made = static_cast<ModuleRecord *>(allocatePages(bytes));
  if (made) {
    made->adopted = module.adopted;
    made->bytes = bytes;
    made->number = static_cast<uint32_t>(addShared(kModules, 1)) + 1;
    made->firstSite =
        static_cast<uint32_t>(addShared(kSites, module.siteCount));
    made->firstPoint =
        static_cast<uint32_t>(addShared(kPoints, pointsOf(module)));
    if (!__atomic_compare_exchange_n(place, &old, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
      freePages(made, bytes);
      made = old;
    }
  }
  return made;
}

ModuleRecord *knownRecordOf(const tprt_site &site) {
  ModuleRecord **all = __atomic_load_n(&records, __ATOMIC_ACQUIRE);
  ModuleRecord *record =
      all ? __atomic_load_n(&all[site.moduleNumber], __ATOMIC_ACQUIRE)
          : nullptr;
  return record && record->adopted == site.module()->adopted ? record : nullptr;
}

ModuleRecord *recordOf(const tprt_site &site) {
  if (ModuleRecord *known = knownRecordOf(site)) [[likely]]
    return known;
  ModuleRecord **all = table();
  if (!all)
    return nullptr;
  ModuleRecord **place = &all[site.moduleNumber];
  ModuleRecord *record = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  const Module &module = *site.module();
  if (record && record->adopted == module.adopted)
    return record;
  return makeRecord(place, record, module);
}

// What is known of a site is found out at the first question: whether a
// function has exits takes a search. Of code without sleds it is known when the
// attach has ended, and until then nothing of it is recorded.
unsigned whatOf(ModuleRecord &module, const tprt_site &site,
                const RecordedProbe &probe) {
  if (site.module()->isCode &&
      !__atomic_load_n(&probe.attached, __ATOMIC_ACQUIRE))
    return 0;
  uint8_t &place = module.sites[placeOf(site)];
  uint8_t known = __atomic_load_n(&place, __ATOMIC_RELAXED);
  while (!(known & kWhatBits)) {
    bool isEntry = site.event.kind == TPRT_KIND_ENTRY;
    bool isTimed = probe.kinds & TPRT_KIND_SET_EXIT && hasExit(&site);
    // Of an instruction no call is known, nor of an exit that a selector took
    // as an instruction.
    bool isExit = !isEntry && !site.isPoint() && !site.isInstruction() &&
                  probe.kinds & TPRT_KIND_SET_EXIT;
    unsigned what = isExit               ? TPRT_TRACE_EXIT
                    : isEntry && isTimed ? TPRT_TRACE_ENTRY
                                         : TPRT_TRACE_VISIT;
    // An exit next to one that was refused would end a call that no entry
    // began.
    bool isLeftOut = isExit && probe.kinds & TPRT_KIND_SET_ENTRY && !isTimed;
    unsigned number = isLeftOut ? kNoProbe : probe.number;
    auto wanted = static_cast<uint8_t>(known | what | number << kProbeShift);
    if (__atomic_compare_exchange_n(&place, &known, wanted, false,
                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
      known = wanted;
  }
  return known >> kProbeShift == probe.number ? known & kWhatBits : 0;
}

void freeModuleRecords() {
  for (uint32_t i = 0; records && i < kMaxModules; ++i)
    if (ModuleRecord *record = records[i]) {
      records[i] = nullptr;
      freePages(record, record->bytes);
    }
}

// --- records -----------------------------------------------------------------

namespace {
// The strings of a record, after its rows.
struct Strings {
  char *begin;
  uint32_t used = 1; // The string at 0 is empty.

  uint32_t add(const char *text) {
    if (!text || !*text)
      return 0;
    uint32_t at = used;
    size_t bytes = strlen(text) + 1;
    memcpy(begin + at, text, bytes);
    used += static_cast<uint32_t>(bytes);
    return at;
  }
};

uint32_t bytesOf(const char *text) {
  return text ? static_cast<uint32_t>(strlen(text)) + 1 : 0;
}
uint32_t padded(uint64_t bytes) {
  return static_cast<uint32_t>((bytes + 7) & ~uint64_t{7});
}
} // namespace

static uint64_t lengthOf(const Module &module) {
  uint64_t end = module.origin;
  for (const Segment &segment : module.segments)
    end = segment.end > end ? segment.end : end;
  return end - module.base;
}

static void readBuildId(const Module &module, tprt_trace_module &out) {
  Array<char> id;
  ElfFile(&module).readBuildId(id);
  if (id.size() > sizeof out.build_id)
    return;
  memcpy(out.build_id, id.begin(), id.size());
  out.build_id_bytes = static_cast<uint32_t>(id.size());
}

static bool writeModule(const Module &module, const ModuleRecord &record) {
  uint32_t path = bytesOf(module.path);
  uint32_t bytes = padded(sizeof(tprt_trace_module) + path);
  tprt_trace_module out{};
  readBuildId(module, out);
  RecordRoom room = beginRecord(bytes, TPRT_TRACE_RECORD_MODULE);
  if (!room.at)
    return false;
  auto *to = reinterpret_cast<tprt_trace_module *>(room.at);
  out.record = to->record;
  out.module = record.number;
  out.process = recording.process;
  out.base = module.base;
  out.bytes = lengthOf(module);
  out.first_site = record.firstSite;
  out.sites = module.siteCount;
  *to = out;
  memcpy(to + 1, module.path, path);
  publishRecord(room, bytes);
  return true;
}

// --- sites -------------------------------------------------------------------

// Names longer than this are cut, so that a record with one row fits.
static constexpr size_t kMostName = 60000;

// A point's name is in its own row, and is in the site's only if programs run
// there, whose events are visits of the site. `named`: they do.
static const char *recordedName(const tprt_site &site, bool named) {
  return named || site.isOfFunction() ? nameOf(site) : nullptr;
}

static uint32_t nameBytes(const tprt_site &site, bool named) {
  const char *name = recordedName(site, named);
  size_t length = name ? strlen(name) : 0;
  return length > kMostName ? 0 : static_cast<uint32_t>(length) + 1;
}

// How many of the sites fit into one record: neighbours, all not described.
static size_t rowsThatFit(const uint32_t *chosen, size_t count, bool named,
                          uint32_t &strings) {
  uint64_t room = kMostRecord - sizeof(tprt_trace_sites) - 8;
  strings = 1;
  size_t rows = 0;
  for (; rows < count && chosen[rows] == chosen[0] + rows; ++rows) {
    const tprt_site &site = sites[chosen[rows]];
    bool same = rows && recordedName(site, named) ==
                            recordedName(sites[chosen[rows - 1]], named);
    uint32_t more = same ? 0 : nameBytes(site, named);
    if ((rows + 1) * sizeof(tprt_trace_site) + strings + more > room)
      break;
    strings += more;
  }
  return rows;
}

static void fillRow(tprt_trace_site &row, const tprt_site &site,
                    uint32_t name) {
  row.sled = site.sledAt;
  row.function = site.isOfFunction() ? site.functionAt : site.sledAt;
  row.name = name;
  row.kind = site.event.kind;
}

// Writes one record. Returns how many of the sites it describes; 0: there is no
// room in the file.
static size_t writeSites(const Module &module, const ModuleRecord &record,
                         const uint32_t *chosen, size_t count, bool named) {
  uint32_t stringBytes;
  size_t rows = rowsThatFit(chosen, count, named, stringBytes);
  uint32_t bytes = padded(sizeof(tprt_trace_sites) +
                          rows * sizeof(tprt_trace_site) + stringBytes);
  RecordRoom room = beginRecord(bytes, TPRT_TRACE_RECORD_SITES);
  if (!room.at)
    return 0;
  auto *head = reinterpret_cast<tprt_trace_sites *>(room.at);
  head->module = record.number;
  head->first = record.firstSite + chosen[0] - module.firstSite;
  head->rows = static_cast<uint32_t>(rows);
  head->string_bytes = stringBytes;
  head->base = module.origin - module.base;
  auto *row = reinterpret_cast<tprt_trace_site *>(head + 1);
  Strings strings{reinterpret_cast<char *>(row + rows)};
  const char *last = nullptr;
  uint32_t name = 0;
  for (size_t i = 0; i < rows; ++i) {
    const tprt_site &site = sites[chosen[i]];
    const char *now = recordedName(site, named);
    if (!i || now != last)
      name = strings.add(nameBytes(site, named) ? now : nullptr);
    last = now;
    fillRow(row[i], site, name);
  }
  publishRecord(room, bytes);
  return rows;
}

// --- points ------------------------------------------------------------------

static char formOfType(char type) {
  switch (type) {
  case TPRT_ARGUMENT_POINTER:
    return '0' + TPRT_TRACE_FORM_ADDRESS;
  case TPRT_ARGUMENT_FLOAT:
  case TPRT_ARGUMENT_DOUBLE:
    return '0' + TPRT_TRACE_FORM_DOUBLE;
  case TPRT_ARGUMENT_STRING:
  case TPRT_ARGUMENT_CHARACTERS:
    return '0' + TPRT_TRACE_FORM_STRING;
  default:
    return formOf(type).isSigned ? '0' + TPRT_TRACE_FORM_SIGNED
                                 : '0' + TPRT_TRACE_FORM_UNSIGNED;
  }
}

static uint32_t pointBytes(const tprt_descriptor &point) {
  return bytesOf(nameOf(point)) + bytesOf(formatOf(point)) +
         bytesOf(fileOf(point)) + point.argument_count + 1;
}

static void fillPoint(tprt_trace_point &row, const tprt_descriptor &point,
                      Strings &strings) {
  char forms[TPRT_MOST_ARGUMENTS + 1] = {};
  for (unsigned i = 0; i < point.argument_count; ++i)
    forms[i] = formOfType(typesOf(point)[i]);
  row.name = strings.add(nameOf(point));
  row.format = strings.add(formatOf(point));
  row.forms = strings.add(forms);
  row.file = strings.add(fileOf(point));
  row.function = 0;
  row.line = point.line;
}

// Writes a record of the points from `first` on. Returns how many; 0: there is
// no room.
static uint32_t writePoints(const Points &points, const ModuleRecord &record,
                            uint32_t first) {
  uint64_t room = kMostRecord - sizeof(tprt_trace_points) - 8;
  uint64_t stringBytes = 1;
  uint32_t rows = 0;
  for (; first + rows < points.groups.size(); ++rows) {
    uint32_t more = pointBytes(points.descriptor(points.groups[first + rows]));
    if ((rows + 1) * sizeof(tprt_trace_point) + stringBytes + more > room)
      break;
    stringBytes += more;
  }
  if (!rows)
    return 1; // texts of 64 KiB
  uint32_t bytes = padded(sizeof(tprt_trace_points) +
                          rows * sizeof(tprt_trace_point) + stringBytes);
  RecordRoom to = beginRecord(bytes, TPRT_TRACE_RECORD_POINTS);
  if (!to.at)
    return 0;
  auto *head = reinterpret_cast<tprt_trace_points *>(to.at);
  head->module = record.number;
  head->first = record.firstPoint + first;
  head->rows = rows;
  head->string_bytes = static_cast<uint32_t>(stringBytes);
  auto *row = reinterpret_cast<tprt_trace_point *>(head + 1);
  Strings strings{reinterpret_cast<char *>(row + rows)};
  for (uint32_t i = 0; i < rows; ++i)
    fillPoint(row[i], points.descriptor(points.groups[first + i]), strings);
  publishRecord(to, bytes);
  return rows;
}

static void writeAllPoints(const Module &module, const ModuleRecord &record) {
  uint32_t count = pointsOf(module);
  for (uint32_t at = 0; at < count;) {
    uint32_t written = writePoints(*module.pointGroups, record, at);
    if (!written)
      return;
    at += written;
  }
}

// --- what the core and the calls ask -----------------------------------------

static void describeSites(Module *module, const uint32_t *chosen, size_t count,
                          bool named) {
  ModuleRecord *record = recordOf(sites[chosen[0]]);
  if (!record)
    return;
  readSymbols(module);
  if (!record->described) {
    if (!writeModule(*module, *record))
      return;
    writeAllPoints(*module, *record);
    record->described = true;
  }
  for (size_t i = 0; i < count;) {
    auto known = [&](size_t at) -> uint8_t & {
      return record->sites[chosen[at] - module->firstSite];
    };
    auto needed = [&](size_t at) {
      return !sites[chosen[at]].isStaticBranch() && !(known(at) & kDescribed);
    };
    size_t end = i;
    while (end < count && needed(end))
      ++end;
    if (end == i) {
      ++i;
      continue;
    }
    size_t written = writeSites(*module, *record, chosen + i, end - i, named);
    if (!written)
      return;
    for (size_t at = i; at < i + written; ++at)
      __atomic_fetch_or(&known(at), kDescribed, __ATOMIC_RELAXED);
    i += written;
  }
}

void describe(const Module *, const uint32_t *chosen, size_t count,
              void *data) {
  if (!count || (!generationNow() && !beginWaiting()))
    return;
  if (!enterProcess())
    return;
  const auto &probe = *static_cast<const RecordedProbe *>(data);
  describeSites(sites[chosen[0]].module(), chosen, count, probe.program);
}

void describeProbe(const RecordedProbe &probe) {
  const Array<uint32_t> &batch = probe.probe->sites;
  for (size_t begin = 0; begin < batch.size();) {
    const Module *module = sites[batch[begin]].module();
    size_t end = endOfModule(batch, begin, module);
    describe(module, batch.begin() + begin, end - begin,
             const_cast<RecordedProbe *>(&probe));
    begin = end > begin ? end : begin + 1;
  }
}

uint32_t wordOf(const tprt_site &site, void *data) {
  const auto &probe = *static_cast<const RecordedProbe *>(data);
  const tprt_recording_values &values = probe.values;
  bool withValues = site.event.kind == TPRT_KIND_ENTRY
                        ? values.arguments || values.strings
                    : site.event.kind == TPRT_KIND_EXIT ? values.results != 0
                                                        : false;
  if (!generationNow() || !site.isOfFunction() || withValues || probe.program)
    return 0;
  ModuleRecord *record = recordOf(site);
  if (!record)
    return 0;
  uint32_t number = record->firstSite + placeOf(site);
  unsigned what = whatOf(*record, site, probe);
  if (!what || number >> TPRT_TRACE_SITE_BITS)
    return 0;
  return number << TPRT_TRACE_SITE_SHIFT | what;
}

void beginCode(RecordedProbe &probe) {
  __atomic_store_n(&probe.attached, true, __ATOMIC_RELEASE);
  for (uint32_t index : probe.probe->sites)
    if (const tprt_site &site = sites[index]; site.module()->isCode)
      if (uint32_t word = wordOf(site, &probe))
        letRecord(site, word);
}

void unloaded(const Module *module) {
  ModuleRecord *record =
      generationNow() && records ? records[module->number] : nullptr;
  if (!record || record->adopted != module->adopted || !record->described)
    return;
  RecordRoom room =
      beginRecord(sizeof(tprt_trace_unloaded), TPRT_TRACE_RECORD_UNLOADED);
  if (!room.at)
    return;
  auto *to = reinterpret_cast<tprt_trace_unloaded *>(room.at);
  to->module = record->number;
  to->process = recording.process;
  to->counter = readTicks();
  publishRecord(room, sizeof *to);
}

} // namespace tprt
