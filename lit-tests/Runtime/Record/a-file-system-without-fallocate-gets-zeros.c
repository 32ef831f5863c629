// If the file system has no fallocate, the recorder writes zeros before it uses a block, so that
// no store reaches a page without space. Here, a filter makes the system call fail in the same
// way.
//
// REQUIRES: x86_64-host
// RUN: %clang -O2 -fplugin-arg-tp-entry=2,0 -fplugin-arg-tp-exit %s -o %t %tprt_flags -pthread
// RUN: rm -f %t.rec && %t %t.rec
// RUN: %tpctl report %t.rec 2>&1 | FileCheck %s
//
// CHECK: 200000 {{.*}}step
// CHECK: 400000 events of 2 threads {{.*}}, none lost
// CHECK-NOT: note
#include "../Inputs/record.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

__attribute__((noinline)) void step(void) { __asm__ volatile(""); }
NO_SLEDS void *run(void *unused) {
  for (int i = 0; i < 100000; ++i)
    step();
  return unused;
}

int main(int count, char **arguments) {
  (void)count;
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {4, code};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter))
    return 1;
  startRecording(arguments[1], TPRT_RECORDING_MODE_ALL, 0);
  recordFunctions("step");
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    pthread_create(&threads[i], NULL, run, NULL);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], NULL);
  mustBeOk(tprt_recording_stop());
}
