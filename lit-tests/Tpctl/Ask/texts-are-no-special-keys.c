// Rows of calls whose key is unknown, was cut or found no room are apart from those whose text looks the same. If this
// fails, the calls of two different rows are added up.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s -o %t
//
// RUN: %tpctl count work --by 'str(arg0, 3)' -o - --format json -- %t | %python -m json.tool --compact | tr '{' '\n' | FileCheck %s --check-prefix=JSON
// JSON-DAG: "str(arg0, 3)":"?"},"hits":1}
// JSON-DAG: "str(arg0, 3)":null},"hits":2}
//
// RUN: %tpctl count work --by 'str(arg0, 10)' -o - --format csv -- %t | FileCheck %s --check-prefix=CSV
// CSV: seconds,"str(arg0, 10)",hits
// A string is escaped, and so is one that looks like an unknown key.
// CSV-DAG: ,\?,1
// CSV-DAG: ,?,2
// CSV-DAG: ,(others),3
//
// RUN: %tpctl count work --by 'str(arg0, 8)' -o - --format json -- %t | %python -m json.tool --compact | tr '{' '\n' | FileCheck %s --check-prefix=CUT
// CUT-DAG: "str(arg0, 8)":"(others)"},"hits":3}
// CUT-DAG: "str(arg0, 8)":"abcdefgh..."},"hits":4}
//
// RUN: %tpctl count work --by 'str(arg0, 3)' -o - --format csv -- %t | FileCheck %s --check-prefix=APART
// APART-DAG: ,abc...,4
// APART-DAG: ,a..,5
//
// A histogram's percentiles lie between the least and the greatest value.
// RUN: %tpctl hist work --of 'arg0 ? 255 : 255' -o - -- %t | FileCheck %s --check-prefix=SAME
// SAME: min 255, p50 255, p99 255, max 255

__attribute__((noinline)) static void work(const char *text) {
  __asm__ volatile("" ::"r"(text) : "memory");
}

static void times(int calls, const char *text) {
  while (calls--)
    work(text);
}

int main(void) {
  times(1, "?");
  times(2, (const char *)8);
  times(3, "(others)");
  times(4, "abcdefghi");
  times(5, "a..");
  return 0;
}
