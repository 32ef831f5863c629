// Functions whose hot paths are compared. The file is included twice, with different values of
// NAME: once T is a trace statement, and once T is empty.
int NAME(leaf)(int a, int b) {
  T("%d", a);
  return a + b;
}
long NAME(loop)(const long *a, long n) {
  long sum = 0;
  for (long i = 0; i < n; ++i) {
    T("%ld %ld", i, a[i]);
    sum ^= a[i] + i;
  }
  return sum;
}
double NAME(doubles)(const double *a, long n, double k) {
  double sum = 0, product = 1;
  for (long i = 0; i < n; ++i) {
    T("%f %f", a[i], k);
    sum += a[i] * k;
    product *= a[i];
  }
  return sum + product;
}
int NAME(six)(int a, int b, int c, int d, int e, int f) {
  T("%d %d %d %d %d %d", a, b, c, d, e, f);
  return a * b + c * d + e * f;
}
long NAME(list)(const struct node *node) {
  long sum = 0;
  for (; node; node = node->next) {
    T("%p %ld", (const void *)node, node->value);
    sum += node->value;
  }
  return sum;
}
long NAME(nested_loop)(const int *a, int n, int m) {
  long sum = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      T("%d %d", i, j);
      sum += a[i * m + j] & 3;
    }
  return sum;
}
int NAME(text)(const char *text, int n) {
  T("%s %s", text, "literal");
  return n + *text;
}
int NAME(call_behind)(int a) {
  T("%d", a);
  return outside(a) + 1;
}
unsigned NAME(narrow)(unsigned char a, short b, float c) {
  T("%d %d %g", a, b, c);
  return (unsigned)(a + b);
}
int NAME(call_in_argument)(int a) {
  T("%d", outside(a));
  return a + 1;
}
int NAME(nine)(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
  T("%d %d %d %d %d %d %d %d %d", a, b, c, d, e, f, g, h, i);
  return a + b;
}
