// An exchanged page keeps the bytes that others wrote to it, and its mapping keeps the file's name. Exchanges again and
// again, in a parent and in its child, use no further mappings. Each call is counted once, and has the right result.
//
// RUN: %plain_clang -O1 -pthread %s %tprt_flags -o %t
// RUN: %t %t | FileCheck %s
//
// CHECK: other's byte kept: on 1, off 1
// CHECK-NEXT: the file's name kept 1
// CHECK-NEXT: 60 toggles: few more mappings 1, wrong counts 0, wrong results 0
// CHECK-NEXT: 60 toggles: few more mappings 1, wrong counts 0, wrong results 0
// CHECK-NEXT: restored 1
#include "../Inputs/harness.h"
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

// Every function begins with an instruction that only a new page can replace. Between them is a page of zeros.
#define F(n)                                                                                                           \
  __asm__(".text\n.globl f" #n "\n.type f" #n ", @function\nf" #n ": .cfi_startproc\nadd x0, x0, #" #n "\nret\n"     \
          ".cfi_endproc\n.size f" #n ", .-f" #n "\n.skip 4096\n");                                                     \
  extern long f##n(long);
F(1) F(2) F(3) F(4)
// others_patch() returns 7. Its page also has f4().
__asm__(".text\n.globl others_patch\n.type others_patch, @function\nothers_patch: .cfi_startproc\nmov x0, #5\nret\n.cfi_endproc\n"
        ".size others_patch, .-others_patch\n");
extern long others_patch(void);
static long (*const functions[])(long) = {f1, f2, f3, f4};
enum { FUNCTIONS = 4, TOGGLES = 60 };

// Writes an instruction as a debugger does it.
static void patch(void *at, unsigned word) {
  int file = open("/proc/self/mem", O_RDWR);
  if (pwrite(file, &word, sizeof word, (off_t)(unsigned long)at) != sizeof word)
    perror("/proc/self/mem");
  close(file);
  __builtin___clear_cache((char *)at, (char *)at + sizeof word);
}

// The number of mappings. Stores whether the mapping of f1() has this name.
static int countMappings(const char *path, int *named) {
  char line[4352];
  int count = 0;
  *named = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) {
    unsigned long low, high;
    ++count;
    if (sscanf(line, "%lx-%lx", &low, &high) == 2 && (unsigned long)f1 >= low && (unsigned long)f1 < high)
      *named = strstr(line, path) != NULL;
  }
  fclose(maps);
  return count;
}

static int over;
static long wrong;
static void *callAll(void *unused) {
  while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
    for (int i = 0; i < FUNCTIONS; ++i)
      if (functions[i](100) != 101 + i)
        __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  return unused;
}

// Toggles a count of own() while another thread runs through the other functions of the same pages.
static long own(long x) { return f1(x) + f4(x); }
static void toggle(const char *path) {
  pthread_t thread;
  int named, before, misses = 0;
  over = 0;
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_selector all = {.function = "f[1-4]", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_selector one = {.function = "f[23]", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_probe_detach(attachSelected(all, count), -1); // makes the stubs
  pthread_create(&thread, NULL, callAll, NULL);
  before = countMappings(path, &named);
  for (int i = 0; i < TOGGLES; ++i) {
    tprt_probe *probe = attachSelected(i % 2 ? one : all, count);
    uint64_t counted = tprt_probe_count(probe);
    wrong += own(i) != 2 * i + 5;
    // The entries and returns of f1() and f4() by this thread; the other thread adds more.
    misses += i % 2 == 0 && tprt_probe_count(probe) - counted < 4;
    tprt_probe_detach(probe, -1);
  }
  over = 1;
  pthread_join(thread, NULL);
  // Alone, each call counts exactly once.
  tprt_probe *probe = attachSelected(all, count);
  for (int i = 0; i < 10; ++i)
    wrong += own(i) != 2 * i + 5;
  misses += tprt_probe_count(probe) != 40;
  tprt_probe_detach(probe, -1);
  int after = countMappings(path, &named);
  printf("%d toggles: few more mappings %d, wrong counts %d, wrong results %ld\n", TOGGLES, after <= before + 6, misses, wrong);
  if (after > before + 6)
    printf("%d mappings before, %d after\n", before, after);
  fflush(stdout);
}

int main(int argc, char **argv) {
  static char before[4 * 4096 + 64];
  const char *path = argv[1];
  int named;
  tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_selector all = {.function = "f[1-4]", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_probe_detach(attachSelected(all, count), -1); // reads the names
  if (argc > 2 && !strcmp(argv[2], "replaced")) {
    char other[4200];
    snprintf(other, sizeof other, "%s.other", path);
    close(open(other, O_WRONLY | O_CREAT | O_TRUNC, 0700));
    rename(other, path);
  } else if (argc > 2) {
    unlink(path);
  }
  patch((void *)others_patch, 0xd28000e0); // mov x0, #7
  memcpy(before, (void *)f1, sizeof before);
  tprt_probe *probe = attachSelected(all, count);
  int on = others_patch() == 7;
  countMappings(path, &named);
  tprt_probe_detach(probe, -1);
  printf("other's byte kept: on %d, off %d\n", on, others_patch() == 7);
  printf("the file's name kept %d\n", named);
  toggle(path);
  pid_t child = fork();
  if (!child) {
    toggle(path);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  printf("restored %d\n", !memcmp(before, (void *)f1, sizeof before));
  return 0;
}
