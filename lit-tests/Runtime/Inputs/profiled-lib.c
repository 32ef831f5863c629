// Functions that are compiled with calls of profilers; see profiled-main.c.
__attribute__((noinline)) void store(int *to, int value) { *to = value; }
__attribute__((noinline)) int add(int a, int b) { return a + b; }
double scale(double by, int n, int m) {
  int room[64];
  for (int i = 0; i < 64; ++i)
    store(&room[i], i);
  return by * add(room[n & 63], m);
}
