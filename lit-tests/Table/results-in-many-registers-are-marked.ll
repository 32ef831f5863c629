; If this fails, a handler destroys results in registers that C does not use for results.
; RUN: %llc -function-sections -tp-exit %s -o - | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"
; CHECK-LABEL: {{^}}two:
; CHECK: .byte 5{{$}}
; CHECK-NEXT: .byte 0
; CHECK-NEXT: .byte 0
define { i64, i64 } @two() {
  ret { i64, i64 } { i64 1, i64 2 }
}
; The record makes no promise about live registers: the byte is 48 + 1.
; CHECK-LABEL: {{^}}three:
; CHECK: .byte 49{{$}}
; CHECK-NEXT: .byte 5{{$}}
; CHECK-NEXT: .byte 0
; CHECK-NEXT: .byte 32
define { i64, i64, i64 } @three() {
  ret { i64, i64, i64 } { i64 1, i64 2, i64 3 }
}
; A hardened return no longer has the list of its result registers.
; CHECK-LABEL: {{^}}hardened:
; CHECK: jmp __x86_return_thunk
; CHECK: .byte 33{{$}}
; CHECK-NEXT: .byte 5{{$}}
; CHECK-NEXT: .byte 0
; CHECK-NEXT: .byte 32
define { i64, i64, i64 } @hardened() fn_ret_thunk_extern {
  ret { i64, i64, i64 } { i64 1, i64 2, i64 3 }
}
; CHECK-LABEL: {{^}}popping:
; CHECK: .asciz "\017\037D\000"
; CHECK-NEXT: retq $8
; CHECK: .byte 5{{$}}
; CHECK-NEXT: .byte 0
; CHECK-NEXT: .byte 32
define tailcc void @popping(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g) {
  ret void
}
