// Calls, returns and tail calls of every kind; prints what it computed.
#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>

#define NOINLINE __attribute__((noinline))

int Total = 3;
struct Large {
  long Words[12];
};
typedef int Vector __attribute__((vector_size(16)));

NOINLINE long leaf(long X) { return X + 1; }
NOINLINE static long inner(long X) {
  Total += X;
  return X + Total;
}
NOINLINE long tail(long X) {
  Total++;
  return inner(X);
}
NOINLINE long indirect(long (*F)(long), long X) { return F(X + 1); }
NOINLINE void early(int *P, int X) {
  if (X > 3)
    return;
  *P = 2;
}
NOINLINE void loop(int *P, int *End) {
  while (P != End) {
    if (*P == 7)
      return;
    P++;
  }
  *End = 2;
}
NOINLINE double floating(double A, int B, float C, long double D) {
  return A * B + C + (double)D;
}
NOINLINE long copied(Large L, int X) { return L.Words[11] + X; }
NOINLINE Large result(int X) {
  Large L{};
  L.Words[3] = X;
  return L;
}
NOINLINE long variadic(int Count, ...) {
  va_list Rest;
  va_start(Rest, Count);
  long Sum = 0;
  while (Count--)
    Sum += va_arg(Rest, long);
  va_end(Rest);
  return Sum;
}
NOINLINE long nine(long A, long B, long C, long D, long E, long F, long G,
                   long H, long I) {
  return A + 2 * B + 3 * C + 4 * D + 5 * E + 6 * F + 7 * G + 8 * H + 9 * I;
}
NOINLINE int thrower(int X) {
  if (X > 2)
    throw std::runtime_error("x" + std::to_string(X));
  return X;
}
NOINLINE int catcher(int X) {
  std::string Text = "k";
  try {
    return thrower(X) + (int)Text.size();
  } catch (std::exception &E) {
    return E.what()[1] - '0' + 100;
  }
}
NOINLINE Vector vectors(Vector A, Vector B) { return A + B; }
NOINLINE __int128 quad(__int128 A, int B) { return A * B; }
NOINLINE long fibonacci(long N) {
  return N < 2 ? N : fibonacci(N - 1) + fibonacci(N - 2);
}

int main() {
  int Array[4] = {1, 2, 7, 0};
  loop(Array, Array + 3);
  early(Array, 1);
  early(Array, 9);
  Vector V = vectors((Vector){1, 2, 3, 4}, (Vector){1, 1, 1, 1});
  std::printf("%ld %ld %ld %g %ld %ld\n", leaf(1), tail(2), indirect(leaf, 5),
              floating(1.5, 2, 0.25f, 3.0L),
              copied(Large{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}, 1),
              result(5).Words[3]);
  std::printf("%ld %ld %d %d %d %ld %ld %d %d\n", variadic(3, 1L, 2L, 3L),
              nine(1, 2, 3, 4, 5, 6, 7, 8, 9), catcher(1), catcher(5), V[2],
              (long)quad(7, 6), fibonacci(15), Array[0], Array[3]);
}
