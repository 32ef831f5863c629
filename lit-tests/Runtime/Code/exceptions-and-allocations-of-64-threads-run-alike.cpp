// All functions of the program, of the C++ library, of the unwinder and of the C library are attached to and
// detached from, by counters and by handlers that use vector registers, while 64 threads allocate and throw.
// Exceptions that cross probed functions are caught where they would be without probes, destructors run, and
// no block of memory is handed out twice.
//
// RUN: g++ -O2 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
//
// CHECK: 12 attaches and detaches, 0 failed
// CHECK-NEXT: 64 threads, {{[1-9][0-9]*}} exceptions, 0 wrong results
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <tprt/tprt.h>
#include <unistd.h>
#include <vector>

static std::atomic<bool> over;
static std::atomic<long> wrong, thrown, handled;

namespace {
struct Counter {
  int &left;
  explicit Counter(int &left) : left(left) {}
  ~Counter() { ++left; }
};
} // namespace

__attribute__((noinline)) static int dig(int depth, int &left) {
  Counter counter(left);
  if (depth == 0)
    throw std::runtime_error(std::to_string(left));
  return dig(depth - 1, left) + 1;
}

__attribute__((noipa)) static double halve(double number) { return number / 2; }

static void work(unsigned seed) {
  while (!over) {
    double number = rand_r(&seed) % 1000;
    for (int i = 0; i < 50; ++i)
      wrong += halve(number + i) * 2 != number + i;
    int left = 0, depth = static_cast<int>(rand_r(&seed) % 12);
    try {
      wrong += dig(depth, left) != 0;
    } catch (const std::exception &error) {
      wrong += left != depth + 1 || std::strcmp(error.what(), "0") != 0;
      ++thrown;
    }
    std::vector<char *> blocks;
    for (int i = 0; i < 20; ++i) {
      size_t size = rand_r(&seed) % 3000 + sizeof(unsigned);
      blocks.push_back(static_cast<char *>(std::malloc(size)));
      std::memset(blocks.back(), i, size);
    }
    for (int i = 0; i < 20; ++i) {
      wrong += blocks[i][0] != i || blocks[i][sizeof(unsigned) - 1] != i;
      std::free(blocks[i]);
    }
    usleep(1000); // leaves time to the thread that attaches
  }
}

static void onHit(const tprt_event *, const tprt_regs *, void *) {
  ++handled;
  asm volatile("pxor %%xmm0, %%xmm0; pxor %%xmm1, %%xmm1; pxor %%xmm15, %%xmm15" ::: "xmm0", "xmm1", "xmm15");
}

int main() {
  enum { Threads = 64, Rounds = 12 };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < Threads; ++i)
    threads.emplace_back(work, i + 1);
  int failed = 0;
  for (int i = 0; i < Rounds; ++i) {
    static const char *const modules[] = {"*/libstdc++.so*", "*/libgcc_s.so*", "*/libc.so*", "*exceptions-*"};
    tprt_selector selector = {};
    selector.function = "*";
    selector.module = modules[i % 4];
    selector.kinds = TPRT_KIND_SET_ALL;
    selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED;
    tprt_action action = {};
    action.kind = i / 4 % 2 ? TPRT_ACTION_CALL : TPRT_ACTION_COUNT;
    action.handler = i / 4 % 2 ? onHit : nullptr;
    tprt_probe *probe = nullptr;
    tprt_status status = tprt_probe_attach(&selector, &action, &probe, nullptr);
    if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL && ++failed)
      std::puts(tprt_error_string());
    usleep(30000);
    failed += tprt_probe_detach(probe, -1) != TPRT_STATUS_OK;
  }
  over = true;
  for (std::thread &thread : threads)
    thread.join();
  std::printf("%d attaches and detaches, %d failed\n", Rounds, failed);
  std::printf("%d threads, %ld exceptions, %ld wrong results\n", Threads, thrown.load(), wrong.load());
  return handled == 0;
}
