// In a program for a fixed address, some entries have jumps through words, and others are after pushes. A uprobe is set
// and removed at the function's beginning, or at the entry. This happens while a probe is on, or before the attach, or the
// removal is after the detach. Results stay right. If the entry is after pushes, the function's beginning does not change.
// There, both the uprobe and the probe get their hits. At the entry only the uprobe gets hits, and the removal of the
// uprobe leaves the instruction whole.
//
// REQUIRES: uprobes
// RUN: gcc -O1 -no-pie %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: word at the entry: 1 uprobe hit with 0 of the probe; gone: bytes as before; refused under it; 0 wrong
// CHECK-NEXT: behind_frame at the entry: 1 uprobe hit with 0 of the probe; gone: bytes as before; refused under it; 0 wrong
// CHECK-NEXT: behind_frame at the beginning: 1 uprobe hit with 1 of the probe; gone: still on; on under it; 0 wrong
#include "../Inputs/harness.h"
#include "../Inputs/uprobe.h"
#include "Inputs/means.h"

// The entry becomes 67 ff 25, as a jump of five bytes, with or without the prefix, would lead below address
// 0.
__asm__(".text\n" PACKED("word", "0", "movq %rdi, %rax\nleal 0x12348887(%rdi), %edx\nincq %rax\n" RET_PADDED));
long word(long);

static long wrong;

static tprt_probe *attachTo(const char *name) {
  tprt_selector selector = {.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/uprobes-next-to*",
                            .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &(tprt_action){.kind = TPRT_ACTION_COUNT}, &probe, NULL);
  return probe;
}

static uint64_t end(tprt_probe *probe) {
  uint64_t hits = probe ? tprt_probe_count(probe) : 0;
  if (probe && tprt_probe_detach(probe, -1) != TPRT_STATUS_OK)
    ++wrong;
  return hits;
}

static void run(const char *name, long (*function)(long), int behind) {
  const volatile unsigned char *at = (const unsigned char *)function + behind;
  unsigned char before[16];
  const int isSite = behind || function == word;
  wrong = 0;
  memcpy(before, (const void *)function, sizeof before);

  tprt_probe *probe = attachTo(name);
  int event = openUprobe((const void *)at);
  // libtprt's thread checks for uprobes up to two hundred times a second.
  for (int i = 0; i < 500 && isSite && memcmp((const char *)function + behind + 1, before + behind + 1, 8); ++i)
    usleep(10000);
  wrong += function(1) != 2;
  uint64_t hits = 0, of = tprt_probe_count(probe);
  wrong += read(event, &hits, sizeof hits) != sizeof hits;
  printf("%s at the %s: %d uprobe hit with %d of the probe", name, isSite ? "entry" : "beginning", (int)hits, (int)of);
  close(event);
  wrong += function(2) != 3;
  printf("; gone: %s", memcmp(before, (const void *)function, sizeof before) == 0 ? "bytes as before"
                       : tprt_probe_count(probe) == of + 1                       ? "still on"
                                                                                   : "something else");
  end(probe);

  event = openUprobe((const void *)at);
  probe = attachTo(name);
  wrong += function(3) != 4;
  printf("; %s under it; ", end(probe) ? "on" : "refused");
  close(event);
  wrong += function(4) != 5;

  for (int i = 0; i < 3; ++i) { // goes after the detach
    probe = attachTo(name);
    event = openUprobe((const void *)at);
    wrong += function(5) != 6;
    end(probe);
    wrong += function(6) != 7;
    close(event);
    wrong += function(7) != 8 || memcmp(before, (const void *)function, sizeof before) != 0;
  }
  printf("%ld wrong\n", wrong);
}

int main(void) {
  run("word", word, 0);
  run("behind_frame", behind_frame, 4);
  run("behind_frame", behind_frame, 0);
  return 0;
}
