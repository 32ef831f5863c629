// A handler that may use vectors finds any of the processor's state components in use or not: x87, xmm, the upper halves
// of ymm and of zmm, zmm16 to zmm31, masks. The handler may use any component itself, and change MXCSR. The program
// continues with each component unchanged, whether in use or not. This is tested at a function's entry and exit, at an
// instruction inside a function, with several handlers, at a thread's first hit, and with a signal in the handler.
//
// RUN: gcc -O1 %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
// REQUIRES: avx2
//
// CHECK: {{[0-9]+}} states: 0 changed, each hit is there
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

// The instruction in the middle is a site as well.
__asm__(".text\n" FUNCTION("target", "0", "leaq 1(%rdi), %rax\nleaq 1(%rax,%rax), %rax\nleaq 1(%rdi), %rax\nret\n.byte 0x0f, 0x1f, 0x40, 0"));
long target(long);

// run(in, out, mask): takes the state from `in`, calls target(5) and stores the state.
__asm__(".text\n.globl run\n.type run, @function\nrun: .cfi_startproc\npushq %rbx\n.cfi_def_cfa_offset 16\n.cfi_offset %rbx, -16\n"
        "pushq %r12\n.cfi_def_cfa_offset 24\n.cfi_offset %r12, -24\nsubq $8, %rsp\n.cfi_def_cfa_offset 32\n"
        "movq %rsi, %rbx\nmovl %edx, %r12d\nmovl %edx, %eax\nxorl %edx, %edx\nxrstor64 (%rdi)\nmovl $5, %edi\ncall target\n"
        "movl %r12d, %eax\nxorl %edx, %edx\nxsave64 (%rbx)\nfninit\nvzeroupper\npushq $0x1f80\nldmxcsr (%rsp)\npopq %rax\n"
        "addq $8, %rsp\n.cfi_def_cfa_offset 24\npopq %r12\n.cfi_def_cfa_offset 16\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size run, . - run\n");
void run(const void *in, void *out, uint32_t mask);

enum { X87 = 1, SSE = 2, AVX = 4, MASKS = 0x20, WIDE = 0xe0, BYTES = 4096 };
static uint32_t mask;
static unsigned offsets[8], sizes[8];
static _Alignas(64) unsigned char full[BYTES]; // all in use, each byte different

static volatile int tramples; // the components that the handler uses
static volatile int signals;
static int hits;

static void trample(int what) {
  if (what & SSE)
    __asm__ volatile("pcmpeqd %%xmm0, %%xmm0\n\tpcmpeqd %%xmm7, %%xmm7\n\tpcmpeqd %%xmm8, %%xmm8\n\tpcmpeqd %%xmm15, %%xmm15" ::: "memory");
  if (what & AVX)
    __asm__ volatile("vpcmpeqd %%ymm0, %%ymm0, %%ymm0\n\tvpcmpeqd %%ymm7, %%ymm7, %%ymm7\n\tvpcmpeqd %%ymm8, %%ymm8, %%ymm8\n\t"
                     "vpcmpeqd %%ymm15, %%ymm15, %%ymm15" ::: "memory");
  if (what & MASKS && mask & MASKS)
    __asm__ volatile("kxnorw %%k0, %%k0, %%k0\n\tkxnorw %%k7, %%k7, %%k7" ::: "memory");
  if (what & 0x40 && mask & MASKS)
    __asm__ volatile("vpternlogd $255, %%zmm0, %%zmm0, %%zmm0\n\tvpternlogd $255, %%zmm15, %%zmm15, %%zmm15" ::: "memory");
  if (what & 0x80 && mask & MASKS)
    __asm__ volatile("vpternlogd $255, %%zmm16, %%zmm16, %%zmm16\n\tvpternlogd $255, %%zmm31, %%zmm31, %%zmm31" ::: "memory");
  if (what & X87)
    __asm__ volatile("fldpi\n\tfld1\n\tfaddp\n\tfsqrt\n\tfstp %%st(0)" ::: "memory");
  if (what & 0x10) { // rounds up from here on, and an exception
    uint32_t mxcsr = 0x5fa0;
    __asm__ volatile("ldmxcsr %0" ::"m"(mxcsr) : "memory");
  }
}

static void on(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
  ++hits;
  if (signals)
    raise(SIGUSR1);
  trample(tramples);
}

static void onSignal(int number) {
  (void)number;
  trample(0xff);
}

// The state's values for this component, or zeroes.
static const unsigned char *partOf(const unsigned char *state, int component) {
  static const unsigned char zeroes[BYTES];
  return state[512] >> component & 1 ? state + (component == 1 ? 160 : offsets[component]) : zeroes;
}

// Compares the control, status and tag words of x87, and the contents of its registers.
static int isSameX87(const unsigned char *a, const unsigned char *b) {
  static const unsigned char initial[160] = {0x7f, 0x03};
  a = a[512] & X87 ? a : initial, b = b[512] & X87 ? b : initial;
  int same = !memcmp(a, b, 5);
  for (int i = 0; i < 8; ++i)
    same &= !(a[4] >> i & 1) || !memcmp(a + 32 + ((i - (a[3] >> 3)) & 7) * 16, b + 32 + ((i - (b[3] >> 3)) & 7) * 16, 10);
  return same;
}

static int changed, states;

static void tryState(unsigned used) {
  static __thread _Alignas(64) unsigned char in[BYTES], out[BYTES];
  memcpy(in, full, BYTES);
  memset(in + 512, 0, 64);
  in[512] = (unsigned char)used;
  memset(out, 0, BYTES);
  run(in, out, mask);
  int same = !memcmp(in + 24, out + 24, 4) && isSameX87(in, out);
  for (int component = 1; component < 8; ++component)
    if (mask >> component & 1)
      same &= !memcmp(partOf(in, component), partOf(out, component), sizes[component]);
  ++states;
  if (!same && !changed++)
    printf("state %x, handler %x, signals %d\n", used, tramples, signals);
}

static void *tryOne(void *used) {
  tryState((unsigned)(uintptr_t)used);
  return NULL;
}

static void tryAll(void) {
  static const unsigned char all[] = {X87, SSE, AVX, 0x20, 0x40, 0x80};
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned k = 0; k < 128; ++k) {
      unsigned used = 0;
      tramples = k & 64 ? 0x10 : 0;
      for (unsigned bit = 0; bit < 6; ++bit) {
        used |= i >> bit & 1 ? all[bit] : 0;
        tramples |= k >> bit & 1 ? all[bit] : 0;
      }
      if (!(used & ~mask))
        tryState(used);
    }
}

// Fills `full` by the processor's own layout (Intel SDM vol. 1, 13.4 and 13.5).
static void describeState(void) {
  uint32_t low, high, b, c, d;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  mask = low & 0xe7;
  sizes[1] = 256;
  for (uint32_t i = 2; i < 8; ++i)
    if (mask >> i & 1)
      __asm__("cpuid" : "=a"(sizes[i]), "=b"(offsets[i]), "=c"(c), "=d"(d) : "a"(13), "c"(i));
  (void)b;
  for (int i = 0; i < BYTES; ++i)
    full[i] = (unsigned char)(i * 7 + i / 256 + 1);
  // 64-bit precision, round to nearest; a condition flag; registers 5 to 7 are in use, with numbers in them.
  static const unsigned char x87[24] = {0x7f, 0x03, 0x00, 0x29, 0xe0};
  memcpy(full, x87, sizeof x87);
  static const unsigned char mxcsr[8] = {0xa1, 0x3f, 0, 0, 0xff, 0xff}; // rounds down, exceptions were there
  memcpy(full + 24, mxcsr, sizeof mxcsr);
  for (int i = 0; i < 8; ++i) {
    full[32 + i * 16 + 7] |= 0x80;
    full[32 + i * 16 + 8] = (unsigned char)i, full[32 + i * 16 + 9] = 0x40;
    memset(full + 32 + i * 16 + 10, 0, 6);
  }
}

int main(void) {
  describeState();
  signal(SIGUSR1, onSignal);
  const tprt_action may = {.handler = on};
  tprt_selector ends = {.function = "target", .kinds = TPRT_KIND_SET_ALL, .module = "*/vector-state-is-kept*",
                        .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED},
                inside = ends;
  inside.function = "target+*", inside.kinds = TPRT_KIND_SET_INSTRUCTION;
  tprt_probe *both = attachSelected(ends, may), *one = NULL, *second = NULL;
  int expected = 0;
  tryAll();
  expected += 2 * states;
  // With a second handler, the dispatcher calls both.
  second = attachSelected(ends, may);
  int before = states;
  tryAll();
  expected += 4 * (states - before);
  tprt_probe_detach(second, -1);
  before = states, signals = 1;
  tryAll();
  expected += 2 * (states - before), signals = 0;
  tprt_probe_detach(both, -1);
  // At instructions inside.
  tprt_result result = {0};
  tprt_probe_attach(&inside, &may, &one, &result);
  before = states, hits -= expected;
  tryAll();
  int perState = hits / (states - before);
  int isWhole = perState > 0 && hits == perState * (states - before);
  tprt_probe_detach(one, -1);
  // In threads at their first hit.
  hits = expected = 0, before = states;
  both = attachSelected(ends, may);
  tramples = 0xff;
  for (unsigned used = 0; used < 256; ++used)
    if (!(used & ~mask)) {
      pthread_t thread;
      pthread_create(&thread, NULL, tryOne, (void *)(uintptr_t)used);
      pthread_join(thread, NULL);
    }
  isWhole &= hits == 2 * (states - before);
  printf("%d states: %d changed, %s\n", states, changed, isWhole ? "each hit is there" : "some hits are not");
  return 0;
}
