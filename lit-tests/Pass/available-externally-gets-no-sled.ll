; If this fails, a function that is not emitted gets a decision about sleds.
; RUN: %opt -passes=tp-decide -tp-entry=2 -S %s | FileCheck %s
; CHECK-NOT: tp-entry
target triple = "x86_64-unknown-linux-gnu"
define available_externally void @f() {
  ret void
}
