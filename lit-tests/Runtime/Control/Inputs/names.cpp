// Functions with names of all kinds: with ABI tags, with characters of globs, and names
// that demanglers spell in different ways.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>
#define KEEP __attribute__((noinline, used))
struct Grid {
  int cells[8] = {};
  KEEP int &operator[](size_t i) { return cells[i & 7]; }
  KEEP int operator*() const { return cells[0] + 1; }
  KEEP bool operator!() const { return cells[1] == 0; }
  KEEP int operator()(int a) const { return a + cells[2]; }
  KEEP Grid *operator->() { return this; }
  KEEP Grid &operator+=(int a) { return cells[3] += a, *this; }
  KEEP operator int() const { return cells[3]; }
  KEEP bool operator<(const Grid &o) const { return cells[0] < o.cells[0]; }
  KEEP int operator-() const { return -cells[0]; }
  KEEP Grid operator~() const { return *this; }
  KEEP static void *operator new[](size_t n) { return std::malloc(n); }
  KEEP static void operator delete[](void *p) { std::free(p); }
};
KEEP bool operator!=(const Grid &a, const Grid &b) { return a.cells[0] != b.cells[0]; }
KEEP int length(const char *s) { return *s; }
KEEP int length(const char *s, const char *) { return *s + 1; }
KEEP int total_of(const int (&a)[3]) { return a[0] + a[1] + a[2]; }
KEEP int apply(int (*f)(int), int v) { return f(v); }
template <class T> KEEP T pick(T (&a)[4], int i) { return a[i]; }
template <int N> KEEP int shift(int x) { return x << N; }
KEEP unsigned long long operator""_km(unsigned long long v) { return v * 1000; }
static int hidden_ptr(int x) { return x + 3; }
namespace {
KEEP int hidden(int x) { return x ^ 5; }
} // namespace
template <class T> struct Box {
  T v;
};
KEEP int unpack(Box<Box<int>> b) { return b.v.v + 1; }
KEEP int null_of(std::nullptr_t, char8_t c) { return c + 1; }
enum class Mode { slow, fast };
template <Mode m, unsigned long n, bool b> KEEP int tuned(int x) { return x * int(n) + int(m) + b; }
template <class T> KEEP auto choose(T) -> int (*)(int) { return hidden_ptr; }
template <class... T> KEEP int many(T... t) { return (0 + ... + int(t)); }
template <class T> requires(sizeof(T) > 2) KEEP int large(T t) { return int(t); }
template <class T> KEEP auto doubled(T t) -> decltype(t + t) { return t + t; }
struct Outer {
  struct Inner {
    KEEP int go(int x) const && { return x + 2; }
  };
};
namespace depot {
KEEP std::string label_of(int n) { return std::string(size_t(n) + 20, 'x'); }
KEEP size_t sum(const std::vector<std::string> &all, const std::string &one) { return all.size() + one.size(); }
struct Shelf {
  KEEP std::string title() const { return std::string(30, 't'); }
};
} // namespace depot
KEEP std::string slogan() { return std::string(25, 's'); }
int main() {
  Grid *g = new Grid[2];
  int sum = (*g)[3] + **g + !*g + (*g)(4) + (*g)->cells[0] + int(*g += 2) + (*g < g[1]) + -*g + (~*g).cells[0] + (*g != g[1]);
  int three[3] = {1, 2, 3}, four[4] = {1, 2, 3, 4};
  sum += total_of(three) + apply([](int v) __attribute__((noinline)) { return v + 1; }, 3) + pick(four, 2) + shift<2>(3) + int(4_km) + hidden(9) + Outer::Inner().go(2);
  sum += unpack({{3}}) + null_of(nullptr, u8'a') + tuned<Mode::fast, 3ul, true>(2) + choose(1)(4) + many(1, 2l, 'c') + large(4) + int(doubled(2l)) + length("a") + length("a", "b");
  auto twice = [sum](auto v) __attribute__((noinline)) { __asm__ volatile(""); return v * 2 + sum; };
  sum += twice(3);
  struct {
    KEEP int call(int x) { return x + 9; }
  } local;
  sum += local.call(1) + int(depot::label_of(3).size() + depot::Shelf().title().size() + slogan().size());
  sum += int(depot::sum({"a"}, "b"));
  delete[] g;
  return sum == 0;
}
