// Probes in all of libc lead to thousands of addresses. Their islands share
// pages of a file in memory, so they take little memory. Few of these pages have to be
// copied because two islands need the same bytes. If the program locks its memory or has
// a limit of address space, each island has its own page and uses no more memory than
// that page. In a child of fork, all probes keep working.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s --check-prefixes=CHECK,SHARED
// RUN: %t limited | FileCheck %s --check-prefixes=CHECK,OWN
// RUN: %t locked | FileCheck %s --check-prefixes=CHECK,OWN
//
// SHARED: islands are in a file, none of them writable
// SHARED: the file has at most 2 MB
// SHARED: at most 150 of its pages were copied
// OWN: islands are in no file
// CHECK: the child counted as its parent
// CHECK: off: right
#include "../Inputs/harness.h"
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static tprt_probe *watch(const char *name, uint32_t kinds) {
  tprt_selector selector = {.function = name,
                            .kinds = kinds,
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED,
                            .module = "*/libc.so*"};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  return probe;
}

static void look(void) {
  char line[512], rights[5];
  int count = 0, writable = 0, ours = 0;
  unsigned long offset, end = 0, from, to, copied = 0, number;
  FILE *maps = fopen("/proc/self/smaps", "r");
  while (fgets(line, sizeof line, maps))
    if (sscanf(line, "%lx-%lx %4s %lx", &from, &to, rights, &offset) != 4) {
      if (ours && sscanf(line, "Anonymous: %lu", &number) == 1)
        copied += number / 4;
    } else if ((ours = strstr(line, "memfd:tprt-islands") != NULL)) {
      ++count;
      writable += rights[1] == 'w';
      if (offset + (to - from) > end)
        end = offset + (to - from);
    }
  fclose(maps);
  if (count < 100 || writable)
    puts(count ? "some are writable, or few are in the file"
               : "islands are in no file");
  else
    puts("islands are in a file, none of them writable");
  if (!count)
    return;
  printf("the file has %s 2 MB\n", end <= 2 << 20 ? "at most" : "more than");
  printf("%s 150 of its pages were copied\n",
         copied <= 150 ? "at most" : "more than");
}

static int compare(const void *left, const void *right) {
  return *(const int *)left - *(const int *)right;
}

/* Several functions of libc, each of which calls others. */
static int work(void) {
  int numbers[] = {5, 3, 9, 1, 7};
  char text[64];
  qsort(numbers, 5, sizeof *numbers, compare);
  snprintf(text, sizeof text, "%d%d%d%d%d %.2f", numbers[0], numbers[1],
           numbers[2], numbers[3], numbers[4], 2.5);
  return !strcmp(text, "13579 2.50") && strtol(text, NULL, 10) == 13579;
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  struct rlimit limit = {8ul << 30, 8ul << 30};
  if (!strcmp(how, "limited"))
    setrlimit(RLIMIT_AS, &limit);
  if (!strcmp(how, "locked") && mlockall(MCL_FUTURE))
    setrlimit(RLIMIT_AS,
              &limit); /* not allowed to lock so much: nothing to see */
  tprt_probe *all = watch("*", TPRT_KIND_SET_ALL);
  munlockall();
  look();
  fflush(stdout);
  uint64_t before = tprt_probe_count(all);
  int right = work();
  uint64_t own = tprt_probe_count(all) - before;
  pid_t child = fork();
  if (!child) {
    before = tprt_probe_count(all);
    right &= work();
    _exit(right && tprt_probe_count(all) - before == own ? 0 : 1);
  }
  int status = 1;
  waitpid(child, &status, 0);
  puts(right && !status ? "the child counted as its parent"
                        : "the child did not");
  tprt_probe_detach(all, -1);
  puts(work() ? "off: right" : "off: wrong");
  return 0;
}
