; If this fails, code that is not emitted is decided on.
; RUN: %opt -passes=tp-decide -tp-entry=2 -S %s | FileCheck %s
; CHECK-NOT: tp-entry
target triple = "x86_64-unknown-linux-gnu"
define available_externally void @f() {
  ret void
}
