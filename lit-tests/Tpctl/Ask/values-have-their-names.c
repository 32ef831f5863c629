// --print, --values and --by show what a number stands for: an enumerator, the symbol at an address, the function. If this
// fails, they show numbers, or names of something else, or a recording that is read elsewhere has lost the names.
//
// REQUIRES: tpctl, sqlite3
// RUN: gcc -O1 -g %s -o %t
// RUN: rm -f %t.tp %t.db
//
// RUN: %tpctl trace --code act --print 'level, color, sym(call), sym(data), sym(call + 1), sym(number), func' -- %t 2>&1 | FileCheck %s
// RUN: %tpctl trace --code act --if 'color == 2' --print 'sym(call)' -- %t 2>&1 | FileCheck %s --check-prefix=LIVE
// LIVE: act  sym(call)={{.*}}puts{{$}}
// RUN: %tpctl record -q --code -o %t.tp act --values 'level, color, sym(call), sym(data), sym(call + 1), sym(number), func' -- %t
// RUN: %tpctl trace %t.tp 2>&1 | FileCheck %s
// The modules of a recording are those with functions that are recorded.
// CHECK:      act  level=Low, color=Red, sym(call)=first, sym(data)=plain, sym(call + 1)=first+0x1, sym(number)=0x7, func=act{{$}}
// CHECK-NEXT: act  level=High, color=7, sym(call)=second, sym(data)=empty, sym(call + 1)=second+0x1, sym(number)=0x8, func=act{{$}}
// CHECK-NEXT: act  level=-7, color=Blue, sym(call)={{((_IO_)?puts|0x[0-9a-f]+)}}, sym(data)=empty+0x4, sym(call + 1)={{((_IO_)?puts\+0x1|0x[0-9a-f]+)}}, sym(number)=0x0, func=act{{$}}
//
// RUN: %tpctl export --format csv %t.tp | FileCheck %s --check-prefix=CSV
// CSV: "{""level"":""Low"",""color"":""Red"",""sym(call)"":""first"",""sym(data)"":""plain"",""sym(call + 1)"":""first+0x1"",""sym(number)"":""0x7"",""func"":""act""}"
// CSV: "{""level"":""High"",""color"":7,
// RUN: %tpctl export --format sqlite %t.tp -o %t.db && sqlite3 %t.db "SELECT name, value, typeof(value) FROM call_values ORDER BY call, name" | FileCheck %s --check-prefix=SQLITE
// SQLITE:      color|Red|text
// SQLITE-NEXT: func|act|text
// SQLITE-NEXT: level|Low|text
// SQLITE-NEXT: sym(call + 1)|first+0x1|text
// SQLITE:      color|7|integer
// SQLITE:      level|-7|integer
// RUN: %tpctl export --format perfetto %t.tp | strings | FileCheck %s --check-prefix=PERFETTO
// PERFETTO: Low
// PERFETTO: first
// RUN: %tpctl export --format chrome %t.tp | %python -m json.tool --compact | FileCheck %s --check-prefix=CHROME
// CHROME: "values":{"level":"Low","color":"Red","sym(call)":"first",
//
// As keys, they look the same.
// RUN: %tpctl count --code act --by 'level, sym(call), sym(data), func' -- %t 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT-DAG: Low {{ *}}first {{ *}}plain {{ *}}act
// COUNT-DAG: High {{ *}}second {{ *}}empty {{ *}}act
// COUNT-DAG: -7 {{.*}}puts {{ *}}empty+0x4 {{ *}}act
//
// RUN: not %tpctl count --code act --if 'sym(call) == 3' -- %t 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE:      error: --if: sym(call) can only be a key or a value alone; compare the address itself
// ALONE-NEXT: sym(call) == 3
// ALONE-NEXT: ^~~~~~~~~
// RUN: not %tpctl count --code act --by 'sym(level)' -- %t 2>&1 | FileCheck %s --check-prefix=SMALL
// SMALL:      error: --by: level is of the type level, and sym() needs an address
// SMALL-NEXT: sym(level)
// SMALL-NEXT: {{^ +\^~~~~$}}
// RUN: not %tpctl trace --code act --print process -- %t 2>&1 | FileCheck %s --check-prefix=PROCESS
// PROCESS: error: --print: leave out 'process': each call is shown with its thread
#include <stdio.h>

enum level { Low = -1, Middle, High };
enum color { Red, Green, Blue };

int plain = 3;
int empty[4];

__attribute__((noinline, used)) int first(const char *text) { return text[0]; }
__attribute__((noinline, used)) int second(const char *text) { return text[1]; }

__attribute__((noinline, used)) int act(enum level level, enum color color, int (*call)(const char *), int *data,
                                        long number) {
  __asm__ volatile("" : "+r"(level), "+r"(color), "+r"(data), "+r"(number) : : "memory");
  return call("text") + number;
}

int main(void) {
  act(Low, Red, first, &plain, 7);
  act(High, 7, second, empty, 8);
  act(-7, Blue, puts, empty + 1, 0);
  return 0;
}
