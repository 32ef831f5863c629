; If this fails, a sled is in a function written in assembly, or in code that is
; not emitted.
; RUN: %opt -passes=tp-decide -tp-exit -tp-entry=2 -S %s | FileCheck %s
; RUN: %llc -tp-exit -tp-entry=2 %s -o - | FileCheck %s --check-prefix=ASM
; CHECK: define available_externally void @copy() {
; CHECK: define void @bare() #[[BARE:[0-9]+]]
; CHECK: attributes #[[BARE]] = { naked }
; ASM-LABEL: {{^}}bare:
; ASM-NOT:   .Ltp
; ASM-LABEL: .Lfunc_end0:
; ASM-NOT:   .Ltp
target triple = "x86_64-unknown-linux-gnu"
define available_externally void @copy() {
  ret void
}
define void @bare() naked {
  call void asm sideeffect "ret", ""()
  unreachable
}
