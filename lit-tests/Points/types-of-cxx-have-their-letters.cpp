// If this fails, an argument in C++ gets a letter that does not fit its type, or its recorded word
// has a wrong value, or a temporary of the argument is destroyed before the word is read.
//
// RUN: %points_matrix %s -o %t --std c++17 --flags="-O0;-O2" --common="-Wall -Wextra -Werror -fsigned-char -Wno-format"
//
// OUT: point [%d %d %d %d %hd] b:1 c:-1 a:-2 h:254 s:-3
// OUT: point [%hu %d %u %ld %lu] t:65533 i:-4 j:4294967292 l:-5 m:18446744073709551611
// OUT: point [%lld %llu %zu] l:-6 m:18446744073709551610 m:16
// OUT: point [%u %u %c] t:8364 j:128512 c:99
// OUT: point [%d %u %d %lu] i:-1 j:1 h:2 m:9
// OUT: point [%d %d %d] i:7 i:8 i:9
// OUT: point [%d %ld] i:-11 l:-12
// OUT: point [%d %d] j:3 i:-1
// OUT: point [%f %g] f:1.5 d:-0.25
// OUT: point [%p %p %p %p] p:10 p:0 p:20 p:30
// OUT: point [%p %p] p:10 p:10
// OUT: point [%s %s %s %s] z:literal z:array z:(null) z:constant
// OUT: point [%s %s] z:unsigned z:signed
// OUT: point [%s %s] v:a string that is too long for the object v:a temporary, also too long for the object
// OUT: point [%s %.*s] v:view i:2 z:view
// OUT: point [%s %s] v:vector v:derived
// OUT: point [%s] z:temporary, too long for the object
// OUT: point [%d %d] i:4 i:5
// OUT: point [12 %s %s %s %s %s %s %s %s %s %s %s %s] v:1 v:2 v:3 v:4 v:5 v:6 v:7 v:8 v:9 v:10 v:11 v:12
#include "open-points.h"
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <tprt/trace.h>
#include <vector>

TPRT_POINT(point);

namespace {
enum Plain { Negative = -1, Other = 1 };
enum class Unsigned : unsigned { One = 1 };
enum class Byte : unsigned char { Two = 2 };
enum class Large : uint64_t { Nine = 9 };
struct Bits {
  unsigned wide : 3;
  int narrow : 5;
};
struct __attribute__((packed)) Packed {
  char shift;
  int number;
  long large;
};
struct Members {
  static const int inClass = 8;
  static constexpr int constant = 9;
};
struct Derived : std::string {
  using std::string::string;
};
struct Address {
  Members *of() const { return reinterpret_cast<Members *>(16); }
};

void integers() {
  bool yes = true;
  char plain = -1;
  const signed char tiny = -2;
  volatile unsigned char byte = 254;
  short small = -3;
  TPRT_TRACE(point, "%d %d %d %d %hd", yes, plain, tiny, byte, small);
  const unsigned short &other = 65533;
  TPRT_TRACE(point, "%hu %d %u %ld %lu", other, -4, -4u, -5l, -5ul);
  TPRT_TRACE(point, "%lld %llu %zu", -6ll, -6ull, sizeof(long[2]));
  TPRT_TRACE(point, "%u %u %c", u'\u20ac', U'\U0001F600', 'c');
  TPRT_TRACE(point, "%d %u %d %lu", Negative, Unsigned::One, Byte::Two, Large::Nine);
  const volatile int seven = 7;
  TPRT_TRACE(point, "%d %d %d", seven, Members::inClass, Members::constant);
  Packed packed = {0, -11, -12};
  TPRT_TRACE(point, "%d %ld", packed.number, packed.large);
  Bits bits = {3, -1};
  TPRT_TRACE(point, "%d %d", bits.wide, bits.narrow);
}
void pointers() {
  float single = 1.5f;
  TPRT_TRACE(point, "%f %g", single, -0.25);
  auto function = reinterpret_cast<void (*)()>(0x20);
  TPRT_TRACE(point, "%p %p %p %p", reinterpret_cast<void *>(16), nullptr, function, reinterpret_cast<volatile const int *>(0x30));
  std::shared_ptr<Members> shared(std::shared_ptr<Members>(), reinterpret_cast<Members *>(16));
  TPRT_TRACE(point, "%p %p", shared.get(), Address().of());
}
std::string made(const char *text) { return text; }
void strings() {
  char array[] = "array";
  char *null = nullptr;
  const char *const constant = "constant";
  TPRT_TRACE(point, "%s %s %s %s", "literal", array, null, constant);
  unsigned char bytes[] = "unsigned";
  auto chars = reinterpret_cast<const signed char *>("signed");
  TPRT_TRACE(point, "%s %s", bytes, chars);
  std::string text = "a string that is too long for the object";
  TPRT_TRACE(point, "%s %s", text, made("a temporary, ") + "also too long for the object");
  std::string_view view = "view";
  TPRT_TRACE(point, "%s %.*s", view, 2, view.data());
  std::vector<char> characters = {'v', 'e', 'c', 't', 'o', 'r'};
  TPRT_TRACE(point, "%s %s", characters, Derived("derived"));
  TPRT_TRACE(point, "%s", made("temporary, too long for the object").c_str());
  auto lambda = [&] { return 5; };
  TPRT_TRACE(point, "%d %d", std::max(3, 4), lambda());
  auto n = [](int number) { return std::to_string(number); };
  TPRT_TRACE(point, "12 %s %s %s %s %s %s %s %s %s %s %s %s", n(1), n(2), n(3), n(4), n(5), n(6), n(7), n(8), n(9), n(10), n(11), n(12));
}
} // namespace

int main() {
  open_points();
  integers();
  pointers();
  strings();
}
