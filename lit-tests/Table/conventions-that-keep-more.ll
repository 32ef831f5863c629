; If this fails, a handler destroys state that the function's caller relies on: registers
; of another convention, scalable registers of an SVE signature, ZA or streaming mode.
; RUN: split-file %s %t
; RUN: %llc -function-sections -tp-entry=2 %t/x86.ll -o - | FileCheck %s --check-prefix=X86
; RUN: %llc -function-sections -tp-entry=1 %t/arm.ll -o - | FileCheck %s --check-prefix=ARM
; X86-LABEL: {{^}}cold:
; X86: .byte 5{{$}}
; X86-NEXT: .byte 32{{$}}
; X86-LABEL: {{^}}inside:
; X86: .byte 5{{$}}
; X86-NEXT: .byte 1{{$}}
; ARM-LABEL: {{^}}result:
; ARM: .byte 4{{$}}
; ARM-NEXT: .byte 0{{$}}
; ARM-NEXT: .byte 4{{$}}
; ARM-LABEL: {{^}}out_za:
; ARM: .byte 4{{$}}
; ARM-NEXT: .byte 0{{$}}
; ARM-NEXT: .byte 8{{$}}
; ARM-LABEL: {{^}}agnostic:
; ARM: .byte 4{{$}}
; ARM-NEXT: .byte 0{{$}}
; ARM-NEXT: .byte 8{{$}}
; ARM-LABEL: {{^}}wide:
; ARM: .byte 4{{$}}
; ARM-NEXT: .byte 0{{$}}
; ARM-NEXT: .byte 0{{$}}
;--- x86.ll
target triple = "x86_64-linux-gnu"
define coldcc void @cold(i32 %x) {
  ret void
}
define void @inside([2 x <8 x float>] %x) "target-features"="+avx" {
  ret void
}
;--- arm.ll
target triple = "aarch64-linux-gnu"
attributes #0 = { "target-features"="+sve,+sme" }
define <vscale x 4 x i32> @result() #0 {
  ret <vscale x 4 x i32> zeroinitializer
}
define void @out_za() #0 "aarch64_out_za" {
  ret void
}
define void @agnostic() #0 "aarch64_za_state_agnostic" {
  ret void
}
define void @wide(<8 x float> %x) #0 {
  ret void
}
