; If this fails, IR that requests 0 nops of -fpatchable-function-entry causes an error
; instead of a sled.
; RUN: %opt -passes=tp-decide -tp-entry=2 -S %s | FileCheck %s
; CHECK: define void @zero() #[[ZERO:[0-9]+]]
; CHECK: attributes #[[ZERO]] = {{.*}}"tp-entry"="2,0"
target triple = "x86_64-unknown-linux-gnu"
define void @zero() "patchable-function-entry"="0" {
  ret void
}
