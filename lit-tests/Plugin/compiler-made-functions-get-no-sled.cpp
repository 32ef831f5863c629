// If this fails, thunks, global initialisers and the like are reported as calls of
// functions that are not in the source.
// DEFINE: %{one} = llvm-objdump --no-show-raw-insn -d %t.o --disassemble-symbols
// RUN: %clangxx -O1 -fplugin-arg-tp-entry=2 -c %s -o %t.o
// RUN: %{one}=_ZN1C1gEv      | FileCheck %s --check-prefix=SLED
// RUN: %{one}=_Z3usev        | FileCheck %s --check-prefix=SLED
// RUN: %{one}=_ZThn16_N1C1gEv | FileCheck %s --check-prefix=NONE
// RUN: %{one}=__clang_call_terminate | FileCheck %s --check-prefix=NONE
// RUN: %{one}=_GLOBAL__sub_I_compiler_made_functions_get_no_sled.cpp | FileCheck %s --check-prefix=NONE
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=TWO
// SLED: >:
// SLED-NEXT: nop
// NONE: >:
// NONE-NEXT: {{(mov|cmp|push|sub)}}
// TWO-COUNT-1: tp_sleds {{.*}} 000018
struct A { virtual int f(); int X; };
struct B { virtual int g(); int Y; };
struct C : A, B { int g() override; C(); ~C(); };
int C::g() { return Y; }
C Global;
int other();
static thread_local int Local = other();
int use() noexcept { return other() + Local; }
