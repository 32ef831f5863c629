// For each line on standard input that is a number, calls step() that many times. A word makes the program
// change its state, as servers do. Each line is answered.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static volatile int steps;
__attribute__((noinline)) void step(void) { ++steps; }

// From now on the thread may read, write and end. All other system calls fail with EPERM.
static int enterSeccomp(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog filter = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static int change(const char *word, char **argv) {
  if (strcmp(word, "close") == 0) {
    for (int file = 3; file < 4096; ++file)
      close(file);
  } else if (strcmp(word, "leave") == 0) {
    return setgid(65534) || setuid(65534);
  } else if (strcmp(word, "seccomp") == 0) {
    return enterSeccomp();
  } else if (strcmp(word, "daemon") == 0) {
    if (fork() != 0)
      _exit(0);
    setsid();
  } else if (strcmp(word, "exec") == 0) {
    execv(argv[0], argv);
    return 1;
  } else if (strcmp(word, "unshare") == 0) {
    return unshare(CLONE_NEWNS | CLONE_NEWNET);
  } else if (strncmp(word, "chroot ", 7) == 0) {
    return chroot(word + 7) || chdir("/");
  }
  return 0;
}

int main(int argc, char **argv) {
  (void)argc;
  char line[1000];
  write(1, "ready\n", 6);
  for (size_t length = 0;;) {
    if (read(0, line + length, 1) != 1)
      _exit(0);
    if (line[length] != '\n' && ++length < sizeof line - 1)
      continue;
    line[length] = 0;
    length = 0;
    for (int i = atoi(line); i > 0; --i)
      step();
    int failed = change(line, argv);
    write(1, failed ? "no\n" : "ok\n", 3);
  }
}
