// With TPRT_OPTIONS=uprobes=1, a probe in code without sleds changes only the first byte of its instruction, so a uprobe
// may be set and removed at any time. Three kinds of sites change more bytes, because the restored first byte makes them
// whole, or does not change: a ret before dead bytes, a jump, and an instruction with a kept prefix. The C library is
// compared with its file while all of it is probed. Then each first byte is restored, as the removal of a uprobe does.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: env TPRT_OPTIONS=uprobes=1 %t | FileCheck %s
//
// CHECK: on at most functions, 0 instructions are changed further
// CHECK-NEXT: put back: the text has 26 letters
// CHECK-NEXT: state is off at most sites
// CHECK-NEXT: on again at most functions
// CHECK-NEXT: off: 0 bytes differ
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

static const unsigned char *file;
static unsigned char *memory; // the code's segment
static size_t fileAt, bytes;

static int find(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(info->dlpi_name, "libc.so.6"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
      memory = (unsigned char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
      fileAt = info->dlpi_phdr[i].p_offset;
      bytes = info->dlpi_phdr[i].p_filesz;
    }
  int descriptor = open(info->dlpi_name, O_RDONLY);
  struct stat status;
  fstat(descriptor, &status);
  file = mmap(NULL, status.st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  return 1;
}

static tprt_probe *attachToAll(size_t *enabled) {
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ALL, .module = "*/libc.so.6", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &action, &probe, &result);
  *enabled = result.enabled;
  return probe;
}

static int isOn(const tprt_site *site, void *count) {
  tprt_site_info info = {0};
  tprt_site_describe(site, &info);
  *(size_t *)count += info.state != TPRT_SITE_STATE_OFF;
  return 0;
}

// If a jump begins there after a kept prefix, the number of its bytes after the first one; else 0.
static size_t behindPrefix(const unsigned char *before, size_t at) {
  size_t more = memory[at] == 0xe9 ? 4 : memory[at] == 0xeb ? 1 : 0;
  int hasPrefix = at && before[at - 1] >> 4 == 4 && memory[at - 1] == before[at - 1];
  // The distance of a short jump may be the same by chance. A jump of five bytes may begin there without the prefix.
  int isJump = more == 1 || (more && at + more < bytes && memcmp(memory + at + 1, before + at + 1, more) != 0);
  return hasPrefix && isJump ? more : 0;
}

int main(void) {
  dl_iterate_phdr(find, NULL);
  unsigned char *first = malloc(bytes);
  size_t enabled, further = 0, sites = 0, on = 0, again, differ = 0;
  tprt_probe *probe = attachToAll(&enabled);
  const unsigned char *before = file + fileAt;
  unsigned char *slot = calloc(bytes + 5, 1); // dead bytes that a short jump leads to
  for (size_t i = 1; i + 1 < bytes; ++i)
    if (memory[i] != before[i] && memory[i] == 0xeb && behindPrefix(before, i))
      memset(slot + i + 2 + (signed char)memory[i + 1], 1, 5);
  for (size_t i = 0; i < bytes; ++i) {
    first[i] = 0;
    if (memory[i] == before[i] || slot[i])
      continue;
    size_t more = behindPrefix(before, i);
    if (more) {
      ++sites;
      memset(first + i, 0, more + 1);
      i += more;
      continue;
    }
    const int isRet = before[i] == 0xc3 && memory[i] == 0xe9;
    size_t jump = 0; // the jump's distance begins there, and may have some of the same bytes by chance
    for (size_t back = 1; back <= 4 && back <= i && !jump; ++back)
      jump = before[i - back] == 0xe9 && memory[i - back] == 0xe9 ? i - back + 1 : 0;
    first[i] = !jump;
    sites += first[i];
    size_t end = i + 1;
    // Four dead bytes after a ret become a distance.
    while (end < bytes && end < (isRet ? i + 5 : jump ? jump + 4 : 0))
      first[end++] = 0;
    further += end < bytes && !slot[end] && memory[end] != before[end] && memory[end] != 0xe9;
    i = end - 1;
  }
  printf("on at %s functions, %zu instructions are changed further\n", sites > 3000 ? "most" : "few", further);
  size_t page = sysconf(_SC_PAGESIZE);
  mprotect((void *)((uintptr_t)memory & -page), bytes + page, PROT_READ | PROT_WRITE | PROT_EXEC);
  for (size_t i = 0; i < bytes; ++i)
    if (first[i])
      memory[i] = before[i];
  mprotect((void *)((uintptr_t)memory & -page), bytes + page, PROT_READ | PROT_EXEC);
  char text[64] = "";
  for (char c = 'a'; c <= 'z'; ++c)
    snprintf(text + strlen(text), sizeof text - strlen(text), "%c", c);
  printf("put back: the text has %zu letters\n", strlen(text));
  tprt_selector selector = {.kinds = TPRT_KIND_SET_ALL, .module = "*/libc.so.6", .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_site_visit(&selector, isOn, &on);
  printf("state is off at %s sites\n", on < enabled / 4 ? "most" : "few");
  tprt_probe *other = attachToAll(&again);
  printf("on again at %s functions\n", again >= enabled ? "most" : "few");
  tprt_probe_detach(probe, -1);
  tprt_probe_detach(other, -1);
  for (size_t i = 0; i < bytes; ++i)
    if (memory[i] != before[i] && !slot[i]) {
      // Dead bytes after a ret may keep the distance that was written there.
      int isDead = 0;
      for (size_t back = 1; back <= 4 && back <= i; ++back)
        isDead |= before[i - back] == 0xc3;
      differ += !isDead;
    }
  printf("off: %zu bytes differ\n", differ);
  return 0;
}
