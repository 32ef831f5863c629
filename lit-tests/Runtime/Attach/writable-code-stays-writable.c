// If this fails, a program that made some of its code writable (its own
// patcher, another hooking library) crashes at its next write after an attach
// or detach in that page. Each page gets back the protection that it had.
//
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t && %t "*" && %t "*" filtered
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <stdint.h>
#include <string.h>
#include <stddef.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define JUMP "jmp"
#else
#define JUMP "b"
#endif
#define F(n)                                                                   \
  __attribute__((aligned(65536))) int f##n(int x) {                            \
    __asm__(JUMP " 1f; .skip 65536; 1:" : "+r"(x));                            \
    return x + n;                                                              \
  }
F(0) F(1) F(2) F(3)
static char *const code[] = {(char *)f0, (char *)f1, (char *)f2, (char *)f3};

// The protections in /proc/self/maps of the pages of f0 to f3 and of the pages after them.
static void rights(char out[64]) {
  unsigned long low, high;
  char now[8];
  FILE *maps = fopen("/proc/self/maps", "r");
  memset(out, 0, 64);
  while (fscanf(maps, "%lx-%lx %7s%*[^\n]", &low, &high, now) == 3)
    for (int i = 0; i < 8; ++i) {
      uintptr_t page = (uintptr_t)code[i / 2] + i % 2 * 65536;
      if (page >= low && page < high)
        memcpy(out + 4 * i, now, 4);
    }
  fclose(maps);
}

static int toggle(const char *name) {
  char before[64], after[64];
  tprt_selector selector = {.function = name};
  tprt_action action = {.handler = ignoreHit};
  tprt_probe *probe;
  rights(before);
  for (int detach = 0; detach < 2; ++detach) {
    if (detach ? tprt_probe_detach(probe, -1) : tprt_probe_attach(&selector, &action, &probe, NULL))
      return puts(tprt_error_string());
    rights(after);
    if (strcmp(before, after))
      return printf("%s %s\n%s before\n%s after\n", name, detach ? "off" : "on", before, after);
  }
  return 0;
}

// Kills for madvise(MADV_POPULATE_WRITE) and ioctl(PROCMAP_QUERY).
static void filter(void) {
#define KILL(call, argument, value)                                            \
  BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),       \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 3),                         \
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS,                                       \
               offsetof(struct seccomp_data, args[argument])),                 \
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),                        \
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
  struct sock_filter code[] = {KILL(SYS_madvise, 2, 23), KILL(SYS_ioctl, 1, 0xc0686611),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

int main(int argc, char **argv) {
  if (argc > 2)
    filter();
  const char *all = argc > 1 ? argv[1] : "f1";
  for (int i = 0; i < 2; ++i) { // at first as loaded: the attach makes all code writable
    if (toggle(all) || toggle("f0") || toggle("f1") || toggle("f[0-3]"))
      return 1;
    int wrong = mprotect(code[1], getpagesize(), PROT_READ | PROT_WRITE | PROT_EXEC) |
                mprotect(code[3], getpagesize(), PROT_READ | PROT_WRITE | PROT_EXEC) |
                mprotect(code[2] + 65536, getpagesize(), PROT_NONE) |
                mprotect(code[0] + 65536, getpagesize(), PROT_READ);
    if (wrong)
      return perror("mprotect"), 1;
  }
  // From here on, making the code writable fails halfway, because the protection of one page may no longer change.
  syscall(462 /* mseal, Linux 6.10 */, code[2], getpagesize(), 0);
  if (toggle(all) || toggle("f0") || toggle("f1") || toggle("f[0-3]"))
    return 1;
  *(volatile char *)code[1] = *code[1];
  return f1(2) - 3;
}
