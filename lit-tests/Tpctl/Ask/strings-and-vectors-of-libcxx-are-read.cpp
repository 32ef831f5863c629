// std::string, std::string_view and std::vector of LLVM's C++ library are read as what they are: a short string is in the
// object itself. If this fails, strings of programs that clang's own library was used for are cut or garbage.
//
// REQUIRES: tpctl, x86_64-host, libcxx
// RUN: %plain_clangxx -O0 -g -std=c++17 %s %libcxx_flags -o %t.0
// RUN: %plain_clangxx -O2 -g -std=c++17 %s %libcxx_flags -o %t.2
// RUN: %tpctl count visit --code --by name --format csv -o - -- %t.0 | FileCheck %s --check-prefix=NAMES
// RUN: %tpctl count visit --code --by 'len(name), len(r->User)' --format csv -o - -- %t.0 | FileCheck %s --check-prefix=LENGTHS
// RUN: %tpctl count visit --code --if 'r->User =~ "a name*"' --by 'str(r->User, 6), len(r->Items)' --format csv -o - -- %t.0 | FileCheck %s --check-prefix=MEMBERS
// RUN: %tpctl count visit --code --by 'view, len(r->Items)' --format csv -o - -- %t.0 | FileCheck %s --check-prefix=VIEWS
// RUN: %tpctl count visit --code --by name --format csv -o - -- %t.2 | FileCheck %s --check-prefix=NAMES
// RUN: %tpctl count visit --code --by 'len(name), len(r->User)' --format csv -o - -- %t.2 | FileCheck %s --check-prefix=LENGTHS
// RUN: %tpctl count visit --code --if 'r->User =~ "a name*"' --by 'str(r->User, 6), len(r->Items)' --format csv -o - -- %t.2 | FileCheck %s --check-prefix=MEMBERS
// RUN: %tpctl count visit --code --by 'view, len(r->Items)' --format csv -o - -- %t.2 | FileCheck %s --check-prefix=VIEWS
//
// NAMES: {{^[0-9.]+}},,10{{$}}
// NAMES-NEXT: ,a string of 22 bytes..,10{{$}}
// NAMES-NEXT: ,a string of 23 bytes...,10{{$}}
// LENGTHS: ,0,3,10{{$}}
// LENGTHS-NEXT: ,22,45,10{{$}}
// LENGTHS-NEXT: ,23,45,10{{$}}
// MEMBERS: ,a name...,3,20{{$}}
// VIEWS: ,view,3,20{{$}}
// VIEWS-NEXT: ,view,0,10{{$}}
#include <string>
#include <string_view>
#include <vector>

struct Request {
  int Id;
  std::string User;
  std::vector<long> Items;
};

extern "C" __attribute__((noinline, used)) long visit(const std::string &name, Request *r, std::string_view view) {
  asm volatile("" ::"r"(&name), "r"(r), "r"(view.data()), "r"(view.size()) : "memory");
  return r->Id;
}

int main() {
  const std::string Texts[] = {"", "a string of 22 bytes..", "a string of 23 bytes..."};
  Request Short{1, "bob", {}}, Long{2, "a name that is too long for the object itself", {1, 2, 3}};
  long Sum = 0;
  for (int I = 0; I < 30; ++I)
    Sum += visit(Texts[I % 3], I % 3 ? &Long : &Short, std::string_view("views").substr(0, 4));
  return Sum != 50;
}
