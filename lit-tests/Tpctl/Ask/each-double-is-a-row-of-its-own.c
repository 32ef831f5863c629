// Keys that are doubles: a NaN shares no row with numbers, and numbers that differ little, are small or large are shown as
// they are. If this fails, rows are merged, or two rows have the same key.
//
// REQUIRES: tpctl, x86_64-host
// RUN: gcc -g -O0 %s -lm -o %t
// RUN: %tpctl count --code --traps take --by x --of 'n + 0.0001' --format csv -o - -- %t | FileCheck %s
// RUN: %tpctl count --code --traps take --by y --of x --format csv -o - -- %t | FileCheck %s --check-prefix=FLOAT
// RUN: %tpctl count --code --traps take --if 'n == 3' --by x --of 'x / 8' -o - -- %t | FileCheck %s --check-prefix=TEXT
// CHECK-DAG: ,nan,2,7.000
// CHECK-DAG: ,inf,1,5.0001,5.0001,5.0001,0
// CHECK-DAG: ,1e+308,1,6.0001
// CHECK-DAG: ,5e-324,1,7.0001
// CHECK-DAG: ,0,1,8.0001
// CHECK-DAG: ,-0,1,9.0001
// CHECK-DAG: ,1e-04,1,10.0001
// CHECK-DAG: ,1.00001,1,11.0001
// CHECK-DAG: ,1.00002,1,12.0001
// FLOAT: ,0.1,10,
// TEXT: 1 {{.*}} - {{.*}}nan
#include <math.h>

__attribute__((noinline)) double take(double x, float y, int n) { return x * y + n; }

int main(void) {
  double all[] = {NAN, -NAN, INFINITY, 1e308, 5e-324, 0, -0.0, 0.0001, 1.00001, 1.00002};
  volatile double sum = 0;
  for (int i = 0; i < 10; i++)
    sum += take(all[i], 0.1f, i + 3);
  return 0;
}
