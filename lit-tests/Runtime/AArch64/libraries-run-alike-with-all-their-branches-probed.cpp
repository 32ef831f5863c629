// Every nop, b and bl of the C and C++ libraries is on at once while threads format, sort, throw and allocate: counting,
// and with a handler. Results stay the same, then and after all probes are off again. Functions with data inside are
// left alone, and so is code between exclusive accesses.
//
// RUN: aarch64-linux-gnu-g++ -O1 -pthread %s %tprt_flags -o %t
// RUN: %t 'libc.so*!*+*' 'libstdc++*!*+*' 'libc.so*!*' | FileCheck %s
//
// CHECK: libc.so*!*+*: counted many, 0 results wrong
// CHECK-NEXT: libc.so*!*+*: handled many, 0 results wrong
// CHECK-NEXT: libstdc++*!*+*: counted many, 0 results wrong
// CHECK-NEXT: libstdc++*!*+*: handled many, 0 results wrong
// CHECK-NEXT: libc.so*!*: counted many, 0 results wrong
// CHECK-NEXT: libc.so*!*: handled many, 0 results wrong
// CHECK-NEXT: off: 0 results wrong
#include "../Inputs/harness.h"
#include <algorithm>
#include <pthread.h>
#include <regex.h>
#include <string.h>
#include <string>
#include <time.h>
#include <vector>

static unsigned long work() {
  unsigned long sum = 5381;
  char text[300];
  auto add = [&](const char *from) {
    while (*from)
      sum = sum * 33 + (unsigned char)*from++;
  };
  for (int i = 0; i < 20; ++i) {
    double number = 0;
    int whole = 0;
    snprintf(text, sizeof text, "%d %x %.17g %s %5.3e", i, i * 77, i / 7.0, "text", 1e10 / (i + 1));
    add(text);
    sscanf(text, "%d %*x %lg", &whole, &number);
    sum += (unsigned long)whole + (unsigned long)(number * 1000);
  }
  regex_t pattern;
  regmatch_t matches[3];
  regcomp(&pattern, "([a-z]+)[0-9]*x?", REG_EXTENDED);
  sum += (unsigned long)(regexec(&pattern, "12abc99x", 3, matches, 0) + matches[1].rm_eo);
  regfree(&pattern);
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i)
    names.push_back(std::to_string((i * 7919) % 1000));
  std::sort(names.begin(), names.end());
  for (auto &name : names)
    add(name.c_str());
  for (int i = 0; i < 5; ++i)
    try {
      throw std::string("thrown ") + std::to_string(i);
    } catch (std::string &thrown) {
      add(thrown.c_str());
    }
  time_t moment = 1000000;
  struct tm parts;
  gmtime_r(&moment, &parts);
  strftime(text, sizeof text, "%c", &parts);
  add(text);
  return sum;
}

static unsigned long wanted;
static void *workOften(void *wrong) {
  for (int i = 0; i < 10; ++i)
    __atomic_fetch_add((long *)wrong, work() != wanted, __ATOMIC_RELAXED);
  return nullptr;
}

static unsigned long hits;
static void onHit(const tprt_event *, const tprt_regs *, void *) { __atomic_fetch_add(&hits, 1, __ATOMIC_RELAXED); }

static void probeAll(const char *pattern, bool handles) {
  tprt_selector selector = {};
  selector.function = pattern;
  selector.flags = TPRT_SELECT_CODE;
  selector.kinds = strchr(pattern, '+') ? TPRT_KIND_SET_INSTRUCTION : TPRT_KIND_SET_ALL;
  tprt_action action = {};
  action.kind = handles ? TPRT_ACTION_CALL : TPRT_ACTION_COUNT;
  action.handler = handles ? onHit : nullptr;
  tprt_probe *probe = nullptr;
  tprt_result result;
  if (tprt_probe_attach(&selector, &action, &probe, &result) != TPRT_STATUS_PARTIAL)
    puts(tprt_error_string());
  long wrong = 0;
  pthread_t threads[3];
  for (auto &thread : threads)
    pthread_create(&thread, nullptr, workOften, &wrong);
  for (auto &thread : threads)
    pthread_join(thread, nullptr);
  unsigned long many = handles ? hits : tprt_probe_count(probe);
  tprt_probe_detach(probe, -1);
  hits = 0;
  printf("%s: %s %s, %ld results wrong\n", pattern, handles ? "handled" : "counted",
         result.enabled > 500 && many > 100 ? "many" : "few", wrong);
}

int main(int count, char **patterns) {
  wanted = work();
  for (int i = 1; i < count; ++i) {
    probeAll(patterns[i], false);
    probeAll(patterns[i], true);
  }
  printf("off: %d results wrong\n", work() != wanted);
  return 0;
}
