// Changes the effective user and group, and changes them back, as often as the first argument says. Then drops its rights
// for good, and tries to regain them. A thread of the program checks the rights. Prints what failed.
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static sem_t over;

static void *look(void *nothing) {
  while (sem_wait(&over))
    ;
  return nothing;
}

static int failures;
static void check(int done, const char *what) {
  if (done || failures++ > 5)
    return;
  perror(what);
}

int main(int count, char **arguments) {
  int rounds = count > 1 ? atoi(arguments[1]) : 1;
  gid_t more[] = {5, 6};
  pthread_t thread;
  sem_init(&over, 0, 0);
  pthread_create(&thread, NULL, look, NULL);
  getchar();
  for (int i = 0; i < rounds; ++i) {
    check(setgroups(2, more) == 0, "setgroups");
    check(setegid(7) == 0, "setegid");
    check(seteuid(1) == 0, "seteuid");
    check(seteuid(0) == 0, "seteuid(0)");
    check(setegid(0) == 0, "setegid(0)");
  }
  check(setgid(7) == 0, "setgid");
  check(setuid(1) == 0, "setuid");
  check(setuid(0) != 0 && setgid(0) != 0, "user 0 again");
  sem_post(&over);
  pthread_join(thread, NULL);
  printf("%d failures\n", failures);
  return 0;
}
