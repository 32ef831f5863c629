// If this fails, a filter line with an equals sign in its name silently matches nothing: LLVM's
// parser ends the name there.
// RUN: rm -rf %t && split-file %s %t
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-entry=2 -fplugin-arg-tp-filter=%t/never.txt -S %t/a=b.cpp -o - | FileCheck %s
// CHECK-LABEL: _ZN1SaSERKS_:
// CHECK: xchgw
// CHECK-LABEL: _ZNK1SeqERKS_:
// CHECK-NOT: xchgw
// CHECK-LABEL: _ZNK1SleERKS_:
// CHECK-NOT: xchgw
// CHECK-LABEL: _ZN1SpLEi:
// CHECK-NOT: xchgw
// CHECK-LABEL: _ZNK1SssERKS_:
// CHECK-NOT: xchgw
// CHECK-LABEL: _ZN1SmIEi:
// CHECK: xchgw
// RUN: %clangxx -std=c++20 -O1 -fplugin-arg-tp-filter=%t/path.txt -S %t/a=b.cpp -o - | FileCheck %s --check-prefix=PATH
// PATH-LABEL: _ZN1SaSERKS_:
// PATH: xchgw
//--- never.txt
[never]
fun:S::operator==(*
fun:S::operator<=
fun:S::operator+=*
fun:S::operator<=>(S const&) const
//--- path.txt
[always]
src:*/a=b.cpp
//--- a=b.cpp
struct S {
  int V;
  S &operator=(const S &O);
  bool operator==(const S &O) const;
  bool operator<=(const S &O) const;
  S &operator+=(int X);
  int operator<=>(const S &O) const;
  S &operator-=(int X);
};
S &S::operator=(const S &O) { V = O.V; return *this; }
bool S::operator==(const S &O) const { return V == O.V; }
bool S::operator<=(const S &O) const { return V <= O.V; }
S &S::operator+=(int X) { V += X; return *this; }
int S::operator<=>(const S &O) const { return V - O.V; }
S &S::operator-=(int X) { V -= X; return *this; }
