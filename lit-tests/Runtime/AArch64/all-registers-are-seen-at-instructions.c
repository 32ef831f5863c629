// A handler at a single instruction sees all general registers, including callee-saved ones, the flags, and the stack
// pointer: at a nop, a b and a bl, with a handler of each kind, also when it is the thread's first hit. A handler may
// change each register of tprt_regs, and each of q0 to q7: after the hit, exactly that register has changed. At an
// entry, the handler learns that not all registers are available. The test runs with and without scalable vectors.
//
// RUN: aarch64-linux-gnu-gcc -O2 -pthread %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
// RUN: env QEMU_CPU=max,sve=off,sme=off %t | FileCheck %s
//
// CHECK: at nop: 8 of 8 hits right
// CHECK-NEXT: at b: 8 of 8 hits right
// CHECK-NEXT: at bl: 8 of 8 hits right
// CHECK-NEXT: changed at nop: 21 of 21 right
// CHECK-NEXT: changed at b: 21 of 21 right
// CHECK-NEXT: changed at bl: 21 of 21 right
// CHECK-NEXT: at an entry: 0
#include "../Inputs/harness.h"
#include <pthread.h>
#include <stddef.h>
#include <string.h>

// general.x[18] is not used if the C library needs x18; here nothing needs it.
typedef struct {
  tprt_registers general;
  uint64_t unused;
  unsigned char q[32][16];
} State;

// Loads all registers from `in`, runs the three sites in turn, and then stores all registers to
// `out`. in.general.sp is set to the stack pointer. The bl leads to the instruction after it.
__asm__(".text\n.globl all, at_nop, at_b, at_bl, all_end\n.type all, @function\n"
        "all: .cfi_startproc\nnop\n"
        "stp x29, x30, [sp, #-192]!\n.cfi_def_cfa_offset 192\n.cfi_offset 29, -192\n.cfi_offset 30, -184\n"
        "stp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\n"
        "stp x27, x28, [sp, #80]\nstp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\n"
        "stp d14, d15, [sp, #144]\nstp x1, x18, [sp, #160]\n"
        "mov x1, sp\nstr x1, [x0, #248]\nldr x1, [x0, #256]\nmsr nzcv, x1\nadd x1, x0, #272\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "ldr q\\n, [x1], #16\n.endr\n"
        ".irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
        "ldr x\\n, [x0, #8 * \\n]\n.endr\n"
        "ldr x0, [x0]\n"
        "at_nop: nop\n"
        "at_b: b 1f\nbrk #1\n1:\n"
        "at_bl: bl 1f\n1:\n"
        "stp x0, x1, [sp, #176]\nldr x0, [sp, #160]\n"
        ".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30\n"
        "str x\\n, [x0, #8 * \\n]\n.endr\n"
        "mov x1, sp\nstr x1, [x0, #248]\nmrs x1, nzcv\nstr x1, [x0, #256]\n"
        "ldp x1, x2, [sp, #176]\nstp x1, x2, [x0]\nadd x1, x0, #272\n"
        ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
        "str q\\n, [x1], #16\n.endr\n"
        "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\n"
        "ldp x27, x28, [sp, #80]\nldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n"
        "ldp d14, d15, [sp, #144]\nldr x18, [sp, #168]\nldp x29, x30, [sp], #192\nret\n"
        "all_end: .cfi_endproc\n.size all, .-all\n");
extern void all(State *in, State *out);
extern const char at_nop[], at_b[], at_bl[];

static State in, out, wanted;
static int hits, right, answer;

// Every register and every flag has a different value, which depends on `seed`.
static void fill(int seed) {
  for (int i = 0; i < 31; ++i)
    in.general.x[i] = 0x0101010101010101u * (unsigned)(seed + i);
  in.general.flags = (uint64_t)(seed & 15) << 28;
  for (int i = 0; i < 32; ++i)
    memset(in.q[i], 64 + seed + i, sizeof in.q[i]);
}

// The values of the registers after the bl.
static void fillWanted(void) {
  wanted = in;
  wanted.general.x[30] = (uint64_t)at_bl + 4;
}

// The C library's memcmp uses vector registers, which `check` promises to leave alone.
#define GENERAL_REGISTERS_ONLY __attribute__((target("general-regs-only"), optimize("no-tree-loop-distribute-patterns")))

GENERAL_REGISTERS_ONLY static void check(const tprt_event *event, const tprt_regs *regs, void *data) {
  tprt_registers seen;
  ++hits;
  answer = tprt_event_registers(event, regs, &seen);
  int same = answer && seen.sp == in.general.sp && seen.flags == in.general.flags;
  for (int i = 0; i < 31; ++i) // the bl has been executed
    same &= seen.x[i] == (i == 30 && data == at_bl ? (uint64_t)at_bl + 4 : in.general.x[i]);
  right += same && tprt_event_stack(event, regs) == (const uint64_t *)in.general.sp;
}
static void checkAll(const tprt_event *event, const tprt_regs *regs, void *data) {
  check(event, regs, data);
  __asm__ volatile("movi v0.16b, #255\n\tmovi v31.16b, #255\n\tcmp xzr, xzr" ::: "v0", "v31", "cc");
}

static tprt_probe *attachAt(const char *at, tprt_action action) {
  char pattern[32];
  sprintf(pattern, "all+%d", (int)(at - (const char *)all));
  tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE};
  tprt_probe *probe = NULL;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string()), exit(1);
  return probe;
}

static int kept;
static void *callOnce(void *unused) {
  all(&in, &out);
  fillWanted();
  kept += memcmp(&out, &wanted, sizeof out) == 0;
  return unused;
}

static void tryAt(const char *name, const char *at) {
  hits = right = kept = 0;
  for (int i = 0; i < 4; ++i) {
    fill(i % 2 ? 5 : 10);
    tprt_action general = {.handler = check, .data = (void *)at, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY},
                any = {.handler = checkAll, .data = (void *)at};
    tprt_probe *probe = attachAt(at, i < 2 ? general : any);
    pthread_t thread; // whose first hit it is
    pthread_create(&thread, NULL, callOnce, NULL);
    pthread_join(thread, NULL);
    callOnce(NULL);
    tprt_probe_detach(probe, -1);
  }
  printf("at %s: %d of %d hits right\n", name, kept == hits ? right : -1, hits);
}

// The words of tprt_regs, as numbers of registers.
static const int numbers[] = {29, 30, 0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 18};
enum { WORDS = sizeof numbers / sizeof *numbers, CHANGES = WORDS + 8 };
_Static_assert(offsetof(tprt_regs, reserved) == WORDS * 8, "one number for each");

static void change(const tprt_event *event, const tprt_regs *regs, void *data) {
  int which = *(int *)data;
  tprt_regs *changed = tprt_regs_change(event, regs);
  unsigned char *vectors = tprt_regs_vectors(event, regs);
  if (which < WORDS)
    ((uint64_t *)changed)[which] = 4711;
  else
    memset(vectors + 16 * (which - WORDS), 47, 16);
}

static void changeAt(const char *name, const char *at) {
  int done = 0;
  for (int which = 0; which < CHANGES; ++which) {
    tprt_action action = {.handler = change, .data = &which, .flags = TPRT_HANDLER_CHANGES_REGS};
    tprt_probe *probe = attachAt(at, action);
    fill(which);
    all(&in, &out);
    tprt_probe_detach(probe, -1);
    fillWanted();
    if (which >= WORDS)
      memset(wanted.q[which - WORDS], 47, 16);
    else if (numbers[which] != 30 || at == at_bl) // the bl comes later and sets x30
      wanted.general.x[numbers[which]] = 4711;
    done += memcmp(&out, &wanted, sizeof out) == 0;
  }
  printf("changed at %s: %d of %d right\n", name, done, CHANGES);
}

int main(void) {
  tryAt("nop", at_nop);
  tryAt("b", at_b);
  tryAt("bl", at_bl);
  changeAt("nop", at_nop);
  changeAt("b", at_b);
  changeAt("bl", at_bl);
  tprt_selector selector = {.function = "all", .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.handler = check};
  tprt_probe *probe = NULL;
  answer = 77;
  if (tprt_probe_attach(&selector, &action, &probe, NULL) != TPRT_STATUS_OK)
    puts(tprt_error_string());
  all(&in, &out);
  printf("at an entry: %d\n", answer);
  return 0;
}
