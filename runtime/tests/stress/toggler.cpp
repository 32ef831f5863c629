// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attaches and detaches in a loop, as toggler.h describes.
#include "toggler.h"

#include <cstdlib>
#include <set>
#include <thread>

#include <sys/mman.h>
#include <unistd.h>

namespace stress {

DataPages::DataPages() : PageSize(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
  Base = static_cast<char *>(mmap(nullptr, PageCount * PageSize, PROT_NONE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  if (Base == MAP_FAILED)
    abort();
}

DataPages::~DataPages() { munmap(Base, PageCount * PageSize); }

stress_data *DataPages::take() {
  char *Page = Base + Next++ % PageCount * PageSize;
  if (mprotect(Page, PageSize, PROT_READ | PROT_WRITE))
    abort();
  auto *Data = reinterpret_cast<stress_data *>(Page);
  *Data = {STRESS_DATA_ALIVE, 0};
  return Data;
}

void DataPages::poison(stress_data *Data) {
  if (mprotect(Data, PageSize, PROT_NONE))
    abort();
}

Toggler::Toggler(std::vector<const tprt_site *> Sites, unsigned Mask,
                 uint64_t Seed)
    : Sites(std::move(Sites)), Mask(Mask), Random(Seed) {}

void Toggler::chooseSites() {
  Chosen.clear();
  const bool All = Random.random(4) == 0;
  const size_t Share = Random.random(100);
  for (const tprt_site *Site : Sites)
    if (All || Random.random(100) < Share)
      Chosen.push_back(Site);
  if (Chosen.empty())
    Chosen.push_back(Sites[Random.random(Sites.size())]);
}

static tprt_action actionOf(unsigned Choice, stress_data *Data) {
  tprt_action Action = {};
  Action.data = Data;
  if (Choice == Count) {
    Action.kind = TPRT_ACTION_COUNT;
  } else {
    Action.kind = TPRT_ACTION_CALL;
    Action.flags = Choice == General ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0;
    Action.handler =
        Choice == General ? stress_handler_general : stress_handler_trample;
  }
  return Action;
}

void Toggler::pause() {
  const size_t Pause = Random.random(8);
  if (Pause > 4)
    std::this_thread::sleep_for(std::chrono::microseconds(40 * Pause));
  else if (Pause)
    std::this_thread::yield();
}

void Toggler::toggleOnce() {
  chooseSites();
  unsigned Choice;
  do
    Choice = 1u << Random.random(3);
  while (!(Choice & Mask));
  stress_data *Data = Pages.take();
  tprt_action Action = actionOf(Choice, Data);
  tprt_selector Selector = {};
  Selector.sites = Chosen.data();
  Selector.site_count = Chosen.size();
  Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  Selector.flags = TPRT_SELECT_TRAPS; // for TPRT_SHAPE_PLAIN

  tprt_probe *Probe = nullptr;
  tprt_result Result = {};
  tprt_status Status = tprt_probe_attach(&Selector, &Action, &Probe, &Result);
  if (Status != TPRT_STATUS_OK || !Probe) {
    Faults::report(tprt_error_string(), static_cast<uint64_t>(Status),
                   TPRT_STATUS_OK);
    return;
  }
  if (Result.matched != Chosen.size())
    Faults::report("sites matched", Result.matched, Chosen.size());
  if (Result.refused)
    Faults::report("sites refused", Result.refused, 0);

  pause();

  if (Choice == Count)
    Hits += tprt_probe_count(Probe);
  Status = tprt_probe_detach(Probe, -1);
  if (Status != TPRT_STATUS_OK)
    Faults::report("detach", static_cast<uint64_t>(Status), TPRT_STATUS_OK);
  Hits += Data->hits;
  Pages.poison(Data);
  ++Toggles;
}

void Toggler::runUntil(std::chrono::steady_clock::time_point End) {
  while ((std::chrono::steady_clock::now() < End || Toggles < 20) &&
         !Faults::count())
    toggleOnce();
}

std::vector<const tprt_site *> sitesNamed(const char *Glob) {
  std::vector<const tprt_site *> Found;
  tprt_selector Selector = {};
  Selector.function = Glob;
  Selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_POINT;
  tprt_status Status = tprt_site_visit(
      &Selector,
      [](const tprt_site *Site, void *Data) {
        static_cast<std::vector<const tprt_site *> *>(Data)->push_back(Site);
        return 0;
      },
      &Found);
  if (Status != TPRT_STATUS_OK)
    Faults::report(Glob, static_cast<uint64_t>(Status), TPRT_STATUS_OK);
  return Found;
}

std::vector<StressFunction>
functionsAt(std::span<const StressFunction> All,
            const std::vector<const tprt_site *> &Sites) {
  std::set<const void *> Entries;
  bool Points = false; // it is unknown which function has which kind
  for (const tprt_site *Site : Sites) {
    tprt_site_info Info;
    tprt_site_describe(Site, &Info);
    Entries.insert(Info.function);
    Points |= Info.kind == TPRT_KIND_POINT;
  }
  std::vector<StressFunction> Found;
  for (const StressFunction &Function : All)
    if ((Entries.count(Function.Entry) ||
         (Points && Function.event() == TPRT_KIND_POINT)) &&
        canCall(Function))
      Found.push_back(Function);
  return Found;
}

std::chrono::steady_clock::duration timeFor(int Parts) {
  const char *Text = getenv("TP_STRESS_SECONDS");
  const double Seconds = Text && *Text ? atof(Text) : STRESS_SECONDS;
  return std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(Seconds / Parts));
}

} // namespace stress
