// A process may have a limited number of mappings. Here the program has used up most of them. Probes in all of
// libc must leave some: without, the program's next mmap would fail, and with it malloc.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: before: {{[0-9]+}} are left
// CHECK: enough are left
#include "../Inputs/harness.h"
#include <sys/mman.h>

enum { LEFT = 1000, MANY = 300000 };

static int numberIn(const char *path) {
  FILE *file = fopen(path, "r");
  int number = 0;
  if (!file || fscanf(file, "%d", &number) != 1)
    exit(1);
  fclose(file);
  return number;
}

static int countMappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int count = 0, next;
  while ((next = getc(file)) != EOF)
    count += next == '\n';
  fclose(file);
  return count;
}

int main(void) {
  int most = numberIn("/proc/sys/vm/max_map_count"), count = most - LEFT - countMappings();
  if (most > MANY) {
    puts("before: 0 are left, as this system allows too many to try\nenough are left");
    return 0;
  }
  // Every second page gets other rights, so each is a mapping.
  char *pages = mmap(NULL, count * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < count; i += 2)
    mprotect(pages + i * 4096ul, 4096, PROT_READ);
  int before = most - countMappings();
  printf("before: %d are left\n", before);
  tprt_selector selector = {.function = "*", .kinds = TPRT_KIND_SET_ALL, .module = "*/libc.so*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  int after = most - countMappings();
  // Stubs, counters and the splitting of libc's code take some as well.
  if (after > before / 3)
    puts("enough are left");
  else
    printf("%d of %d are left\n", after, before);
  return 0;
}
