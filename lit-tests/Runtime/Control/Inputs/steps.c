// For each line on standard input that is a number, calls step() that number of times and prints a
// line. Other words make the program do what tests of the control need.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))
NOINLINE int leaf(int x) { __asm__ volatile("" : "+r"(x)); return x + 1; }
NOINLINE int step(int x) { return leaf(x) + leaf(x + 1); }

// In a child: 30 calls at each SIGUSR1, until the child is killed.
static void stepAtSignals(void) {
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  for (int number;;) {
    sigwait(&usr1, &number);
    for (int i = 0; i < 30; ++i)
      step(i);
    puts("stepped");
  }
}

static void follow(const char *word) {
  if (strcmp(word, "close") == 0) {
    for (int file = 3; file < 4096; ++file)
      close(file);
  } else if (strcmp(word, "leave") == 0) {
    if (setgid(65534) || setuid(65534))
      exit(1);
  } else if (strcmp(word, "fork") == 0) {
    pid_t child = fork();
    if (child != 0)
      printf("%d\n", child);
    else
      stepAtSignals();
  }
}

int main(void) {
  char line[100];
  int sum = 0;
  sigset_t usr1;
  sigemptyset(&usr1);
  sigaddset(&usr1, SIGUSR1);
  sigprocmask(SIG_BLOCK, &usr1, NULL);
  setvbuf(stdout, NULL, _IOLBF, 0);
  setvbuf(stdin, NULL, _IONBF, 0);
  while (fgets(line, sizeof line, stdin)) {
    line[strcspn(line, "\n")] = 0;
    for (int i = atoi(line); i > 0; --i)
      sum = step(sum);
    follow(line);
    if (strcmp(line, "fork") != 0)
      puts("done");
  }
  return sum == 1;
}
