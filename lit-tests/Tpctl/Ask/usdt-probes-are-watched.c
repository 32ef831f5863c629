// USDT probes of programs without tp are found by their notes, watched at their
// instructions, and have the arguments and the semaphores that the notes tell. If
// this fails, a probe is silent, has untrue arguments, or stays watched.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -fcf-protection=none %s -o %t
//
// RUN: %tpctl list -b %t 'usdt:*' --args | FileCheck %s --check-prefix=FILE
// FILE-DAG: insn{{ +}}usdt:shop:sold(int arg0, unsigned long arg1, unsigned int arg2, int arg3, int arg4, int arg5)
// FILE-DAG: insn{{ +}}usdt:shop:first(int arg0)
//
// Without the semaphore, the program says that nobody watches it.
// RUN: %t | FileCheck %s --check-prefix=ALONE
// ALONE: 0 of 100 watched, 0 at the end
//
// RUN: %tpctl count --traps 'usdt:shop:*' -- %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=COUNT --input-file %t.err
// RUN: FileCheck %s --check-prefix=WATCHED --input-file %t.out
// COUNT-DAG: 100 {{.*}} usdt:shop:sold
// COUNT-DAG: 100 {{.*}} usdt:shop:first
// COUNT-DAG: 50 {{.*}} usdt:shop:odd
// COUNT-NOT: 0x
// WATCHED: 100 of 100 watched, 1 at the end
//
// A register, memory at one, a constant, a variable, and an element.
// RUN: %tpctl trace --traps 'usdt:shop:sold' --hits 3 --print 'args' -- %t > %t.trace 2> %t.err
// RUN: FileCheck %s --check-prefix=ARGS --input-file %t.trace
// ARGS: usdt:shop:sold
// ARGS-SAME: arg0={{.*}}-1{{.*}}arg2={{.*}}7{{.*}}arg3={{.*}}-5
// RUN: %tpctl count --traps 'usdt:shop:sold' --if 'arg0 == -1' --by 'str(arg1), arg3, arg4, arg5' -- %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=KEYS --input-file %t.err
// KEYS: 1 {{.*}}an order{{ +}}-5{{ +}}11{{ +}}9
//
// A probe may be where a function begins.
// RUN: %tpctl hist --traps 'usdt:shop:first' --of arg0 -- %t > %t.out 2> %t.err
// RUN: FileCheck %s --check-prefix=FIRST --input-file %t.err
// FIRST: 100
//
// A group that ends lowers the semaphore, also if tpctl is killed.
// RUN: bash %S/Inputs/lower-semaphores.sh %tpctl %t %t.out
// RUN: FileCheck %s --check-prefix=LOWERED --input-file %t.out
// LOWERED: raised 2 times, 0 at the end
//
// RUN: not %tpctl hist 'usdt:shop:sold' -- %t 2>&1 | FileCheck %s --check-prefix=HIST
// HIST: USDT probes are single instructions, which have no duration
// RUN: not %tpctl count 'usdt:shop' -- %t 2>&1 | FileCheck %s --check-prefix=FORM
// FORM: 'usdt:shop' is no pattern for USDT probes: write usdt:PROVIDER:NAME
// RUN: not %tpctl count 'usdt:shop:sald' -- %t 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: no function or point matches usdt:shop:sald: its USDT probes have the provider shop; did you mean usdt:shop:sold?
// RUN: not %tpctl count 'usdt:shops:*' -- %t 2>&1 | FileCheck %s --check-prefix=ALIKE
// ALIKE: error: no function or point matches usdt:shops:*: its USDT probes have the provider shop{{$}}
// RUN: not %tpctl count 'usdt:shop:sold' --by arg7 -- %t 2>&1 | FileCheck %s --check-prefix=ARG
// ARG: the probe usdt:shop:sold has only arg0 to arg5
//
// RUN: not %tpctl list 'usdt:*' -- sleep 1 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: nothing of sleep ({{[0-9]+}}) matches usdt:*: its files have no USDT probes{{$}}
// NONE-NEXT: note: 'sleep' did not run
//
// Damaged notes: each byte of the section becomes 255, and %tpctl still ends.
// RUN: objcopy --dump-section .note.stapsdt=%t.notes %t %t.copy
// RUN: python3 %S/Inputs/damage-notes.py %tpctl %t %t.notes %t.bad | FileCheck %s --check-prefix=BAD
// BAD: every damage was told of, or made no difference to the notes' form
// BAD: is longer than the section

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

__attribute__((section(".probes"))) volatile unsigned short semaphore;
__attribute__((used)) static volatile int elements[8] = {0, 11, 22, 33};

// The form of <sys/sdt.h> of SystemTap: section .note.stapsdt, type 3.
#define NOTE(name, semaphore, arguments)                                       \
  "990: nop\n"                                                                 \
  ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                \
  ".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                               \
  "991: .asciz \"stapsdt\"\n 992: .balign 4\n"                                 \
  "993: .8byte 990b, 0, " semaphore "\n"                                       \
  ".asciz \"shop\"\n .asciz \"" name "\"\n .asciz \"" arguments "\"\n"         \
  "994: .balign 4\n .popsection\n"

__attribute__((noinline, aligned(64))) static void sold(int number, const char *what) {
  long on_stack[2] = {7, 9};
  long index = 2;
  __asm__ volatile(
      NOTE("sold", "semaphore",
           "-4@%%edi 8@%%rsi 4@(%%rdx) -4@$-5 -4@elements+4(%%rip) "
           "-4@(%%rdx,%%rcx,4)")
      :
      : "D"(number), "S"(what), "d"(on_stack), "c"(index), "m"(on_stack)
      : "memory");
}

__attribute__((naked, noinline, aligned(64))) static void first(int number) {
  __asm__ volatile(NOTE("first", "0", "-4@%edi") "ret");
}

__attribute__((noinline, aligned(64))) static void odd(int number) {
  __asm__ volatile("movl $1, %%ecx\n" NOTE("odd", "0", "4@%%ecx") ::: "ecx");
}

static volatile sig_atomic_t ended;
static void end(int signal) { ended = 1; }

int main(int argc, char **argv) {
  if (argc > 1) {
    int raised = 0, before = 0;
    signal(SIGTERM, end);
    while (!ended) {
      if (semaphore > before) {
        ++raised;
        printf("raised\n");
        fflush(stdout);
      }
      before = semaphore;
      usleep(100);
    }
    printf("raised %d times, %d at the end\n", raised, semaphore);
    return 0;
  }
  int watched = 0;
  for (int i = 0; i < 100; ++i) {
    watched += semaphore != 0;
    if (semaphore)
      sold(i - 1, "an order");
    first(i);
    if (i % 2)
      odd(i);
  }
  printf("%d of 100 watched, %d at the end\n", watched, semaphore);
}
