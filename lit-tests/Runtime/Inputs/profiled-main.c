// The profiler calls in the functions of profiled-lib.c are made, skipped and replaced by hits, with all changes from
// one of these states to another. The first argument is the number of profiler calls that a call of add() makes. The
// second argument is the library; without it the functions are in the program.
#include "harness.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>

// These functions preserve the registers that the compilers expect them to preserve.
long profiled;
#if defined(__x86_64__)
__asm__(".globl __fentry__, mcount, __cyg_profile_func_enter, __cyg_profile_func_exit\n"
        ".type __fentry__, @function\n.type mcount, @function\n"
        ".type __cyg_profile_func_enter, @function\n.type __cyg_profile_func_exit, @function\n"
        "__fentry__: mcount:\nlock incq profiled(%rip)\nret\n"
        "__cyg_profile_func_exit: nop\n"
        "__cyg_profile_func_enter:\n"
        "lock incq profiled(%rip)\nmovl $-1, %eax\nmovl %eax, %ecx\nmovl %eax, %edx\nmovl %eax, %esi\nmovl %eax, %edi\nret\n"
        ".size mcount, . - mcount\n.size __cyg_profile_func_exit, . - __cyg_profile_func_exit\n");
#else
__asm__(".globl _mcount, __cyg_profile_func_enter, __cyg_profile_func_exit\n"
        ".type _mcount, @function\n"
        ".type __cyg_profile_func_enter, @function\n.type __cyg_profile_func_exit, @function\n"
        "__cyg_profile_func_exit: nop\n"
        "__cyg_profile_func_enter: nop\n"
        "_mcount:\n"
        "adrp x9, profiled\nadd x9, x9, :lo12:profiled\n"
        "1: ldxr x10, [x9]\nadd x10, x10, #1\nstxr w11, x10, [x9]\ncbnz w11, 1b\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\nmov x\\n, #-1\n.endr\nret\n"
        ".size _mcount, . - _mcount\n");
#endif

static int (*add)(int, int);
static double (*scale)(double, int, int);
static void (*store)(int *, int);
static long hits, calls, perCall;
static volatile int over;
static const char *module;

static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED);
}

static tprt_probe *take(tprt_action action) {
  tprt_selector selector = {.module = module, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_PROFILERS | TPRT_SELECT_TRAPS};
  return attachSelected(selector, action);
}
static tprt_probe *skip(void) { return take((tprt_action){.kind = TPRT_ACTION_SKIP}); }
static tprt_probe *hit(void) { return take((tprt_action){.handler = onHit}); }

// A call of scale() calls add() once and store() 64 times.
static const char *check(long wantedCalls, long wantedHits) {
  static char text[200];
  hits = profiled = 0;
  int to = 0;
  store(&to, 7);
  int sum = add(40, 2);
  double scaled = scale(0.5, 5, 3);
  enum { All = 2 + 1 + 1 + 64 };
  long sites = perCall ? perCall : 1;
  if (to == 7 && sum == 42 && scaled == 4 && profiled == wantedCalls * All && hits == wantedHits * All * sites)
    return "all right";
  sprintf(text, "%d, %d, %g, %ld calls of the profiler, %ld hits", to, sum, scaled, profiled, hits);
  return text;
}

static struct {
  const void *at;
  unsigned char bytes[5];
} kept[64];
static int keptCount, same;

static int keepBytes(const tprt_site *site, void *data) {
  (void)data;
  tprt_site_info info;
  tprt_site_describe(site, &info);
  memcpy(kept[keptCount].bytes, kept[keptCount].at = info.sled, 5);
  ++keptCount;
  return 0;
}
static int compareBytes(const tprt_site *site, void *data) {
  (void)data;
  tprt_site_info info;
  tprt_site_describe(site, &info);
  for (int i = 0; i < keptCount; ++i)
    same += kept[i].at == info.sled && !memcmp(kept[i].bytes, info.sled, 5);
  return 0;
}
// Visits the calls, and returns whether all have the bytes that were saved.
static int eachCall(int (*visit)(const tprt_site *, void *)) {
  tprt_selector selector = {.module = module, .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_PROFILERS};
  same = 0;
  tprt_site_visit(&selector, visit, NULL);
  return keptCount && same == keptCount;
}

static long count(const long *of) { return __atomic_load_n(of, __ATOMIC_RELAXED); }

static void *callUntilOver(void *unused) {
  long made = 0;
  for (; !over; ++made)
    if (add((int)made, 1) != (int)made + 1)
      puts("wrong sum");
  __atomic_fetch_add(&calls, made, __ATOMIC_RELAXED);
  return unused;
}

// On a busy machine, perhaps no thread runs while the calls are in one of these states. So
// toggling continues until the profiler was called and hits occurred, or until a limit.
static const char *toggleUnderThreads(void) {
  enum { Threads = 3, Toggles = 60 };
  pthread_t threads[Threads];
  hits = profiled = 0;
  for (int i = 0; i < Threads; ++i)
    pthread_create(&threads[i], NULL, callUntilOver, NULL);
  for (int i = 0; i < Toggles || (i < 100 * Toggles && !(count(&hits) && (count(&profiled) || !perCall))); ++i) {
    tprt_probe *first = i & 1 ? skip() : hit();
    sched_yield();
    tprt_probe *second = i & 1 ? hit() : skip();
    sched_yield();
    tprt_probe_detach(i & 2 ? first : second, -1);
    sched_yield();
    tprt_probe_detach(i & 2 ? second : first, -1);
    sched_yield();
  }
  over = 1;
  for (int i = 0; i < Threads; ++i)
    pthread_join(threads[i], NULL);
  long most = calls * (perCall ? perCall : 1);
  if (hits && (profiled || !perCall) && hits + profiled <= most)
    return "all right";
  static char text[200];
  sprintf(text, "%ld calls, %ld hits, %ld calls of the profiler", calls, hits, profiled);
  return text;
}

int main(int argc, char **argv) {
  perCall = atoi(argv[1]);
  module = argc > 2 ? argv[2] + 2 : strrchr(argv[0], '/') + 1;
  void *library = dlopen(argc > 2 ? argv[2] : NULL, RTLD_NOW);
  add = library ? (int (*)(int, int))dlsym(library, "add") : NULL;
  if (!add) {
    puts(dlerror());
    return 1;
  }
  scale = (double (*)(double, int, int))dlsym(library, "scale");
  store = (void (*)(int *, int))dlsym(library, "store");
  eachCall(keepBytes);
  printf("made: %s\n", check(perCall, 0));
  tprt_probe *skipped = skip();
  printf("skipped: %s\n", check(0, 0));
  tprt_probe *probe = hit();
  printf("hit while skipped: %s\n", check(0, 1));
  tprt_probe_detach(probe, -1);
  printf("skipped again: %s\n", check(0, 0));
  tprt_probe_detach(skipped, -1);
  printf("made again, by the same bytes %d: ", eachCall(compareBytes));
  puts(check(perCall, 0));
  probe = hit();
  printf("hit: %s\n", check(0, 1));
  skipped = skip();
  printf("skipped while hit: %s\n", check(0, 1));
  tprt_probe_detach(skipped, -1);
  printf("hit again: %s\n", check(0, 1));
  tprt_probe_detach(probe, -1);
  printf("made in the end, by the same bytes %d: ", eachCall(compareBytes));
  puts(check(perCall, 0));
  printf("threads: %s\n", toggleUnderThreads());
  return 0;
}
