// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread that keeps a pattern in all general registers and in the vector
// registers over a system call that waits, and compares them with the earlier values.
// Runs until the standard input is closed.
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

struct Regs {
  uint64_t general[10]; /* rbx rbp r8 r9 r10 r12 r13 r14 r15 rdx */
  uint8_t vectors[16][32];
  uint32_t mxcsr, x87;
};

static struct Regs in, out;
static char waves;
static struct pollfd input = {0, POLLIN, 0};

/* poll(&input, 1, -1) or a short one, with every register filled. */
static long call(long number, void *a, long b, long c) {
  long result;
  __asm__ volatile(
      "sub $128, %%rsp\n push %%rbp\n push %%rbx\n"
#define LOAD(n) "vmovdqu " #n "*32+80+in(%%rip), %%ymm" #n "\n"
#define STORE(n) "vmovdqu %%ymm" #n ", " #n "*32+80+out(%%rip)\n"
#define ALL(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
      ALL(LOAD)
      "ldmxcsr in+592(%%rip)\n"
      "mov in(%%rip), %%rbx\n mov in+8(%%rip), %%rbp\n"
      "mov in+16(%%rip), %%r8\n mov in+24(%%rip), %%r9\n mov in+32(%%rip), %%r10\n"
      "mov in+40(%%rip), %%r12\n mov in+48(%%rip), %%r13\n mov in+56(%%rip), %%r14\n"
      "mov in+64(%%rip), %%r15\n"
      "syscall\n"
      "mov %%rbx, out(%%rip)\n mov %%rbp, out+8(%%rip)\n"
      "mov %%r8, out+16(%%rip)\n mov %%r9, out+24(%%rip)\n mov %%r10, out+32(%%rip)\n"
      "mov %%r12, out+40(%%rip)\n mov %%r13, out+48(%%rip)\n mov %%r14, out+56(%%rip)\n"
      "mov %%r15, out+64(%%rip)\n mov %%rdx, out+72(%%rip)\n"
      "stmxcsr out+592(%%rip)\n"
      ALL(STORE)
      "pop %%rbx\n pop %%rbp\n add $128, %%rsp\n vzeroupper\n"
      : "=a"(result)
      : "a"(number), "D"(a), "S"(b), "d"(c)
      : "rcx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory",
        "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8",
        "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15");
  return result;
}

int main(int argc, char **argv) {
  for (int i = 0; i < 10; ++i)
    in.general[i] = 0x1111111111111111ull * (unsigned)(i + 1);
  for (int i = 0; i < 16; ++i)
    memset(in.vectors[i], 0xa0 + i, 32);
  in.mxcsr = 0x1f80 | 0x6000; /* rounds toward zero */
  long wait = argc > 1 ? 3 : -1;
  in.general[9] = (uint64_t)wait;
  puts("ready");
  fflush(stdout);
  long calls = 0, result;
  do {
    memset(&out, 0, sizeof out);
    result = call(SYS_poll, &input, 1, wait);
    ++calls;
    if (memcmp(&in, &out, sizeof in)) {
      printf("registers changed in call %ld\n", calls);
      return 1;
    }
  } while (result == 0);
  printf("%ld, all registers as before\n", result);
  (void)waves;
  return 0;
}
