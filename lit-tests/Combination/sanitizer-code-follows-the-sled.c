// If this fails, a handler runs while a sanitizer is in the middle of its work, or
// after it has changed the registers.
// DEFINE: %{with} = address
// DEFINE: %{target} = x86_64-linux-gnu
// DEFINE: %{check} = %clang --target=%{target} -O1 -fsanitize=%{with} -fplugin-arg-tp-entry=2 -fplugin-arg-tp-exit -S %s -o - | FileCheck %s
// RUN: %{check} --check-prefixes=X86,ADDRESS
// REDEFINE: %{with} = thread
// RUN: %{check} --check-prefixes=X86,THREAD
// REDEFINE: %{with} = memory
// RUN: %{check} --check-prefixes=X86,MEMORY
// REDEFINE: %{with} = undefined
// RUN: %{check} --check-prefixes=X86,UNDEFINED
// REDEFINE: %{with} = safe-stack
// RUN: %{check} --check-prefixes=X86,SAFE
// REDEFINE: %{with} = dataflow
// RUN: %{check} --check-prefixes=X86,DATAFLOW
// REDEFINE: %{target} = aarch64-linux-gnu
// REDEFINE: %{with} = hwaddress
// RUN: %{check} --check-prefixes=ARM,HWADDRESS
// REDEFINE: %{with} = memtag-stack -march=armv8.5-a+memtag
// RUN: %{check} --check-prefixes=ARM,MEMTAG
// X86:       .Ltp_sled0:
// X86-NEXT:  {{xchgw %ax, %ax|\.asciz "\\017\\037D\\000"}}
// ARM:       .Ltp_sled0:
// ARM-NEXT:  nop
// ARM-NEXT:  .Ltp_fence0:
// ARM-NEXT:  nop
// ADDRESS:   __asan_stack
// THREAD:    callq __tsan_func_entry
// THREAD:    callq __tsan_func_exit
// MEMORY:    0x500000000000
// UNDEFINED: callq h
// SAFE:      __safestack_unsafe_stack_ptr
// DATAFLOW:  __dfsan_
// HWADDRESS: __hwasan_tls
// MEMTAG:    irg
// X86:       .Ltp_exit0:
// X86-NEXT:  retq
// X86-NEXT:  .ascii "\314\314\314\314"
// ARM:       .Ltp_exit0:
// ARM-NEXT:  nop
// ARM-NEXT:  .Ltp_fence{{[0-9]+}}:
// ARM-NEXT:  ret
void h(int *);
int f(int X) {
  int A[20];
  h(A);
  return A[X] + X;
}
