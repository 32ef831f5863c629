// If this fails, the filter file in docs/reference/flags.md puts sleds into the standard
// library, or puts no sled into std::sort.
// REQUIRES: tp-select
// RUN: awk '/^  ```ini$/ {on = 1; next} /^  ```$/ {on = 0} on {sub("  ", ""); print}' %S/../../docs/reference/flags.md > %t.filter
// RUN: FileCheck %s --check-prefix=FILE < %t.filter
// FILE: [never]
// FILE: [always]
// RUN: %tp_select %s -ftp-entry=2 -ftp-filter=%t.filter -- -O0 > %t.list
// Template arguments are left out, because functions outside std may have arguments from std.
// RUN: grep ': sled' %t.list | sed ':a; s/<[^<>]*>//; ta' > %t.sleds
// RUN: FileCheck %s < %t.sleds
// RUN: grep -v 'void std::sort(' %t.sleds > %t.others
// RUN: not grep std:: %t.others
// CHECK-DAG: sled 2,0: own(): flag
// CHECK-DAG: sled 2,0: void std::sort({{.*}}: [always]
// RUN: grep 'no sled' %t.list | FileCheck %s --check-prefix=NONE
// NONE-DAG: void std::__sort<{{.*}}: [never]
// NONE-DAG: std::vector<int, std::allocator<int>{{ ?}}>::size() const: [never]
// NONE-DAG: emplace_back<{{.*}}: [never]
#include <algorithm>
#include <vector>
void own() {
  std::vector<int> Numbers = {3, 1, 2};
  std::sort(Numbers.begin(), Numbers.end());
  Numbers.emplace_back(static_cast<int>(Numbers.size()));
}
