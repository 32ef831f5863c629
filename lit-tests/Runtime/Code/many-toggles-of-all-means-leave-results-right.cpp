// All functions of the C and the C++ library, and of this program, are turned on and off in overlapping
// groups. They are counted, with handlers of each kind, by every form of jump and by traps. Meanwhile
// threads sort, format, allocate, throw and match with these functions. TP_CODE_TOGGLES is the number of
// times that sites are turned on or off until the test ends. A site that several probes turn on counts
// once.
//
// RUN: g++ -O1 -std=c++17 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: as many toggles as asked for, 0 failed, 0 wrong results, all off
#include "../Inputs/harness.h"
#include "../Inputs/library-use.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<bool> ended;

static void work(unsigned seed) {
  std::minstd_rand random(seed);
  while (!ended) {
    sortAndFormat(random);
    throwThrough(static_cast<int>(random() % 9));
    std::this_thread::sleep_for(std::chrono::microseconds(300)); // most of the time is for the toggles
  }
}

// Uses vector registers, as any handler may.
static void spoil(const tprt_event *, const tprt_regs *, void *) {
  __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm15, %%xmm15" ::: "xmm0", "xmm7", "xmm15");
}

// The number of enabled sites changed by the effect of `change`.
template <typename Change> static uint64_t toggles(Change change) {
  size_t before = readStats().enabled;
  change();
  size_t after = readStats().enabled;
  return before < after ? after - before : before - after;
}

int main() {
  const char *asked = getenv("TP_CODE_TOGGLES");
  uint64_t left = asked ? strtoull(asked, nullptr, 10) : 300000;
  uint64_t seed = left;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 3; ++i)
    threads.emplace_back(work, i + 1);
  std::minstd_rand random(static_cast<unsigned>(seed));
  static const char *const kModules[] = {"*/libc.so*", "*/libstdc++.so*", "*"};
  tprt_probe *probes[2] = {};
  int failed = 0;
  auto detachWhole = [&](tprt_probe *one) {
    if (tprt_probe_detach(one, -1) != TPRT_STATUS_OK) {
      ++failed;
      printf("detach: %s\n", tprt_error_string());
    }
  };
  for (uint64_t done = 1; left && done; left -= left < done ? left : done) {
    tprt_probe *&probe = probes[random() % 2];
    if (probe) {
      done = 1 + toggles([&] { detachWhole(probe); });
      probe = nullptr;
      continue;
    }
    char pattern[8] = "*";
    if (random() % 4 == 0)
      snprintf(pattern, sizeof pattern, "*%c*", "aeiostlrdg_m"[random() % 12]);
    tprt_selector selector = {};
    selector.function = pattern;
    selector.module = kModules[random() % 3];
    selector.kinds = random() % 4 ? TPRT_KIND_SET_ALL : TPRT_KIND_SET_ENTRY;
    selector.flags = TPRT_SELECT_CODE | (random() % 32 ? 0u : static_cast<uint32_t>(TPRT_SELECT_TRAPS));
    tprt_action action = {};
    action.kind = TPRT_ACTION_COUNT;
    if (random() % 2) {
      action.kind = TPRT_ACTION_CALL;
      bool general = random() % 4;
      action.handler = general ? ignoreHit : spoil;
      action.flags = general ? TPRT_HANDLER_GENERAL_REGS_ONLY : 0;
    }
    done = 1 + toggles([&] {
      tprt_status status = tprt_probe_attach(&selector, &action, &probe, nullptr);
      if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL) {
        ++failed;
        printf("attach to %s in %s: %s\n", pattern, selector.module, tprt_error_string());
      }
    });
  }
  for (tprt_probe *probe : probes)
    if (probe)
      detachWhole(probe);
  ended = true;
  for (std::thread &thread : threads)
    thread.join();
  printf("as many toggles as asked for, %d failed, %d wrong results, %s off\n", failed, wrong.load(),
         readStats().enabled ? "not all" : "all");
}
