// If this fails, a handler at a point finds x87 registers in use, or their contents
// at the point are lost.
//
// REQUIRES: x86_64-host
// RUN: %plain_clang -O2 -I %S/Inputs %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 1 2 3 4 5 6 7 8, the handler's sum 36
#include "point.h"
#include "tprt/tprt.h"

#include <stdio.h>

static long double sum;
static void onHit(const tprt_event *event, const tprt_regs *regs, void *data) {
  volatile long double part[8];
  for (int i = 0; i < 8; ++i)
    part[i] = i + 1;
  sum = part[0] + (part[1] + (part[2] + (part[3] + (part[4] + (part[5] + (part[6] + part[7]))))));
  __asm__ volatile("fldpi\nfldpi\nfldpi\nfldpi\nfldpi\nfldpi\nfldpi\nfldpi\n"
                   "fstp %%st(0)\nfstp %%st(0)\nfstp %%st(0)\nfstp %%st(0)\n"
                   "fstp %%st(0)\nfstp %%st(0)\nfstp %%st(0)\nfstp %%st(0)" ::: "memory");
}

static double out[8];

__attribute__((noinline)) static void work(void) {
  POINT_DESCRIPTOR(work, 0, 0, "", "");
  for (int i = 8; i > 0; --i)
    __asm__ volatile("fildl %0" : : "m"(i));
  __asm__ goto(POINT_BRANCH : : [site] POINT_SYMBOL(&point_descriptor) : : cold);
  goto done;
cold:
  __asm__ volatile(POINT_SLED : : [site] POINT_SYMBOL(&point_descriptor) : POINT_CLOBBERS);
done:
  for (int i = 0; i < 8; ++i)
    __asm__ volatile("fstpl %0" : "=m"(out[i]));
}

int main(void) {
  tprt_probe *probe;
  tprt_probe_attach(&(tprt_selector){.kinds = TPRT_KIND_SET_POINT}, &(tprt_action){.handler = onHit}, &probe, NULL);
  work();
  for (int i = 0; i < 8; ++i)
    printf("%s%g", i ? " " : "", out[i]);
  printf(", the handler's sum %d\n", (int)sum);
  return 0;
}
