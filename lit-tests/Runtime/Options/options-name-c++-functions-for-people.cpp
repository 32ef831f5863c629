// Names are shown as in source code: std::string, without allocators and inline namespaces,
// and cut to a maximum width. Options show the whole name or the symbol instead.
//
// RUN: %clangxx -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*long_name*" %t 2>&1 | FileCheck %s
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*long_name* names=full" %t 2>&1 | FileCheck %s --check-prefix=FULL
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*long_name* names=linked" %t 2>&1 | FileCheck %s --check-prefix=LINKED
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*long_name* width=40" %t 2>&1 | FileCheck %s --check-prefix=WIDTH
// RUN: env LD_PRELOAD=%{libdir}/libtprt.so TPRT_OPTIONS="count=*long_name* width=12" %t 2>&1 | FileCheck %s --check-prefix=CUT
//
// CHECK: 1 long_name(std::map<std::string, std::vector<std::string>{{.*}}>{{.*}})  (
// FULL: 1 long_name(std::map<std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>
// LINKED: 1 _Z9long_nameRKSt3map
// WIDTH: 1 long_name(std::map<…> const&)  (
// CUT: 1 long_name(…)  (
#include <map>
#include <string>
#include <vector>
__attribute__((noinline)) size_t long_name(const std::map<std::string, std::vector<std::string>> &m) {
  asm volatile("");
  return m.size();
}
int main() { return int(long_name({})); }
