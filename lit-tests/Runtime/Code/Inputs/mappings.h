// Uses up most of the mappings that the process may have.
#ifndef TP_LIT_TESTS_RUNTIME_CODE_MAPPINGS_H
#define TP_LIT_TESTS_RUNTIME_CODE_MAPPINGS_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static int countMappings(void) {
  FILE *file = fopen("/proc/self/maps", "r");
  int count = 0, next;
  while ((next = getc(file)) != EOF)
    count += next == '\n';
  fclose(file);
  return count;
}

// Leaves `left` mappings. Returns the process's limit, or 0 if the limit is too high to try.
static int leaveMappings(int left) {
  enum { MANY = 300000 };
  FILE *file = fopen("/proc/sys/vm/max_map_count", "r");
  int most = 0;
  if (!file || fscanf(file, "%d", &most) != 1)
    exit(1);
  fclose(file);
  if (most > MANY)
    return 0;
  // Every second page gets other rights, so each page is a separate mapping.
  int count = most - left - countMappings();
  char *pages = mmap(NULL, count * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < count; i += 2)
    mprotect(pages + i * 4096ul, 4096, PROT_READ);
  return most;
}

#endif
