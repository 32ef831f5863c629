// A child of vfork shares its parent's memory, and closes the descriptors that it inherited, as
// programs do before exec. Then the child attaches. If this fails, libtprt in the parent loses
// track of its open descriptor, and the parent has one more descriptor after each child.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 %s %tprt_flags -o %t
// RUN: %t | FileCheck %s
//
// CHECK: 20 children attached; the parent has as many descriptors as before
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dirent.h>
#include <sys/wait.h>

__attribute__((noinline)) void f(void) { __asm__ volatile(""); }

__attribute__((tp_never)) static int toggle(void) {
  tprt_probe *probe = attachHandler("f", ignoreHit, NULL);
  return tprt_probe_detach(probe, -1) == TPRT_STATUS_OK;
}

__attribute__((tp_never)) static int countDescriptors(void) {
  int count = 0;
  DIR *folder = opendir("/proc/self/fd");
  while (readdir(folder))
    ++count;
  closedir(folder);
  return count;
}

__attribute__((tp_never)) int main(void) {
  toggle();
  int before = countDescriptors(), attached = 0;
  for (int i = 0; i < 20; ++i) {
    int status;
    pid_t child = vfork();
    if (!child) {
      close_range(3, ~0u, 0);
      _exit(toggle() ? 42 : 1);
    }
    waitpid(child, &status, 0);
    attached += WIFEXITED(status) && WEXITSTATUS(status) == 42;
    toggle();
  }
  int now = countDescriptors();
  printf("%d children attached; the parent has %s before\n", attached, now == before ? "as many descriptors as" : "other descriptors than");
}
