// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts /bin/true with each of the libraries preloaded in turn. Prints the
// medians of a process's duration and of its resident memory at its end. An
// empty LIBRARY means that none is preloaded.
//
// usage: preload ROUNDS NAME=LIBRARY...
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 8 };
static char *command[] = {"/bin/true", NULL};

static void failed(const char *what) {
  perror(what);
  exit(1);
}

// Milliseconds from the start of the process to its end.
static double timed(char **environment) {
  struct timespec begin, end;
  pid_t pid;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  if (posix_spawn(&pid, command[0], NULL, NULL, command, environment) || waitpid(pid, &status, 0) != pid || status)
    failed("/bin/true");
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (double)(end.tv_sec - begin.tv_sec) * 1e3 + (double)(end.tv_nsec - begin.tv_nsec) / 1e6;
}

static double resident(pid_t pid) {
  char line[256];
  double kb = -1;
  snprintf(line, sizeof line, "/proc/%d/smaps_rollup", pid);
  FILE *file = fopen(line, "r");
  if (!file)
    failed(line);
  while (kb < 0 && fgets(line, sizeof line, file))
    if (sscanf(line, "Rss: %lf kB", &kb) != 1)
      kb = -1;
  fclose(file);
  return kb;
}

// Resident memory in kB when the process ends. The process is stopped there,
// because wait4() would also count the memory that it has before its exec.
static double measured(char **environment) {
  pid_t pid = fork();
  if (pid == 0) {
    ptrace(PTRACE_TRACEME, 0, 0, 0);
    execve(command[0], command, environment);
    _exit(127);
  }
  int status;
  double kb = -1;
  if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status) ||
      ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACEEXIT | PTRACE_O_EXITKILL))
    failed("ptrace");
  for (int signal = 0;; signal = WSTOPSIG(status)) {
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8))
      kb = resident(pid);
    if (WSTOPSIG(status) == SIGTRAP)
      signal = 0;
    if (ptrace(PTRACE_CONT, pid, 0, signal) || waitpid(pid, &status, 0) != pid)
      failed("ptrace");
    if (!WIFSTOPPED(status))
      break;
  }
  if (status || kb < 0)
    failed("/bin/true, traced");
  return kb;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *values, int count) {
  qsort(values, (size_t)count, sizeof *values, ascending);
  return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

int main(int count, char **arguments) {
  int rounds = count > 2 ? atoi(arguments[1]) : 0, ways = count - 2;
  if (rounds < 1 || ways > MOST)
    return 2;
  static char preload[MOST][PATH_MAX];
  char *environments[MOST][2] = {{NULL}};
  double *times[MOST], *sizes[MOST];
  for (int i = 0; i < ways; ++i) {
    char *library = strchr(arguments[2 + i], '=');
    if (!library)
      return 2;
    *library++ = 0;
    if (*library) {
      snprintf(preload[i], sizeof preload[i], "LD_PRELOAD=%s", library);
      environments[i][0] = preload[i];
    }
    times[i] = calloc((size_t)rounds, sizeof(double));
    sizes[i] = calloc((size_t)rounds, sizeof(double));
    timed(environments[i]); // reads the files
  }
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < ways; ++i) {
      times[i][round] = timed(environments[i]);
      if (round % 10 == 0) // hardly varies
        sizes[i][round / 10] = measured(environments[i]);
    }
  for (int i = 0; i < ways; ++i)
    printf("%s_ms %.4f\n%s_rss_kb %.0f\n", arguments[2 + i], median(times[i], rounds), arguments[2 + i],
           median(sizes[i], (rounds + 9) / 10));
}
