// If this fails, a hit of a point calls the program's allocator. A hit inside that allocator then
// deadlocks, and other hits change the program's own measurements.
//
// RUN: %plain_clangxx -std=c++20 -O1 -pthread -fno-builtin %s %tprt_flags -o %t
// RUN: %t 2> %t.lines | FileCheck %s
// RUN: FileCheck %s --check-prefix=LINES --implicit-check-not=allocates < %t.lines
//
// CHECK: the test notices an allocation
// CHECK: 80 formatted, 80 recorded, 0 lost
// LINES-COUNT-80: {{[0-9]+}} line: text=
#include <tprt/point.h>
#include <tprt/trace.h>

#include <cfloat>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <unistd.h>

// In this thread, a statement of a point runs.
static thread_local volatile bool inStatement;
static volatile bool proving, noticed;

static void onAllocation() {
  if (!inStatement)
    return;
  noticed = true;
  if (proving)
    return;
  static const char text[] = "a hit allocates\n";
  (void)!write(STDERR_FILENO, text, sizeof text - 1);
  abort();
}

// operator new and operator delete call these.
extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
void *malloc(size_t bytes) { return onAllocation(), __libc_malloc(bytes); }
void *calloc(size_t count, size_t bytes) { return onAllocation(), __libc_calloc(count, bytes); }
void *realloc(void *old, size_t bytes) { return onAllocation(), __libc_realloc(old, bytes); }
void *memalign(size_t unit, size_t bytes) { return onAllocation(), __libc_memalign(unit, bytes); }
void *aligned_alloc(size_t unit, size_t bytes) { return memalign(unit, bytes); }
int posix_memalign(void **out, size_t unit, size_t bytes) { return !(*out = memalign(unit, bytes)); }
void free(void *memory) { onAllocation(), __libc_free(memory); }
}

TPRT_POINT(line);

static const char *volatile none;

static void statements() {
  const char *string = "a string";
  std::string_view view = "a view";
  inStatement = true;
  TPRT_TRACE(line, "text=%s %.3s %-20s|%s %c %p %5d %#lx %hhu", string, view, view, none, 'c', string, -7, 255L, 300);
  TPRT_TRACE(line, "text=%.1074f %.900e %g %a %.2f", DBL_MAX, 5e-324, 0.1, -0.1, 12345678.9f);
  TPRT_TRACEF(line, "text={} {:?} {:*^20} {:.3} {} {:#b} {:#06x} {:c}", string, view, view, string, true, 5, 255u, 65);
  TPRT_TRACEF(line, "text={} {} {} {} {:.1074f} {:e} {:a}", 0.1, 5e-324, DBL_MAX, 0.1f, 2.5, 1e23, 1.5);
  // A text that does not fit into its line.
  TPRT_TRACE(line, "text=%5000d %.5000f", 1, 1.5);
  inStatement = false;
}

static unsigned formatted, recorded;

static void format(const tprt_event *event, const tprt_regs *regs, void *) {
  static char out[4096];
  formatted += tprt_point_format(event, regs, out, sizeof out) > 0;
}

// A record is formatted at once, into a buffer that is too small for some.
static uint64_t room[1024];
static void *reserve(tprt_point_sink *, size_t bytes) { return bytes <= sizeof room ? room : nullptr; }
static void commit(tprt_point_sink *, tprt_recorded_hit *hit) {
  static char out[100];
  recorded += tprt_recorded_format(hit, out, sizeof out) > 0;
}

int main() {
  proving = true;
  inStatement = true;
  free(malloc(1));
  inStatement = false;
  proving = false;
  puts(noticed ? "the test notices an allocation" : "no allocation is noticed");

  tprt_point_output output = TPRT_POINT_OUTPUT(STDERR_FILENO);
  tprt_point_sink sink = {reserve, commit, nullptr, 0};
  const tprt_action actions[] = {{.handler = tprt_point_print, .data = &output},
                                 {.handler = tprt_point_record, .data = &sink},
                                 {.handler = format}};
  for (const tprt_action &action : actions) {
    tprt_probe *probe;
    if (tprt_point_enable(&line, &action, &probe, nullptr) != TPRT_STATUS_OK)
      return puts(tprt_error_string()), 1;
  }
  // Hits of a thread that was hit before, first hits of threads, and hits in a signal handler.
  for (int i = 0; i < 8; ++i)
    statements();
  for (int i = 0; i < 4; ++i)
    std::thread(statements).join();
  signal(SIGUSR1, [](int) { statements(); });
  for (int i = 0; i < 4; ++i)
    raise(SIGUSR1);
  printf("%u formatted, %u recorded, %llu lost\n", formatted, recorded, (unsigned long long)(output.lost + sink.lost));
  return 0;
}
