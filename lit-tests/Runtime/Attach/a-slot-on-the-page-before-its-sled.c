// A sled at the start of a page has its slot on the page before. Every batch but the
// first makes only some pages of the code writable. They must include the slot's page.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 257 sites, some with a slot on the page before
// CHECK-NEXT: on one after the other: 257
#include "tprt/tprt.h"
#include <stdio.h>

// The functions are 64 bytes apart, so some begin at the start of a page.
#define F(n) \
  __attribute__((aligned(16))) void f##n(void) { __asm__ volatile(".skip 36, 0x90"); }
#define F4(n) F(n##0) F(n##1) F(n##2) F(n##3)
#define F16(n) F4(n##0) F4(n##1) F4(n##2) F4(n##3)
#define F64(n) F16(n##0) F16(n##1) F16(n##2) F16(n##3)
F64(0) F64(1) F64(2) F64(3)
void first(void) { __asm__ volatile(""); }

static const tprt_site *sites[300];
static int count, before;

static int collect(const tprt_site *site, void *data) {
  tprt_site_info info;
  (void)data;
  tprt_site_describe(site, &info);
  before += ((unsigned long)info.function & 4095) < 5;
  sites[count++] = site;
  return 0;
}

static void handler(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)regs, (void)data;
}

static int attach(tprt_selector selector) {
  tprt_action action = {.handler = handler};
  tprt_probe *probe;
  return tprt_probe_attach(&selector, &action, &probe, NULL) == TPRT_STATUS_OK;
}

int main() {
  tprt_selector all = {.function = "f*"}, one = {.function = "first"};
  tprt_site_visit(&all, collect, NULL);
  printf("%d sites, %s with a slot on the page before\n", count, before ? "some" : "none");
  int on = attach(one);
  for (int i = 0; i < count; ++i) {
    tprt_selector site = {.sites = &sites[i], .site_count = 1};
    on += attach(site);
  }
  printf("on one after the other: %d\n", on - 1);
}
