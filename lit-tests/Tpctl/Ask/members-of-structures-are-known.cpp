// Arguments, members, enumerators, strings and doubles by the debug information of the program: of both compilers, with
// and without optimization, with sleds and in uninstrumented code.
//
// REQUIRES: tpctl, x86_64-host
// RUN: %clangxx -O0 -g -std=c++17 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t.sleds
// RUN: %plain_clangxx -O0 -g -std=c++17 %s -o %t.clang0
// RUN: %plain_clangxx -O2 -g -std=c++17 %s -o %t.clang2
// RUN: g++ -O0 -g -std=c++17 %s -o %t.gcc0
// RUN: g++ -O2 -g -std=c++17 %s -o %t.gcc2
// RUN: sh %S/Inputs/typed.sh %tpctl %t.sleds %t.clang0 %t.clang2 %t.gcc0 %t.gcc2
//
// Split DWARF, DWARF 4, and compressed debug information.
// RUN: rm -rf %t.dir && mkdir %t.dir && cd %t.dir
// RUN: g++ -O2 -g -gsplit-dwarf -std=c++17 %s -o split
// RUN: g++ -O1 -gdwarf-4 -fdebug-types-section -gz -std=c++17 %s -o dwarf4
// RUN: sh %S/Inputs/typed.sh %tpctl ./split ./dwarf4
#include <string>
#include <string_view>
#include <vector>

enum Mode { READ = 1, WRITE = 2, BOTH = READ | WRITE };

namespace app {
enum class Color : unsigned char { Red, Green = 200 };
struct Point {
  double X, Y;
};
struct Small {
  int A;
  short B;
};
struct Base {
  long Inherited;
};
struct Request : Base {
  int Id;
  unsigned Kind : 3;
  int Step : 9;
  Mode Way;
  std::string User;
  char Name[16];
  Point Where;
  Request *Next;
  float Ratio;
  std::vector<int> Items;
  const char *Path;
};
int Counter = -3;
} // namespace app

using namespace app;

#define KEPT extern "C" __attribute__((noinline, used))

KEPT int by_reference(const Request &R, Mode Way, double Score) {
  asm volatile("" ::: "memory");
  return R.Id + Way + static_cast<int>(Score);
}
KEPT long by_value(Small S, Point P, std::string_view View, Color C) {
  asm volatile("" ::: "memory");
  return S.A + S.B + static_cast<long>(P.X + P.Y) + static_cast<long>(View.size()) + static_cast<int>(C) +
         (View.empty() ? 0 : View[0]);
}
KEPT void by_address(std::string Text, Request *R) {
  asm volatile("" ::"r"(R), "r"(Text.data()) : "memory");
}
KEPT int by_stack(int A, int B, int C, int D, int E, int F, int G, short H, double X) {
  asm volatile("" ::: "memory");
  return A + B + C + D + E + F + G + H + static_cast<int>(X);
}
KEPT float of_floats(float A, float B) {
  float Sum = A + B;
  asm volatile("" ::: "memory");
  for (volatile int I = 0; I < 3; I = I + 1)
    ;
  return Sum;
}

int main() {
  Request R{}, Other{};
  R.Inherited = 77;
  R.User = "alice";
  Other.User = "a name that is too long for the object itself";
  for (char &C : R.Name)
    C = 'n'; // without a NUL
  R.Where = {1.5, -2.5};
  R.Ratio = 0.25F;
  R.Items = {1, 2, 3};
  R.Path = "/etc/passwd";
  R.Next = &Other;
  Other.Next = &R;
  Other.Id = 1000;
  for (int I = 0; I < 20; ++I) {
    R.Id = I;
    R.Kind = static_cast<unsigned>(I % 8);
    R.Step = -I;
    R.Way = I % 2 ? READ : BOTH;
    by_reference(R, R.Way, I * 0.5);
    by_value({I, static_cast<short>(-I)}, {I * 1.0, -1.5}, std::string_view("hello world").substr(0, 5),
             I % 2 ? Color::Green : Color::Red);
    by_address(R.User, &Other);
    by_stack(1, 2, 3, 4, 5, 6, I, static_cast<short>(-I), 0.5);
    of_floats(static_cast<float>(I), 0.5F);
    ++Counter;
  }
}
