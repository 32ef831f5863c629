// The same as vector-state-is-kept-whatever-is-in-use.c, on a processor without XSAVE and AVX. There, FXSAVE and FXRSTOR
// keep the xmm and x87 registers and MXCSR. The handlers run at a function's entry and exit, alone and as two, at an
// instruction inside the function, and at a thread's first hit.
//
// REQUIRES: qemu-x86_64, x86_64-host
// RUN: gcc -O1 %s %tprt_flags -o %t -pthread
// RUN: qemu-x86_64 -cpu core2duo %t | FileCheck %s
//
// CHECK: without XSAVE: 20 states: 0 changed, 40 hits and at {{[1-9]}} instructions
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <cpuid.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>

__asm__(".text\n" FUNCTION("target", "0", "leaq 1(%rdi), %rax\nleaq 1(%rax,%rax), %rax\nleaq 1(%rdi), %rax\nret\n.byte 0x0f, 0x1f, 0x40, 0"));

// run(in, out): takes the state from `in`, calls target(5) and stores the state.
__asm__(".text\n.globl run\n.type run, @function\nrun: .cfi_startproc\npushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\n"
        "movq %rsi, %rbx\nfxrstor64 (%rdi)\nmovl $5, %edi\ncall target\nfxsave64 (%rbx)\nfninit\npushq $0x1f80\nldmxcsr (%rsp)\n"
        "popq %rax\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size run, . - run\n");
void run(const void *in, void *out);

enum { BYTES = 512 };
static _Alignas(16) unsigned char in[BYTES], out[BYTES];
static int hits, states, changed, vectors, x87;

// Uses all vector registers, or all x87 registers, which must be empty at the beginning.
static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  static const uint32_t mxcsr = 0x5fa0;
  ++hits;
  if (vectors)
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm8, %%xmm8\n\tpcmpeqd %%xmm15, %%xmm15\n\tldmxcsr %0" ::"m"(mxcsr) : "memory");
  if (x87)
    for (int i = 0; i < 8; ++i)
      __asm__ volatile("fldpi" ::: "memory");
  if (x87)
    for (int i = 0; i < 8; ++i)
      __asm__ volatile("fstp %%st(0)" ::: "memory");
}

// The layout is in Intel SDM vol. 1, table 10-2: control, status and tag words, MXCSR, x87 registers, xmm registers.
static void fill(void) {
  static const unsigned char words[6] = {0x7f, 0x03, 0x00, 0x29, 0xe0}, mxcsr[4] = {0xa1, 0x3f};
  for (int i = 32; i < 416; ++i)
    in[i] = (unsigned char)(i * 7 + i / 256 + 1);
  memcpy(in, words, sizeof words);
  memcpy(in + 24, mxcsr, sizeof mxcsr);
  for (int i = 0; i < 8; ++i) {
    in[32 + i * 16 + 7] |= 0x80;
    in[32 + i * 16 + 8] = (unsigned char)i, in[32 + i * 16 + 9] = 0x40;
    memset(in + 32 + i * 16 + 10, 0, 6);
  }
}

// The tag word e0 says that registers 5 to 7 are in use. With the stack's top at 5, they are the first three.
static void tryState(void) {
  memset(out, 0, BYTES);
  run(in, out);
  int same = !memcmp(in, out, 5) && !memcmp(in + 24, out + 24, 4) && !memcmp(in + 160, out + 160, 256);
  for (int i = 0; i < 3; ++i)
    same &= !memcmp(in + 32 + i * 16, out + 32 + i * 16, 10);
  ++states;
  changed += !same;
}

static void *tryAll(void *unused) {
  for (int i = 0; i < 4; ++i) {
    vectors = i & 1, x87 = i & 2;
    tryState();
  }
  return unused;
}

int main(void) {
  unsigned a, b, c = 0, d;
  __get_cpuid(1, &a, &b, &c, &d);
  fill();
  const tprt_action may = {.handler = on};
  tprt_selector ends = {.function = "target", .kinds = TPRT_KIND_SET_ALL, .module = "*/vector-state-is-kept*",
                        .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED},
                inside = ends;
  inside.function = "target+*", inside.kinds = TPRT_KIND_SET_INSTRUCTION;
  tprt_probe *both = attachSelected(ends, may), *one = NULL;
  tryAll(NULL); // 4 states, 2 hits each
  tprt_probe *second = attachSelected(ends, may);
  tryAll(NULL); // 4 hits each
  tprt_probe_detach(second, -1);
  pthread_t thread;
  for (int i = 0; i < 2; ++i) { // 2 hits each
    pthread_create(&thread, NULL, tryAll, NULL);
    pthread_join(thread, NULL);
  }
  tprt_probe_detach(both, -1);
  const int at_ends = hits;
  tprt_probe_attach(&inside, &may, &one, NULL); // some of the instructions may be refused
  tryAll(NULL);
  tprt_probe_detach(one, -1);
  const int at_instructions = (hits - at_ends) / 4;
  printf("%s XSAVE: %d states: %d changed, %d hits and at %d instructions\n", c & bit_XSAVE ? "with" : "without", states, changed, at_ends,
         at_instructions);
  return 0;
}
