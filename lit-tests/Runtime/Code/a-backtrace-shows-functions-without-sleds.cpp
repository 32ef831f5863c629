// A handler at a function without a sled sees its callers as if the function had called the handler, and
// exceptions pass through such functions, although a hit executes a copy of the instruction.
//
// RUN: g++ -O1 %s %tprt_flags -rdynamic -o %t
// RUN: %t | FileCheck %s
//
// CHECK: entry: inner outer main
// CHECK: exit: inner outer main
// CHECK: caught 42 of 100 calls, 100 entries
#include "../Inputs/harness.h"
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>

extern "C" __attribute__((noinline)) int inner(int value) {
  __asm__ volatile("" ::: "rbx");
  if (value > 57)
    throw value;
  return value + 1;
}
extern "C" __attribute__((noinline)) int outer(int value) {
  int result = inner(value);
  __asm__ volatile("");
  return result;
}

static int told, entries;

static void on(const tprt_event *event, const tprt_regs *, void *) {
  if (event->kind == TPRT_KIND_ENTRY)
    ++entries;
  if (told & 1 << event->kind)
    return;
  told |= 1 << event->kind;
  void *frames[32];
  int count = backtrace(frames, 32);
  printf("%s:", event->kind == TPRT_KIND_ENTRY ? "entry" : "exit");
  for (int i = 0; i < count; ++i) {
    Dl_info info;
    if (dladdr(static_cast<char *>(frames[i]) - 1, &info) && info.dli_sname &&
        (!strcmp(info.dli_sname, "inner") || !strcmp(info.dli_sname, "outer") || !strcmp(info.dli_sname, "main")))
      printf(" %s", info.dli_sname);
  }
  puts("");
}

int main() {
  tprt_selector selector = {};
  selector.function = "inner";
  selector.kinds = TPRT_KIND_SET_ALL;
  selector.flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS;
  selector.module = "*/a-backtrace-shows*";
  tprt_action action = {};
  action.handler = on;
  attachSelected(selector, action);
  int caught = 0;
  for (int i = 0; i < 100; ++i)
    try {
      outer(i);
    } catch (int) {
      ++caught;
    }
  printf("caught %d of 100 calls, %d entries\n", caught, entries);
  return 0;
}
