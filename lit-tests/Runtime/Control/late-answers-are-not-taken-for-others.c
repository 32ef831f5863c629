// A busy process may be late with the answer to GO, the request to continue to main(). tpctl does not wait for
// that answer, and must not mistake it for the answer to its next request.
//
// REQUIRES: tpctl
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit -rdynamic %s -o %t
// RUN: rm -rf %t.d && mkdir -p %t.d/bin && cp %{bindir}/tpctl %t.d/bin && cp -rL %{libdir}/interposed %t.d/lib
// RUN: %t.d/bin/tpctl count f -- %t 2>&1 | FileCheck %s
// RUN: %t.d/bin/tpctl hist f -- %t 2>&1 | FileCheck %s --check-prefix=HIST
//
// CHECK: {{^ *}}3 {{.*}} f
// HIST: 3 calls
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// libtprt answers by the C library's send(), which this function replaces. The message's length and
// version are followed by its type; 11 is TPRT_CONTROL_GO.
ssize_t send(int socket, const void *message, size_t bytes, int flags) {
  uint16_t type = 0;
  if (bytes >= 8)
    memcpy(&type, (const char *)message + 6, sizeof type);
  if (type == 11)
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
  return syscall(SYS_sendto, socket, message, bytes, flags, NULL, 0);
}

__attribute__((noinline)) int f(int i) {
  volatile int r = i + 1;
  return r;
}

int main(void) {
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += f(i);
  nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
  return sum != 6;
}
