// If this fails, a statement does not compile, or does not trace exactly once per execution, at
// one of the places that only C++ has.
//
// RUN: %points_matrix %s %S/Inputs/other-file.c -o %t --std c++17,c++20 --flags="-O0;-O1;-O2" --common="-Wall -Wextra -Werror"
//
// OUT: point [constructor %d] i:1
// OUT: point [member %d] i:1
// OUT: point [const member %d] i:1
// OUT: point [noexcept %d] i:1
// OUT: point [destructor %d] i:1
// OUT: in_namespace [namespace]
// OUT: ::outer::in_namespace [used %s] v:text
// OUT: point [lambda %d %d] i:2 i:1
// OUT: point [generic %d] i:3
// OUT: point [generic %g] d:4.5
// OUT: point [template %zu %s] m:4 z:int
// OUT: point [template %zu %s] m:1 z:char
// OUT: point [pack %d] i:2
// OUT: point [try]
// OUT: point [catch %s] z:thrown
// OUT: point [thrown in argument]
// OUT: point [caught]
// OUT: point [local %d] i:5
// OUT: point [range %d] i:1
// OUT: point [range %d] i:2
// OUT: point [structured %d %d] i:1 i:2
// OUT: point [static local]
// OUT: point [static inline %d] i:1
// OUT: point [inline %d] i:2
// OUT: other_point [other file %d] i:3
// OUT: point [inline %d] i:3
// OUT: point [first of several %d] i:8
// OUT: point [initialiser]
#include "open-points.h"
#include "shared.h"
#include <stdexcept>
#include <string>
#include <tprt/trace.h>

static bool opened = (open_points(), true);

namespace outer {
TPRT_POINT(in_namespace);
void namespaces() {
  TPRT_TRACE(in_namespace, "namespace");
  TPRT_TRACE(::outer::in_namespace, "used %s", std::string("text"));
}
} // namespace outer

struct Class {
  explicit Class(int n) : number(n) { TPRT_TRACE(point, "constructor %d", number); }
  ~Class() { TPRT_TRACE(point, "destructor %d", number); }
  void member() { TPRT_TRACE(point, "member %d", number); }
  int constant() const { return TPRT_TRACE(point, "const member %d", this->number), number; }
  void never() noexcept { TPRT_TRACE(point, "noexcept %d", number); }
  int number;
};
template <class T>
struct Name;
template <>
struct Name<int> {
  static constexpr const char *text = "int";
};
template <>
struct Name<char> {
  static constexpr const char *text = "char";
};
template <class T>
void traced_template(T) { TPRT_TRACE(point, "template %zu %s", sizeof(T), Name<T>::text); }
template <class... T>
void pack(T... values) { TPRT_TRACE(point, "pack %d", static_cast<int>(sizeof...(values))); }

static int thrown() { throw std::runtime_error("thrown"); }
static void exceptions() {
  try {
    TPRT_TRACE(point, "try");
    throw std::runtime_error("thrown");
  } catch (const std::exception &error) {
    TPRT_TRACE(point, "catch %s", error.what());
  }
  try {
    TPRT_TRACE(point, "thrown in argument");
    TPRT_TRACE(point, "not this %d", thrown());
  } catch (const std::exception &) {
    TPRT_TRACE(point, "caught");
  }
}
static int locals(int n) {
  std::string text(static_cast<size_t>(n), 'x');
  if (n > 100)
    goto end;
  {
    std::string other = text + "y";
    TPRT_TRACE(point, "local %d", static_cast<int>(other.size()));
  }
end:
  return n;
}
struct Pair {
  int a, b;
};
static int initialised() {
  TPRT_TRACE(point, "static local");
  return 1;
}

int main() {
  {
    Class object(1);
    object.member();
    object.constant();
    object.never();
  }
  outer::namespaces();
  int captured = 1;
  auto lambda = [captured](int n) { TPRT_TRACE(point, "lambda %d %d", n, captured); };
  lambda(2);
  auto integer = [](auto value) { TPRT_TRACE(point, "generic %d", value); };
  integer(3);
  auto real = [](auto value) { TPRT_TRACE(point, "generic %g", value); };
  real(4.5);
  traced_template(1);
  traced_template('c');
  pack(1, 'c');
  exceptions();
  locals(4);
  for (int i : {1, 2})
    TPRT_TRACE(point, "range %d", i);
  auto [a, b] = Pair{1, 2};
  TPRT_TRACE(point, "structured %d %d", a, b);
  static int once = initialised();
  static_inline(once);
  c99_inline(2);
  other_file(3);
  auto both = [&](auto... numbers) { (..., [&](int n) { TPRT_TRACE(point, "first of several %d", n); }(numbers)); };
  both(8);
  static const bool late = [] { TPRT_TRACE(point, "initialiser"); return true; }();
  return !(late && opened);
}
