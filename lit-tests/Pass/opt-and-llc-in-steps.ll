; If this fails, opt and llc in several steps generate other code than in one step:
; decisions are lost, made twice, or made about other functions.
; DEFINE: %{show} = llvm-objdump -sr -j .text -j tp_sleds -
; RUN: %llc -tp-entry=2 -filetype=obj %s -o - | %{show} > %t.whole && FileCheck %s < %t.whole
; RUN: %opt -passes=tp-decide -tp-entry=2 %s -o %t.bc && %llc -filetype=obj %t.bc -o - | %{show} | diff %t.whole -
; RUN: %opt -passes='default<O0>' -tp-entry=2 %s -o %t.bc && %llc -filetype=obj %t.bc -o - | %{show} | diff %t.whole -
; RUN: %opt -passes=tp-decide,tp-decide -tp-entry=2 %s | %opt -passes=tp-decide -tp-entry=9 -S -o %t.ll
; RUN: %llc -filetype=obj %t.ll -o - | %{show} | diff %t.whole -
; If two modules with different decisions are linked, each function keeps its decision.
; RUN: %opt -passes=tp-decide -tp-entry=2 %s -o %t.one.bc
; RUN: sed 's/@f/@e/' %s | %opt -passes=tp-decide -tp-entry=9 -o %t.two.bc
; RUN: llvm-link %t.one.bc %t.two.bc | %llc -o - | FileCheck %s --check-prefix=BOTH --implicit-check-not='tp:'
; BOTH-LABEL: {{^}}f:
; BOTH: xchgw %ax, %ax
; BOTH-LABEL: {{^}}e:
; BOTH: .asciz "\017\037D\000"
; CHECK: Contents of section tp_sleds
target triple = "x86_64-linux-gnu"
define i32 @f(i32 %x) {
  %y = add i32 %x, 1
  ret i32 %y
}
