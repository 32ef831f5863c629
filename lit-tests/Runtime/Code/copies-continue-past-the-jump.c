// If a jump ends in bytes of the next instructions, the copy of the displaced instruction continues with copies of
// these. Each of them may refer to memory relative to the program counter, branch, return, or be the target of a jump in
// the function. The function must work as before, whichever probes count or handle its calls. While the jump is on, a
// later probe of one of these instructions is refused, and vice versa. No hit is lost or doubled.
//
// RUN: gcc -O1 -fPIE -pie %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=1 %t | FileCheck %s
//
// CHECK: frame: jump with 48 89 e5 a9 after it: 3000 hits, 0 wrong
// CHECK-NEXT: near: jump with 8b after it: 3000 hits, 0 wrong
// CHECK-NEXT: turn: jump with 78 after it: 3000 hits, 0 wrong
// CHECK-NEXT: returns: jump with c3 after it: 3000 hits, 0 wrong
// CHECK-NEXT: loops: jump with a9 after it: 3000 hits, 0 wrong
// CHECK-NEXT: calls: jump with e8 after it: 3000 hits, 0 wrong
// CHECK-NEXT: an instruction of the copy, later: 1 refused; 100 hits, 0 wrong
// CHECK-NEXT: an entry before whose jump's end an instruction is on: 100 hits there, 0 wrong
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <string.h>

// Each function returns its argument plus one. The jumps' distances end in these bytes, and lead far away.
__asm__(".text\n.skip 256, 0x50\n"
        PACKED("frame", "0", PUSH("rbp") "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\ntestl $0x60, %eax\nleaq 1(%rdi), %rax\nleave\n.cfi_def_cfa %rsp, 8\n" RET_PADDED)
        PACKED("near", "0", "leaq 1(%rdi), %rax\nmovl one(%rip), %ecx\naddq %rcx, %rax\ndecq %rax\n" RET_PADDED)
        // The branch is both taken and not taken.
        PACKED("turned", "0", "leaq 1(%rdi), %rax\njs 1f\nret\n1: leaq 100(%rax), %rax\n" RET_PADDED)
        PACKED("returns", "0", "leaq 1(%rdi), %rax\nret\n")
        // The loop leads to the second instruction.
        PACKED("loops", "0", "leaq 1(%rdi), %rax\n1: testl $1, %eax\nincl rounds(%rip)\ntestl $3, rounds(%rip)\njne 1b\n" RET_PADDED)
        // A call is never copied.
        PACKED("calls", "0", "leaq 1(%rdi), %rdi\ncall same\nmovq %rdi, %rax\n" RET_PADDED)
        PACKED("same", "0", "ret\n")
        // Calls turned() with the sign flag as the argument's lowest bit is.
        FUNCTION("turn", "0", "subq $8, %rsp\n.cfi_def_cfa_offset 16\nmovq %rdi, %rdx\nshlq $63, %rdx\ntestq %rdx, %rdx\ncall turned\n"
                 "testq $1, %rdi\nje 1f\nsubq $100, %rax\n1: addq $8, %rsp\n.cfi_def_cfa_offset 8\nret"));
long frame(long), near(long), turn(long), turned(long), returns(long), loops(long), calls(long);
int rounds;

static const struct {
  const char *name, *entry;
  long (*call)(long);
  const void *code;
  int behind;
} all[] = {{"frame", "frame", frame, (void *)frame, 1},    {"near", "near", near, (void *)near, 4},
           {"turn", "turned", turn, (void *)turned, 4}, {"returns", "returns", returns, (void *)returns, 4},
           {"loops", "loops", loops, (void *)loops, 4},    {"calls", "calls", calls, (void *)calls, 4}};

static int hits, wrong;

static tprt_selector entryOf(const char *name) {
  return (tprt_selector){.function = name, .kinds = TPRT_KIND_SET_ENTRY, .module = "*/copies-continue*",
                         .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
}

static void callMany(long (*function)(long), int times) {
  for (long i = 0; i < times; ++i)
    wrong += function(i * 7 + 5) != i * 7 + 6;
}

static void probe(int i) {
  unsigned char was[5], *code = (unsigned char *)all[i].code;
  memcpy(was, code, sizeof was);
  hits = wrong = 0;
  tprt_probe *counter = attachSelected(entryOf(all[i].entry), (tprt_action){.kind = TPRT_ACTION_COUNT});
  printf("%s: %s", all[i].name, code[0] == 0xe9 ? "jump with" : "something else with");
  for (int at = all[i].behind; at < 5; ++at)
    printf(code[at] == was[at] ? " %02x" : " another", code[at]);
  callMany(all[i].call, 1000);
  hits += (int)tprt_probe_count(counter);
  tprt_probe *handler = attachSelected(entryOf(all[i].entry), (tprt_action){.handler = countHit, .data = &hits});
  callMany(all[i].call, 1000);
  tprt_probe_detach(counter, -1);
  callMany(all[i].call, 1000);
  tprt_probe_detach(handler, -1);
  wrong += memcmp(was, code, sizeof was) != 0;
  callMany(all[i].call, 10);
  printf(" after it: %d hits, %d wrong\n", hits, wrong + (rounds & 3));
}

int main(void) {
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i)
    probe((int)i);

  const tprt_action count = {.kind = TPRT_ACTION_COUNT};
  tprt_selector second = entryOf("frame+1");
  second.kinds = TPRT_KIND_SET_INSTRUCTION;
  tprt_probe *entry = attachSelected(entryOf("frame"), count), *later = NULL;
  tprt_result result = {0};
  wrong = 0;
  tprt_probe_attach(&second, &count, &later, &result);
  callMany(frame, 100);
  printf("an instruction of the copy, later: %d refused; %d hits, %d wrong\n", (int)result.refused, (int)tprt_probe_count(entry), wrong);
  if (later)
    tprt_probe_detach(later, -1);
  tprt_probe_detach(entry, -1);

  later = attachSelected(second, count);
  tprt_selector first = entryOf("frame");
  tprt_probe_attach(&first, &count, &entry, &result); // may have another jump, or none
  callMany(frame, 100);
  printf("an entry before whose jump's end an instruction is on: %d hits there, %d wrong\n", (int)tprt_probe_count(later), wrong);
  return 0;
}
