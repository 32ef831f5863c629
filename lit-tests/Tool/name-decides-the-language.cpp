// If this fails, tp-clang++ or the clang++ of the shim folder links without the C++ library.
// RUN: %tp_clangxx -Werror -ftp-entry=2,0 %s -o %t && %t | FileCheck %s
// RUN: %shim/clang++ -Werror -ftp-entry=2,0 %s -o %t.shim && %t.shim | FileCheck %s
// CHECK: C++
#include <iostream>
int main() { std::cout << "C++\n"; }
