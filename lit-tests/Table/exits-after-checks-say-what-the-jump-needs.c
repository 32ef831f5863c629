// If this fails, a handler destroys vector arguments of a checked tail call. The
// check is between the sled and the jump, and uses no vector registers itself.
// RUN: %clang -O2 -mavx512f -fsanitize=kcfi -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// CHECK-LABEL: {{^}}wide:
// CHECK:       ud2
// CHECK:       jmpq
// CHECK:       .byte 34
// CHECK-NEXT:  .byte 5{{$}}
// CHECK-NEXT:  .byte 0
// CHECK-NEXT:  .byte 3{{$}}
typedef float V16 __attribute__((vector_size(64)));
void wide(V16 X, void (*F)(V16)) { F(X); }
// RUN: %clang --target=aarch64-linux-gnu -march=armv9-a -O2 -fsanitize=kcfi -fplugin-arg-tp-exit -S %s -DSVE -o - | FileCheck %s --check-prefix=ARM
// 4 means scalable registers. 128 is added because the record is not the table's first.
// ARM-LABEL: {{^}}scalable:
// ARM:       brk
// ARM:       br x
// ARM:       .byte 66
// ARM-NEXT:  .byte 4{{$}}
// ARM-NEXT:  .byte 0
// ARM-NEXT:  .byte 132{{$}}
#ifdef SVE
void scalable(__SVFloat32_t *X, void (*F)(__SVFloat32_t)) { F(*X); }
#endif
