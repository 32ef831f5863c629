// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program whose threads make no system call while they compute. Runs until the second process, which shares
// a page with it, has read the end of the standard input. The argument selects what the threads do:
//
//   registers  keeps patterns in all registers, in the flags and below the stack pointer, and compares them
//   allocates  takes blocks from the heap and gives them back; much of its time a lock of the heap is taken, as there
//              is a second thread
//   reads      reads a megabyte of zeros, over and over; the kernel runs for this, and stops early for a signal
//   handler    spins in a handler of a signal
//   library    spins in the C library, for a lock that the second process gives back; with a second argument, the
//              code of the C library was moved to memory of no file before, as programs do that use large pages
//   walk       spins where the loader calls it with its lock taken
#define _GNU_SOURCE
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct {
  uint64_t general[12]; /* rax rbx rcx rdx rsi rdi r8 r9 r10 r12 r14 and the red zone */
  uint8_t vectors[16][32];
  uint32_t mxcsr, flags;
} in, out;
static volatile int *over;
static pthread_spinlock_t *lock; /* after it */

/* Loops some thousand times with these values in the registers, and then stores the registers. */
static void hold(void) {
  __asm__ volatile(
      "push %%rbp\n push %%r15\n sub $256, %%rsp\n"
#define LOAD(n) "vmovdqu " #n "*32+96+in(%%rip), %%ymm" #n "\n"
#define STORE(n) "vmovdqu %%ymm" #n ", " #n "*32+96+out(%%rip)\n"
#define ALL(F) F(0) F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15)
      ALL(LOAD)
      "ldmxcsr in+608(%%rip)\n"
      "mov in+88(%%rip), %%rax\n mov %%rax, -8(%%rsp)\n mov %%rax, -128(%%rsp)\n"
      "mov in(%%rip), %%rax\n mov in+8(%%rip), %%rbx\n mov in+16(%%rip), %%rcx\n mov in+24(%%rip), %%rdx\n"
      "mov in+32(%%rip), %%rsi\n mov in+40(%%rip), %%rdi\n mov in+48(%%rip), %%r8\n mov in+56(%%rip), %%r9\n"
      "mov in+64(%%rip), %%r10\n mov in+72(%%rip), %%r12\n mov in+80(%%rip), %%r14\n"
      "mov $20000, %%r11d\n std\n"
      "1: lea -1(%%r11), %%r11\n mov %%r11, %%r13\n"
      /* Leaves the flags unchanged: jrcxz tests rcx. */
      "mov %%rcx, %%r15\n mov %%r11, %%rcx\n jrcxz 2f\n mov %%r15, %%rcx\n jmp 1b\n"
      "2: mov %%r15, %%rcx\n"
      "mov %%rax, out(%%rip)\n mov %%rbx, out+8(%%rip)\n mov %%rcx, out+16(%%rip)\n mov %%rdx, out+24(%%rip)\n"
      "mov %%rsi, out+32(%%rip)\n mov %%rdi, out+40(%%rip)\n mov %%r8, out+48(%%rip)\n mov %%r9, out+56(%%rip)\n"
      "mov %%r10, out+64(%%rip)\n mov %%r12, out+72(%%rip)\n mov %%r14, out+80(%%rip)\n"
      "mov -8(%%rsp), %%rax\n mov -128(%%rsp), %%rbx\n sub %%rbx, %%rax\n add %%rbx, %%rax\n mov %%rax, out+88(%%rip)\n"
      "stmxcsr out+608(%%rip)\n" ALL(STORE)
      "cld\n add $256, %%rsp\n pop %%r15\n pop %%rbp\n vzeroupper\n"
      :
      :
      : "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "memory", "cc", "xmm0",
        "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13",
        "xmm14", "xmm15");
}

static int keepsRegisters(void) {
  memset(&out, 0, sizeof out);
  hold();
  return memcmp(&in, &out, sizeof in) == 0;
}

static int allocates(void) {
  unsigned char *blocks[32];
  int right = 1;
  for (unsigned i = 0; i < 32; ++i) {
    blocks[i] = malloc(1500u + 700 * (i % 8)); /* more than what a thread keeps for itself */
    memset(blocks[i], (int)i, 16);
  }
  for (unsigned i = 0; i < 32; ++i) {
    right &= blocks[i][15] == i;
    free(blocks[i]);
  }
  for (volatile int n = 0; n < 1000; ++n) {
  }
  return right;
}

static int reads(void) {
  static char bytes[1 << 20];
  static int file = -1;
  if (file < 0)
    file = open("/dev/zero", O_RDONLY);
  return read(file, bytes, sizeof bytes) == sizeof bytes;
}

static void spin(int number) {
  (void)number;
  while (!*over) {
  }
}

static int visit(struct dl_phdr_info *info, size_t bytes, void *unused) {
  (void)info, (void)bytes, (void)unused;
  spin(0);
  return 1;
}

static int move(struct dl_phdr_info *info, size_t bytes, void *unused) {
  (void)bytes, (void)unused;
  for (int i = 0; strstr(info->dlpi_name, "/libc.so.6") && i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &info->dlpi_phdr[i];
    if (part->p_type != PT_LOAD || !(part->p_flags & PF_X))
      continue;
    char *code = (char *)info->dlpi_addr + part->p_vaddr;
    size_t length = (part->p_memsz + 4095) & ~(size_t)4095;
    char *copy = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(copy, code, part->p_memsz);
    mprotect(copy, length, PROT_READ | PROT_EXEC);
    return mremap(copy, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, code) == code;
  }
  return 0;
}

static void *beside(void *unused) {
  spin(0);
  return unused;
}

int main(int argc, char **argv) {
  over = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  lock = (pthread_spinlock_t *)over + 1;
  pthread_spin_init(lock, PTHREAD_PROCESS_SHARED);
  pthread_spin_lock(lock);
  if (fork() == 0) {
    char byte;
    while (read(0, &byte, 1) == 1) {
    }
    *over = 1;
    pthread_spin_unlock(lock);
    _exit(0);
  }
  close(0);
  for (int i = 0; i < 12; ++i)
    in.general[i] = 0x1111111111111111ull * (unsigned)(i + 1);
  for (int i = 0; i < 16; ++i)
    memset(in.vectors[i], 0xa0 + i, 32);
  in.mxcsr = 0x1f80 | 0x6000; /* rounds toward zero */
  if (argc > 2 && !dl_iterate_phdr(move, NULL))
    return 1;
  puts("ready");
  fflush(stdout);
  if (strcmp(argv[1], "handler") == 0) {
    signal(SIGUSR1, spin);
    raise(SIGUSR1);
  }
  if (strcmp(argv[1], "library") == 0)
    pthread_spin_lock(lock);
  if (strcmp(argv[1], "walk") == 0)
    dl_iterate_phdr(visit, NULL);
  int (*step)(void) = strcmp(argv[1], "registers") == 0 ? keepsRegisters : strcmp(argv[1], "reads") == 0 ? reads : allocates;
  pthread_t other;
  if (step == allocates)
    pthread_create(&other, NULL, beside, NULL);
  long rounds = 0, wrong = 0;
  for (; !*over; ++rounds)
    wrong += !step();
  printf("%s rounds, %ld wrong\n", rounds ? "some" : "no", wrong);
  return wrong != 0;
}
