// If this fails, an attribute at a class or namespace does not reach the blocks inside.
// An attribute at a function does not apply to the function's blocks.
// RUN: %clangxx -fblocks -O1 -fplugin-arg-tp-entry=2 -S %s -o - | FileCheck %s
void take(int (^)(int));
struct [[tp::never]] Class {
  static __attribute__((noinline)) void inner() {
    take(^(int X) {
      take(^(int Y) { return X + Y; });
      return X;
    });
  }
};
// CHECK-LABEL: {{^}}___Z5alonev_block_invoke:
// CHECK:       xchgw
// CHECK:       .Lfunc_end
// CHECK-NOT:   xchgw
// CHECK-LABEL: {{^}}___ZN5Class5innerEv_block_invoke:
// CHECK-NOT:   xchgw
// CHECK-LABEL: {{^}}___ZN5Class5innerEv_block_invoke_2:
// CHECK-NOT:   xchgw
[[tp::never]] void alone() {
  Class::inner();
  take(^(int X) { return X + 1; });
}
