// While a site is recorded, the site leads to its recording stub. Afterwards each instruction of the C
// library has its original bytes. This holds even if a byte of the jump to another stub of the site is
// by chance equal to the instruction's own byte.
//
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t %t.tp | FileCheck %s
//
// CHECK: more than 2000 sites were recorded: yes
// CHECK-NEXT: {{^}}0 instructions were changed
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include "tprt/record.h"
#include <link.h>
#include <string.h>

static const unsigned char *code;
static size_t codeBytes;

static int findCode(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size, (void)data;
  if (!strstr(info->dlpi_name, "libc.so"))
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
      code = (const unsigned char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
      codeBytes = info->dlpi_phdr[i].p_memsz;
    }
  return 1;
}

static unsigned char *before;
static int changed;

// Whether an instruction ends there that never continues to the next one: ret, or jmp through a register.
static int ends(size_t at, size_t i) {
  return before[i] == 0xc3 || (i > at && before[i - 1] == 0xff && (before[i] & 0xf8) == 0xe0);
}

// A jump replaces at most five bytes of an instruction.
// Dead bytes after a ret or jmp may stay a jump.
static int compare(const tprt_site *site, void *data) {
  (void)data;
  size_t at = (size_t)((const unsigned char *)describe(site).sled - code);
  for (size_t i = at; i < codeBytes && i < at + 5; ++i) {
    if (code[i] != before[i]) {
      fprintf(stderr, "libc+%#zx: %02x became %02x\n", i, before[i], code[i]);
      ++changed;
      break;
    }
    if (ends(at, i))
      break;
  }
  return 0;
}

int main(int argc, char **argv) {
  (void)argc;
  dl_iterate_phdr(findCode, NULL);
  before = malloc(codeBytes);
  memcpy(before, code, codeBytes);
  tprt_selector all = {.function = "*", .module = "*/libc.so*", .kinds = TPRT_KIND_SET_ALL,
                       .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_recording_options options = {.file = argv[1], .size = 1 << 20, .mode = TPRT_RECORDING_MODE_NEWEST};
  tprt_result result = {0};
  if (tprt_recording_start(&options))
    fprintf(stderr, "%s\n", tprt_error_string());
  tprt_recording_add(&all, NULL, &result);
  tprt_recording_stop();
  printf("more than 2000 sites were recorded: %s\n", result.matched - result.refused > 2000 ? "yes" : "no");
  tprt_site_visit(&all, compare, NULL);
  printf("%d instructions were changed\n", changed);
  return 0;
}
