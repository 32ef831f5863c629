// If a module has more segments than the runtime keeps, its sleds stay off, and a message
// gives the reason. A module without sleds may have that many segments.
//
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: %clang -O2 -fPIC -shared -fuse-ld=lld many.c -Wl,-T,many.ld -o libplain.so
// RUN: %clang -O2 -fPIC -shared -fuse-ld=lld -fplugin-arg-tp-entry=2,0 many.c -Wl,-T,many.ld -o libsleds.so
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 main.c %tprt_flags -L. -Wl,-rpath,%t -Wl,--no-as-needed -lplain -o plain
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 main.c %tprt_flags -L. -Wl,-rpath,%t -Wl,--no-as-needed -lsleds -o sleds
// RUN: env TPRT_OPTIONS=verbose=1 ./plain 2>&1 | FileCheck --check-prefixes=PLAIN,BOTH %s
// RUN: env TPRT_OPTIONS=verbose=1 ./sleds 2>&1 | FileCheck --check-prefixes=SLEDS,BOTH %s
//
// PLAIN-NOT: segments
// SLEDS: libsleds.so: it has more load segments than this runtime supports (32); its sleds stay off
// BOTH: 2 sites enabled
//--- many.c
#define ONE(n) const int c##n __attribute__((section("r" #n))) = n; int v##n __attribute__((section("w" #n))) = n;
#define FOUR(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3)
FOUR(0) FOUR(1) FOUR(2) FOUR(3)
int many() { return 1; }
//--- many.ld
SECTIONS {
  r00 : { *(r00) } w00 : { *(w00) } r01 : { *(r01) } w01 : { *(w01) } r02 : { *(r02) } w02 : { *(w02) } r03 : { *(r03) } w03 : { *(w03) }
  r10 : { *(r10) } w10 : { *(w10) } r11 : { *(r11) } w11 : { *(w11) } r12 : { *(r12) } w12 : { *(w12) } r13 : { *(r13) } w13 : { *(w13) }
  r20 : { *(r20) } w20 : { *(w20) } r21 : { *(r21) } w21 : { *(w21) } r22 : { *(r22) } w22 : { *(w22) } r23 : { *(r23) } w23 : { *(w23) }
  r30 : { *(r30) } w30 : { *(w30) } r31 : { *(r31) } w31 : { *(w31) } r32 : { *(r32) } w32 : { *(w32) } r33 : { *(r33) } w33 : { *(w33) }
} INSERT AFTER .bss;
//--- main.c
#include <stdio.h>
#include <tprt/tprt.h>
static void handler(const tprt_event *e, const tprt_regs *r, void *d) {}
int main() {
  tprt_selector selector = {.function = "*"};
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  tprt_result result;
  tprt_probe_attach(&selector, &action, &probe, &result);
  printf("%zu sites enabled\n", result.enabled);
}
