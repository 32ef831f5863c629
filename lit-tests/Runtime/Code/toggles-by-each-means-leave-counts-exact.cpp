// Thousands of sites are turned on and off in large batches, by each means: jumps and short jumps, with and without a kept
// prefix, puns of one byte and of four bytes, entries after a push, returns, calls, traps, instructions inside functions,
// and sleds. Meanwhile two threads call all of these functions. The test checks the following:
//  - Each result of a function is right.
//  - After each attach and detach, the bytes of each site of the batch differ from those in the file if the site is on,
//    and are the same if it is off.
//  - Each site is hit as often as its function was called: some functions are called once in a pass, others twice, so hits
//    of one site do not pass for those of another. Handlers receive the site that was hit. If the threads are stopped
//    while the counts are read, the counts are exact. Otherwise the calls that are in progress may count or not.
//
// TP_CODE_TOGGLES is the number of times that a site in code without sleds is turned on or off until the test ends.
// The test then also prints the number of toggles by each means, and their duration (lit -a shows the output).
//
// RUN: %tp_clangxx -O2 -std=c++17 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: each means is there
// CHECK-NEXT: as many toggles as asked for, 0 wrong results, 0 wrong counts, 0 sites with wrong bytes, 0 failed, all off
// CHECK-NEXT: counts that were exact: 1, handlers' hits that were exact: 1
#include "../Inputs/harness.h"
#include "Inputs/thousands-of-functions.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

// --- what runs through them ----------------------------------------------------

constexpr size_t kThreads = 2;
static std::atomic<bool> ended;
static std::atomic<uint64_t> wrong, limit{UINT64_MAX};

// How many times a pass calls the function: once or twice.
static unsigned timesOf(size_t group, size_t index) { return 1 + ((index * 2654435761u + group * 40503u) >> 16 & 1); }

// A pass calls all functions. Each thread writes its own numbers.
struct alignas(64) Passes {
  std::atomic<uint64_t> begun, done;
};
static Passes passes[kThreads];

static void pass(long number) {
  for (size_t group = 0; group < GroupCount; ++group)
    for (size_t i = 0; i < functions[group].size(); ++i)
      for (unsigned times = timesOf(group, i); times; --times)
        if (long result = functions[group][i](number); result != resultOf(number, i) && wrong++ < 5)
          printf("function %zu of group %zu gave %ld for %ld\n", i, group, result, number);
}

static void work(size_t which) {
  long number = 4000;
  while (!ended) {
    Passes &own = passes[which];
    ++own.begun; // before `limit` is read: see stopThreads()
    if (own.done < limit) {
      pass(++number);
      ++own.done;
    } else {
      --own.begun;
    }
    std::this_thread::sleep_for(std::chrono::microseconds(1000)); // most of the time is for the toggles
  }
}

template <typename Condition> static void await(Condition condition) {
  while (!condition())
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

static void awaitAll(uint64_t number) {
  await([&] { return std::all_of(passes, passes + kThreads, [&](Passes &of) { return of.done >= number; }); });
}

// Lets each thread finish its pass, and continue until all threads
// have made the same number of passes. Returns that number.
static uint64_t stopThreads() {
  limit = 0;
  uint64_t last = 0;
  for (Passes &of : passes) {
    // A thread that begins a pass after this line reads the new `limit`.
    await([&] { return of.begun == of.done; });
    last = std::max<uint64_t>(last, of.done);
  }
  limit = last;
  awaitAll(last);
  return last;
}

using Numbers = std::array<uint64_t, kThreads>;
static Numbers begun() {
  Numbers numbers;
  for (size_t i = 0; i < kThreads; ++i)
    numbers[i] = passes[i].begun;
  return numbers;
}
static Numbers done() {
  Numbers numbers;
  for (size_t i = 0; i < kThreads; ++i)
    numbers[i] = passes[i].done;
  return numbers;
}

// --- the sites -----------------------------------------------------------------

enum Means { ByJump, ByHop, ByPrefixedJump, ByPrefixedHop, ByReturn, ByPun, BehindPush, ByTrap, ByCall, BySled, ByOther, MeansCount };
static const char *const kMeansNames[] = {"jump", "hop", "jump after a prefix", "hop after a prefix", "return", "pun", "behind a push", "trap", "call", "sled", "other"};

struct Site {
  const tprt_site *site;
  Means means;
  uint8_t kind;    // enum tprt_kind
  unsigned probes; // how many are attached
  unsigned times;  // how many times a pass hits it
  const uint8_t *at;
  std::array<uint8_t, 5> before;
  bool isBehind; // an entry after its function's beginning

  // The dead bytes after a ret stay changed.
  bool isAsBefore() const { return memcmp(before.data(), at, before[0] == 0xc3 ? 1 : before.size()) == 0; }
};
static std::vector<Site> sites;
static uint64_t toggled[MeansCount], toggledEntries, toggledExits, toggledInside, madeInCode;
static unsigned failed, wrongCounts, wrongBytes, exactCounts, exactHits;

static void addSites(const char *pattern, uint32_t kinds, uint32_t flags) {
  tprt_selector selector = {};
  selector.function = pattern;
  selector.module = "*toggles-by-each-means*";
  selector.kinds = kinds;
  selector.flags = flags;
  auto add = [](const tprt_site *site, void *flags) {
    tprt_site_info info = describe(site);
    Site one = {site, *static_cast<uint32_t *>(flags) ? ByOther : BySled, info.kind, 0, 0, static_cast<const uint8_t *>(info.sled), {},
                info.kind == TPRT_KIND_ENTRY && info.sled != info.function};
    memcpy(one.before.data(), one.at, one.before.size());
    sites.push_back(one);
    return 0;
  };
  if (tprt_status status = tprt_site_visit(&selector, add, &flags); status != TPRT_STATUS_OK)
    printf("%s: %s\n", pattern, tprt_error_string());
}

static tprt_probe *attachTo(const std::vector<const tprt_site *> &chosen, tprt_action action) {
  tprt_selector selector = {};
  selector.sites = chosen.data();
  selector.site_count = chosen.size();
  selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_INSTRUCTION;
  selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS;
  tprt_probe *probe = nullptr;
  tprt_result result = {};
  tprt_status status = tprt_probe_attach(&selector, &action, &probe, &result);
  if ((status != TPRT_STATUS_OK || result.enabled != chosen.size()) && failed++ < 5)
    printf("attach to %zu sites: %s\n", chosen.size(), tprt_error_string());
  return probe;
}

static void detachWhole(tprt_probe *probe) {
  if (tprt_probe_detach(probe, -1) != TPRT_STATUS_OK && failed++ < 5)
    printf("detach: %s\n", tprt_error_string());
}

// Sites are visited in the order of addresses, so the functions of a group are numbered in this
// order.
static void findSites() {
  for (size_t group = 0; group < std::size(kGroupNames); ++group) {
    size_t first = sites.size();
    addSites((std::string(kGroupNames[group]) + "[0-9]*").c_str(), TPRT_KIND_SET_ALL, TPRT_SELECT_CODE);
    for (size_t i = first; i < sites.size(); ++i)
      if (tprt_site_info info = describe(sites[i].site); info.kind == TPRT_KIND_ENTRY)
        functions[group].push_back(reinterpret_cast<Function>(reinterpret_cast<uintptr_t>(info.function)));
  }
  addSites("jump[0-9]*+8", TPRT_KIND_SET_INSTRUCTION, TPRT_SELECT_CODE);
  addSites("call[0-9]*+9", TPRT_KIND_SET_INSTRUCTION, TPRT_SELECT_CODE);
  addSites("_ZL4sled*", TPRT_KIND_SET_ALL, 0);
  std::unordered_map<const void *, unsigned> times;
  for (size_t group = 0; group < GroupCount; ++group)
    for (size_t i = 0; i < functions[group].size(); ++i)
      times[reinterpret_cast<const void *>(functions[group][i])] = timesOf(group, i);
  for (Site &site : sites)
    site.times = times.at(describe(site.site).function);
  std::sort(sites.begin(), sites.end(), [](const Site &a, const Site &b) { return a.site < b.site; }); // as visits give them
}

// Determines the means from the site's bytes before the attach and while the site is on.
static Means meansOf(const Site &site) {
  if (site.isBehind)
    return *site.at == 0xe9 ? BehindPush : ByOther;
  switch (*site.at) {
  case 0xeb: return ByHop;
  case 0xcc: return ByTrap;
  case 0xe8: return site.isAsBefore() ? ByOther : ByCall;
  case 0xe9: return site.before[0] == 0xc3 ? ByReturn : site.before[4] == site.at[4] && site.at[4] == 0xa9 ? ByPun : ByJump;
  case 0x48: return site.at[1] == 0xe9 ? ByPrefixedJump : site.at[1] == 0xeb ? ByPrefixedHop : ByOther;
  default: return ByOther;
  }
}

static void learnMeans() {
  std::vector<const tprt_site *> all;
  for (Site &site : sites)
    all.push_back(site.site);
  tprt_action count = {};
  count.kind = TPRT_ACTION_COUNT;
  tprt_probe *probe = attachTo(all, count);
  size_t of[MeansCount] = {}, inside = 0;
  for (Site &site : sites) {
    if (site.means != BySled)
      site.means = meansOf(site);
    ++of[site.means];
    inside += site.kind == TPRT_KIND_INSTRUCTION;
  }
  detachWhole(probe);
  // Each function has an entry and a return.
  bool each = of[ByJump] == kMany && of[ByHop] == kMany && of[ByPrefixedJump] == 2 * kMany && of[ByPrefixedHop] == kMany && of[ByPun] == 3 * kMany && of[ByCall] == kMany && of[BehindPush] == kMany &&
              of[ByReturn] == 8 * kMany + kFew && of[ByTrap] == kFew && of[BySled] == 2 * kSleds && inside == 2 * kMany;
  printf("%s\n", each ? "each means is there" : "some means are not as expected:");
  for (size_t i = 0; i < MeansCount && !each; ++i)
    printf("  %s: %zu\n", kMeansNames[i], of[i]);
}

// --- the toggles ---------------------------------------------------------------

struct HandlerData {
  std::atomic<uint64_t> hits{0}, marks{0};
  std::atomic<bool> over{false};
};
static std::atomic<uint64_t> lateHits;

// The value for a site and a kind of event in the sum of all hits.
static uint64_t markOf(const tprt_site *site, uint32_t kind) { return (reinterpret_cast<uintptr_t>(site) + kind) * 0x9e3779b97f4a7c15; }

static void general(const tprt_event *event, const tprt_regs *, void *data) {
  auto *of = static_cast<HandlerData *>(data);
  of->hits.fetch_add(1, std::memory_order_relaxed);
  of->marks.fetch_add(markOf(event->site, event->kind), std::memory_order_relaxed);
  if (of->over)
    ++lateHits;
}

// Uses vector registers, as any handler may.
static void spoil(const tprt_event *event, const tprt_regs *regs, void *data) {
  general(event, regs, data);
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm7", "xmm15");
}

class Round {
public:
  explicit Round(std::minstd_rand &random) : random(random) { choose(); }

  void begin() {
    tprt_action action = {};
    action.kind = TPRT_ACTION_COUNT;
    if (random() % 3 == 0) {
      data = std::make_unique<HandlerData>();
      action.kind = TPRT_ACTION_CALL;
      action.data = data.get();
      bool isGeneral = random() % 8;
      action.handler = isGeneral ? general : spoil;
      action.flags = isGeneral ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0;
    }
    doneBefore = done();
    probe = attachTo(chosen, action);
    begunOn = begun();
    count(+1);
  }

  // While the probe is on.
  void checkExactly() {
    constexpr uint64_t kPasses = 2;
    uint64_t from = stopThreads();
    std::vector<uint64_t> before = counts();
    uint64_t marks = data ? data->marks.load() : 0;
    limit = from + kPasses;
    awaitAll(from + kPasses);
    std::vector<uint64_t> after = counts();
    marks = data ? data->marks - marks : 0;
    limit = UINT64_MAX; // the threads go on
    for (size_t i = 0; i < after.size(); ++i)
      checkCount(after[i] - before[i], kPasses * kThreads * timesOf(i), kPasses * kThreads * timesOf(i));
    if (before.size() != (data ? 1 : chosen.size()))
      checkCount(before.size(), chosen.size(), chosen.size());
    if (data)
      checkMarks(marks, kPasses * kThreads);
    ++(data ? exactHits : exactCounts);
  }

  void end() {
    Numbers doneOn = done();
    std::vector<uint64_t> counted = counts();
    Numbers begunAfter = begun();
    uint64_t low = 0, high = 0;
    for (size_t i = 0; i < kThreads; ++i) {
      low += doneOn[i] > begunOn[i] ? doneOn[i] - begunOn[i] : 0;
      high += begunAfter[i] - doneBefore[i];
    }
    for (size_t i = 0; i < counted.size(); ++i)
      checkCount(counted[i], low * timesOf(i), high * timesOf(i));
    detachWhole(probe);
    if (data)
      data->over = true;
    count(-1);
  }

  std::unique_ptr<HandlerData> data;

private:
  // Runs of adjacent sites, of random length.
  void choose() {
    const uint32_t longest = random() % 4 ? 12000 : 60;
    bool isChosen = random() % 4;
    for (size_t i = 0; i < sites.size(); isChosen = !isChosen)
      for (size_t end = std::min<size_t>(sites.size(), i + 1 + random() % longest); i < end; ++i)
        if (isChosen)
          add(i);
    if (chosen.empty())
      add(random() % sites.size());
  }
  void add(size_t index) {
    numbers.push_back(static_cast<uint32_t>(index));
    chosen.push_back(sites[index].site);
  }

  void count(int change) {
    for (uint32_t index : numbers) {
      Site &site = sites[index];
      site.probes += static_cast<unsigned>(change);
      wrongBytes += site.isAsBefore() != !site.probes;
      const bool wasToggled = site.probes == (change > 0 ? 1 : 0); // else another probe is there as well
      if (!wasToggled)
        continue;
      ++toggled[site.means];
      madeInCode += site.means != BySled;
      ++(site.kind == TPRT_KIND_ENTRY ? toggledEntries : site.kind == TPRT_KIND_INSTRUCTION ? toggledInside : toggledExits);
    }
  }

  // The number of hits that a pass adds to this element of the result of counts().
  uint64_t timesOf(size_t place) const {
    if (!data)
      return sites[numbers[place]].times;
    uint64_t all = 0;
    for (uint32_t index : numbers)
      all += sites[index].times;
    return all;
  }

  void checkMarks(uint64_t marks, uint64_t passes) const {
    for (uint32_t index : numbers)
      marks -= markOf(sites[index].site, sites[index].kind) * sites[index].times * passes;
    if (marks && wrongCounts++ < 5)
      printf("the sites that a handler was told are not the ones that were hit\n");
  }

  // The hits of each site. If a handler was attached, there is only one number, the hits of all its sites.
  std::vector<uint64_t> counts() const {
    std::vector<uint64_t> of;
    if (data) {
      of.push_back(data->hits);
      return of;
    }
    auto add = [](const tprt_site *, uint64_t hits, void *list) {
      static_cast<std::vector<uint64_t> *>(list)->push_back(hits);
      return 0;
    };
    of.reserve(chosen.size());
    tprt_probe_visit_counts(probe, add, &of);
    return of;
  }

  static void checkCount(uint64_t hits, uint64_t low, uint64_t high) {
    if ((hits < low || hits > high) && wrongCounts++ < 5)
      printf("%ju hits, not %ju to %ju\n", hits, low, high);
  }

  std::minstd_rand &random;
  std::vector<uint32_t> numbers;
  std::vector<const tprt_site *> chosen;
  tprt_probe *probe = nullptr;
  Numbers doneBefore{}, begunOn{};
};

// Prints the number of toggles by each means, and their duration.
static void report(std::chrono::steady_clock::time_point start, uint64_t rounds) {
  timespec own = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fprintf(stderr, "%ju toggles without sleds:", madeInCode);
  for (size_t means = 0; means < ByOther; ++means)
    fprintf(stderr, " %s %ju,", kMeansNames[means], toggled[means]);
  fprintf(stderr, " at entries %ju, exits %ju, instructions inside functions %ju\n", toggledEntries, toggledExits, toggledInside);
  fprintf(stderr, "%ju passes, %ju batches, counts exact in %u rounds, hits in %u; %.0f s, of the toggling thread %.0f s\n",
          passes[0].done + passes[1].done, rounds, exactCounts, exactHits, seconds.count(),
          static_cast<double>(own.tv_sec) + static_cast<double>(own.tv_nsec) / 1e9);
}

int main() {
  const char *asked = getenv("TP_CODE_TOGGLES");
  const uint64_t wanted = asked ? strtoull(asked, nullptr, 10) : 1300000;
  addSleds(std::make_index_sequence<kSleds>());
  findSites();
  learnMeans();
  pass(4000);
  std::vector<std::thread> threads;
  for (size_t i = 0; i < kThreads; ++i)
    threads.emplace_back(work, i);

  std::minstd_rand random(static_cast<unsigned>(wanted));
  const auto start = std::chrono::steady_clock::now();
  std::unique_ptr<Round> on[2];
  std::vector<std::unique_ptr<HandlerData>> past; // for late hits
  uint64_t rounds = 0, reported = 0;
  for (; madeInCode < wanted && !wrong && !wrongCounts && !wrongBytes && !failed; ++rounds) {
    std::unique_ptr<Round> &one = on[random() % std::size(on)];
    if (!one) {
      one = std::make_unique<Round>(random);
      one->begin();
      if (rounds % 32 < 2)
        one->checkExactly();
    } else {
      one->end();
      if (one->data)
        past.push_back(std::move(one->data));
      one.reset();
    }
    if (asked && madeInCode >= reported + 50000000) {
      reported = madeInCode;
      report(start, rounds);
    }
  }
  for (std::unique_ptr<Round> &one : on)
    if (one)
      one->end();
  ended = true;
  for (std::thread &thread : threads)
    thread.join();
  printf("as many toggles as asked for, %ju wrong results, %u wrong counts, %u sites with wrong bytes, %ju failed, %s off\n",
         wrong.load(), wrongCounts, wrongBytes, failed + lateHits,
         readStats().enabled > sitesThatKeepSigtrap ? "not all" : "all");
  printf("counts that were exact: %d, handlers' hits that were exact: %d\n", exactCounts > 0, exactHits > 0);
  if (asked)
    report(start, rounds);
}
