; If this fails, a handler clobbers SVE arguments or streaming state.
; RUN: %llc -mtriple=aarch64-linux-gnu -mattr=+sve,+sme -function-sections -tp-entry=1 %s -o - | FileCheck %s
; CHECK-LABEL: {{^}}sve:
; CHECK: .section tp_sleds
; CHECK: .byte 64
; CHECK-NEXT: .byte 4{{$}}
; CHECK-NEXT: .byte 0{{$}}
; CHECK-NEXT: .byte 4{{$}}
define void @sve(<vscale x 4 x i32> %V) {
  ret void
}
; CHECK-LABEL: {{^}}streaming:
; CHECK: .section tp_sleds
; CHECK: .byte 4{{$}}
; CHECK-NEXT: .byte 0{{$}}
; CHECK-NEXT: .byte 8{{$}}
define void @streaming() "aarch64_pstate_sm_enabled" {
  ret void
}
; CHECK-LABEL: {{^}}neon:
; CHECK: .section tp_sleds
; CHECK: .byte 4{{$}}
; CHECK-NEXT: .byte 0{{$}}
; CHECK-NEXT: .byte 0{{$}}
define void @neon(<4 x i32> %V) {
  ret void
}
