; If this fails, a function with a tuple of scalable vectors stops the compiler, or a
; handler destroys the tuple that the function passes on.
; LLVM 16 has no arrays of scalable vectors.
; REQUIRES: llvm-at-least-17
; RUN: %llc -function-sections -tp-entry=1 -tp-exit %s -o - | FileCheck %s
target triple = "aarch64-unknown-linux-gnu"

; Each function has two records, entry (64) and exit (65), both of the shape of one word.
; The records say that scalable registers are in use, and do not list the other registers in use.
; CHECK-LABEL: {{^}}array:
; CHECK:       .section tp_sleds
; CHECK:       .byte 64
; CHECK-NEXT:  .byte 4
; CHECK-NEXT:  .byte 0
; CHECK-NEXT:  .byte 4{{$}}
; CHECK:       .byte 65
; CHECK-NEXT:  .byte 4
; CHECK-NEXT:  .byte 0
; CHECK-NEXT:  .byte 132{{$}}
define [2 x <vscale x 4 x i32>] @array([2 x <vscale x 4 x i32>] %A) #0 {
  ret [2 x <vscale x 4 x i32>] %A
}
; CHECK-LABEL: {{^}}tuple:
; CHECK:       .section tp_sleds
; CHECK:       .byte 64
; CHECK:       .byte 4{{$}}
; CHECK:       .byte 65
; CHECK:       .byte 132{{$}}
define { <vscale x 4 x i32>, <vscale x 4 x i32> } @tuple({ <vscale x 4 x i32>, <vscale x 4 x i32> } %A) #0 {
  ret { <vscale x 4 x i32>, <vscale x 4 x i32> } %A
}
; CHECK-LABEL: {{^}}nested:
; CHECK:       .section tp_sleds
; CHECK:       .byte 64
; CHECK:       .byte 4{{$}}
; CHECK:       .byte 65
; CHECK:       .byte 132{{$}}
define { [2 x <vscale x 2 x i64>] } @nested({ [2 x <vscale x 2 x i64>] } %A) #0 {
  ret { [2 x <vscale x 2 x i64>] } %A
}
attributes #0 = { "target-features"="+sve" }
