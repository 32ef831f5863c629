// Single instructions of functions that the threads are running are turned on and off at random. They are in the C and C++
// libraries, the unwinder and this program. Several overlapping probes count and have handlers of each kind, by every form
// of jump and by traps. Meanwhile threads copy, search, sort, format, allocate, match and throw with these functions.
// TP_CODE_TOGGLES is the number of times that sites are turned on or off until the test ends. Without TP_CODE_TOGGLES the
// test ends after 20 s at the latest, as libtprt itself copies with probed functions.
//
// RUN: g++ -O2 -std=c++17 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: enough functions and instructions
// CHECK-NEXT: as many toggles as asked for, hits at instructions: 1, 0 failed, 0 wrong results, all off
#include "../Inputs/harness.h"
#include "../Inputs/library-use.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<bool> ended;
static std::atomic<uint64_t> rounds, hits;

// --- the work ------------------------------------------------------------------

// A leaf with data below the stack pointer, jumps, and flags that live across instructions.
__attribute__((noipa)) static uint64_t mix(uint64_t a, uint64_t b) {
  volatile uint64_t kept[6] = {a, b, a ^ b, a + b, a - b, a * b};
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 6; ++i)
    sum = (sum << 7 | sum >> 57) + (kept[i] & 1 ? kept[5 - i] : kept[i] / (i + 1));
  unsigned __int128 wide = static_cast<unsigned __int128>(sum) * a + b;
  return static_cast<uint64_t>(wide >> 64) ^ static_cast<uint64_t>(wide);
}

__attribute__((noipa)) static int choose(int which) {
  switch (which & 7) {
  case 0: return 17;
  case 1: return which * 3;
  case 2: return which ^ 0x55;
  case 3: return -which;
  case 4: return which << 2;
  case 5: return which / 3;
  case 6: return which % 11;
  default: return 4;
  }
}

static void copyAndSearch(std::minstd_rand &random) {
  char from[700], to[700];
  size_t at = random() % 64, bytes = random() % 500 + 8, shift = random() % 64;
  for (size_t i = 0; i < sizeof from; ++i)
    from[i] = static_cast<char>('a' + i % 23);
  memset(to, '?', sizeof to);
  memcpy(to + shift, from + at, bytes);
  to[shift + bytes] = 0;
  bool same = true;
  for (size_t i = 0; i < bytes; ++i)
    same = same && to[shift + i] == from[at + i];
  expect(same, "memcpy");
  expect(strlen(to + shift) == bytes, "strlen");
  expect(memcmp(to + shift, from + at, bytes) == 0, "memcmp");
  expect(strchr(to + shift, '!') == nullptr && memchr(to + shift, 0, bytes + 1) == to + shift + bytes, "memchr");
  memmove(to + shift + 3, to + shift, bytes + 1);
  expect(strlen(to + shift + 3) == bytes && to[shift + 3] == from[at], "memmove");
  to[shift + bytes / 2 + 3] = '!';
  expect(strchr(to + shift, '!') == to + shift + bytes / 2 + 3, "strchr");
  expect(strcmp(to + shift + 3, from + at) != 0, "strcmp");
}

static void matchAndThrow(std::minstd_rand &random, const std::regex &pattern) {
  std::smatch match;
  std::string text = "key" + std::to_string(random() % 1000) + " = value";
  expect(std::regex_match(text, match, pattern) && match[2] == "value", "regex");
  throwThrough(static_cast<int>(random() % 9));
  jmp_buf back;
  volatile int jumps = 0;
  if (setjmp(back) < 3)
    longjmp(back, ++jumps);
  expect(jumps == 3, "longjmp");
}

static void work(unsigned seed) {
  std::minstd_rand random(seed);
  const std::regex pattern("([a-z]+[0-9]*) *= *(\\w+)");
  while (!ended) {
    uint64_t sum = mix(77, 5) ^ mix(3, 9), chosen = 0;
    for (int i = 0; i < 16; ++i)
      chosen += static_cast<unsigned>(choose(i) + i);
    static const uint64_t firstSum = sum, firstChosen = chosen; // made before anything is on
    expect(sum == firstSum && chosen == firstChosen, "own functions");
    copyAndSearch(random);
    sortAndFormat(random);
    matchAndThrow(random, pattern);
    ++rounds;
    std::this_thread::sleep_for(std::chrono::microseconds(300)); // most of the time is for the toggles
  }
}

static void await(uint64_t more) {
  for (uint64_t until = rounds + more; rounds < until;)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// --- what is probed ------------------------------------------------------------

static void general(const tprt_event *, const tprt_regs *, void *) { hits.fetch_add(1, std::memory_order_relaxed); }
// Uses vector registers, as any handler may.
static void spoil(const tprt_event *, const tprt_regs *, void *) {
  hits.fetch_add(1, std::memory_order_relaxed);
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm7", "xmm15");
}

using Functions = std::vector<std::vector<const tprt_site *>>;

// The functions that the threads call, and all instructions of each.
static Functions findFunctions() {
  tprt_selector all = {};
  all.function = "*";
  all.flags = TPRT_SELECT_CODE;
  tprt_action count = {};
  count.kind = TPRT_ACTION_COUNT;
  tprt_probe *probe = nullptr;
  tprt_probe_attach(&all, &count, &probe, nullptr);
  await(40);
  std::vector<const void *> entries;
  tprt_probe_visit_counts(
      probe,
      [](const tprt_site *site, uint64_t hits, void *data) {
        if (hits > 10)
          static_cast<std::vector<const void *> *>(data)->push_back(describe(site).function);
        return 0;
      },
      &entries);
  tprt_probe_detach(probe, -1);
  std::map<const void *, std::vector<const tprt_site *>> sites;
  for (const void *entry : entries) {
    tprt_selector inside = {};
    inside.address = entry; // has the instructions of its function read
    inside.kinds = TPRT_KIND_SET_INSTRUCTION;
    inside.flags = TPRT_SELECT_CODE;
    tprt_site_visit(&inside, [](const tprt_site *, void *) { return 0; }, nullptr);
    sites[entry];
  }
  tprt_selector every = {};
  every.kinds = TPRT_KIND_SET_ALL;
  every.flags = TPRT_SELECT_CODE;
  auto add = [](const tprt_site *site, void *data) {
    auto &all = *static_cast<std::map<const void *, std::vector<const tprt_site *>> *>(data);
    if (auto found = all.find(describe(site).function); found != all.end())
      found->second.push_back(site);
    return 0;
  };
  tprt_site_visit(&every, add, &sites);
  every.kinds = TPRT_KIND_SET_INSTRUCTION;
  every.flags |= TPRT_SELECT_LOADED;
  tprt_site_visit(&every, add, &sites);
  Functions functions;
  size_t instructions = 0;
  for (auto &[function, all] : sites) {
    instructions += all.size();
    if (!all.empty())
      functions.push_back(std::move(all));
  }
  bool enough = functions.size() > 100 && instructions > 10000;
  printf("%s functions and instructions", enough ? "enough" : "few");
  printf(enough ? "\n" : ": %zu, %zu\n", functions.size(), instructions);
  return functions;
}

// --- the toggles ---------------------------------------------------------------

int main() {
  const char *asked = getenv("TP_CODE_TOGGLES");
  uint64_t left = asked ? strtoull(asked, nullptr, 10) : 60003;
  std::minstd_rand random(static_cast<unsigned>(left));
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    threads.emplace_back(work, i + 1);
  await(3);
  const Functions functions = findFunctions();
  struct On {
    tprt_probe *probe;
    uint64_t sites;
  } probes[6] = {};
  int failed = 0;
  auto detachWhole = [&](tprt_probe *one) {
    if (tprt_probe_detach(one, -1) != TPRT_STATUS_OK && ++failed < 5)
      printf("detach: %s\n", tprt_error_string());
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  for (uint64_t done = 1; left; left -= left < done ? left : done) {
    if (!asked && std::chrono::steady_clock::now() > end)
      break;
    On &on = probes[random() % std::size(probes)];
    if (on.probe) {
      detachWhole(on.probe);
      done = 1 + on.sites;
      on = {};
      continue;
    }
    // Some of the instructions of some functions, in any order.
    std::vector<const tprt_site *> chosen;
    size_t of = random() % 4 ? 1 + random() % 3 : 1 + random() % 40;
    unsigned among = random() % 3 ? 1 + random() % 8 : 1;
    for (size_t i = 0; i < of; ++i)
      for (const tprt_site *site : functions[random() % functions.size()])
        if (random() % among == 0)
          chosen.push_back(site);
    std::shuffle(chosen.begin(), chosen.end(), random);
    if (chosen.empty())
      continue;
    tprt_selector selector = {};
    selector.sites = chosen.data();
    selector.site_count = chosen.size();
    selector.flags = TPRT_SELECT_CODE | (random() % 16 ? 0u : static_cast<uint32_t>(TPRT_SELECT_TRAPS));
    selector.kinds = TPRT_KIND_SET_ALL | TPRT_KIND_SET_INSTRUCTION;
    tprt_action action = {};
    action.kind = TPRT_ACTION_COUNT;
    if (random() % 2) {
      action.kind = TPRT_ACTION_CALL;
      bool isGeneral = random() % 4;
      action.handler = isGeneral ? general : spoil;
      action.flags = isGeneral ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0;
    }
    tprt_result result = {};
    tprt_status status = tprt_probe_attach(&selector, &action, &on.probe, &result);
    bool isRefused = status == TPRT_STATUS_REFUSED; // each of them, for their neighbours are on
    if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL && !isRefused && ++failed < 5)
      printf("attach to %zu sites: %d: %s\n", chosen.size(), status, tprt_error_string());
    on.sites = result.enabled;
    done = 1 + on.sites;
  }
  for (On &on : probes)
    if (on.probe)
      detachWhole(on.probe);
  ended = true;
  for (std::thread &thread : threads)
    thread.join();
  printf("as many toggles as asked for, hits at instructions: %d, %d failed, %d wrong results, %s off\n", hits.load() > 0, failed,
         wrong.load(), readStats().enabled > sitesThatKeepSigtrap ? "not all" : "all");
}
