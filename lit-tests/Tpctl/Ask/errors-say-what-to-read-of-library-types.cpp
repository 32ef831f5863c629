// What errors suggest for std::optional and std::vector can be written. If this fails, a user is told that a class has no
// members, or does not find the value.
//
// REQUIRES: tpctl
// RUN: g++ -g -O1 -std=c++20 %s -o %t
// RUN: not %tpctl trace take --print 'item->name' -- %t 2>&1 | FileCheck %s --check-prefix=OPTIONAL
// OPTIONAL: error: --print: item->name is a std::optional<{{.*}}; if item->name._M_payload._M_engaged, its value is item->name._M_payload._M_payload._M_value
// RUN: not %tpctl trace take --print 'item->list' -- %t 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: error: --print: item->list is a std::vector<int{{.*}}; len(item->list) is the number of its elements, and item->list._M_impl._M_start[0] is the first
// RUN: not %tpctl trace take --print 'item->list.first' -- %t 2>&1 | FileCheck %s --check-prefix=MEMBER
// MEMBER: error: --print: 'first' is no member of std::vector<int{{.*}}, whose members are _M_impl
// RUN: not %tpctl trace take --print 'item->list._M_imp' -- %t 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error: --print: '_M_imp' is no member of {{.*}}; did you mean '_M_impl'?
// RUN: %tpctl trace take --traps --if 'item->name._M_payload._M_engaged' --print 'item->name._M_payload._M_payload._M_value, item->list._M_impl._M_start[0], len(item->list)' -- %t 2>&1 | FileCheck %s --check-prefix=VALUES
// VALUES: take(Item*, int){{ +}}item->name._M_payload._M_payload._M_value="abc", item->list._M_impl._M_start[0]=7, len(item->list)=3
// VALUES: 2 calls
#include <optional>
#include <string>
#include <vector>
struct Item {
  std::optional<std::string> name;
  std::vector<int> list;
};
__attribute__((noinline)) int take(Item *item, int i) {
  __asm__ volatile("" ::: "memory");
  return (int)item->list.size() + i;
}
int main() {
  Item item;
  item.list = {7, 8, 9};
  int sum = 0;
  for (int i = 0; i < 4; ++i) {
    if (i % 2)
      item.name = "abc";
    else
      item.name.reset();
    sum += take(&item, i);
  }
  return sum == 0;
}
