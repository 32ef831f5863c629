// With expressions, each USDT probe may be a request of its own. If this fails, the note of the refused probes has the
// numbers of the first request beside the names of all.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -O1 -fcf-protection=none %s -o %t
// RUN: %tpctl count 'usdt:shop:*' --by arg0 -- %t > %t.out 2> %t.err
// RUN: FileCheck %s --input-file %t.err
// CHECK: note: 2 of 3 sites refused, the first all{{.*}}; refused in usdt:shop:

// The form of <sys/sdt.h> of SystemTap: section .note.stapsdt, type 3.
#define NOTE(name)                                                             \
  "990: nop\n"                                                                 \
  ".pushsection .note.stapsdt,\"?\",\"note\"\n"                                \
  ".balign 4\n .4byte 992f-991f, 994f-993f, 3\n"                               \
  "991: .asciz \"stapsdt\"\n 992: .balign 4\n"                                 \
  "993: .8byte 990b, 0, 0\n"                                                   \
  ".asciz \"shop\"\n .asciz \"" name "\"\n .asciz \"-4@%%edi\"\n"               \
  "994: .balign 4\n .popsection\n"

// Two of the nops have no room for a jump, because a neighbor is a site, too.
__attribute__((noinline, aligned(64))) static void all(int number) {
  __asm__ volatile(NOTE("one") NOTE("two") NOTE("three") "movl %%edi, %%eax\n movl %%edi, %%eax\n" ::"D"(number) : "eax");
}

int main(void) {
  for (int i = 0; i < 10; ++i)
    all(i);
}
