// tpctl list --code -v shows for each site of a function without a sled how it would be probed, the
// instruction, and why a site is refused. If this fails, users look for the cause in the wrong place.
//
// REQUIRES: tpctl
// RUN: gcc -O1 %s -o %t && %tpctl list --code -v 'tpctl-list*!*' -- %t > %t.text && FileCheck %s < %t.text
// RUN: %tpctl list --code 'tpctl-list*!loop' -- %t | FileCheck %s --check-prefix=SHORT
// RUN: %tpctl list --code 'tpctl-list*!*' --format=json -- %t > %t.json
// RUN: %python -c "import json, sys; print(next(f for f in json.load(open(sys.argv[1])) if f['function'] == 'hop'))" %t.json \
// RUN:   | FileCheck %s --check-prefix=JSON
//
// CHECK:      off  entry+exit      code        jump
// CHECK-NEXT:      entry jump    +0x0   488d05{{[0-9a-f]+}} {{ *}}leaq {{.*}}(%rip), %rax{{$}}
// CHECK-NEXT:      exit  return  +0xd   c3 {{ *}}retq{{$}}
// CHECK-NEXT: off  entry+exit      code        hop
// CHECK-NEXT:      entry short jump     +0x0   4889f8 {{ *}}movq %rdi, %rax{{$}}
// CHECK-NEXT:      exit  return  +0x6   c3 {{ *}}retq{{$}}
// CHECK:      off  entry+exit      code        branch
// CHECK-NEXT:      entry short jump     +0x0   7205 {{ *}}jb 0x{{[0-9a-f]+$}}
// CHECK-NEXT:      exit  pun     +0x6   c3 {{ *}}retq{{$}}
// CHECK:      off  entry+exit      code        counted
// CHECK-NEXT: entry jump    +0x0   f048ff05{{[0-9a-f]+}} {{ *}}lock incq {{.*}}(%rip){{$}}
// CHECK:      entry none    +0x0   48ffcf {{ *}}decq %rdi  (refused: a jump in the function leads to the instruction that would change,
// CHECK-NEXT:      exit  trap    +0x5   c3 {{ *}}retq  (refused: no jump fits over its instruction
// SHORT:      off  entry+exit      loop  (entry refused: a jump in the function leads to the instruction that would change,
// JSON: 'sites': [{'kind': 'entry', 'means': 'short jump', 'address': {{[0-9]+}}, 'bytes': '4889f8', 'instruction': 'movq %rdi, %rax'}, {'kind': 'exit', 'means': 'return',
#include "Inputs/means.h"

__asm__(FUNCTION("counted", "0", "lock incq one(%rip)\nret")
        FUNCTION("loop", "8", "1: decq %rdi\njnz 1b\nret"));

int main(void) { return 0; }
