// The arguments name the work until standard input ends: "allocate" on four threads,
// "fork", "signals" (1000 a second), "threads" that start and end. Exits with 1 if
// anything went wrong.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int over, faults, ticks;

static void tick(int signal) {
  int kept = errno;
  ticks = ticks + 1;
  errno = kept;
}

static void *allocate(void *seed) {
  unsigned state = (unsigned)(long)seed;
  char *kept[64] = {NULL};
  while (!over) {
    state = state * 1103515245 + 12345;
    char **one = &kept[state >> 8 & 63];
    size_t bytes = 1 + (state >> 16 & 0x3fff);
    if (*one && **one != (char)(one - kept))
      faults = 1;
    free(*one);
    if (!(*one = malloc(bytes)))
      faults = 1;
    else
      memset(*one, (int)(one - kept), bytes);
  }
  for (int i = 0; i < 64; ++i)
    free(kept[i]);
  return NULL;
}

static void *nothing(void *data) { return data; }

static void makeThread(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, nothing, NULL) ||
      pthread_join(thread, NULL))
    faults = 1;
}

static void makeChild(void) {
  pid_t child = fork();
  if (child == 0)
    _exit(7);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      faults = 1;
  if (child > 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 7))
    faults = 1;
}

static void startTicks(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = tick;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, NULL);
  struct itimerval often = {{0, 1000}, {0, 1000}};
  setitimer(ITIMER_REAL, &often, NULL);
}

int main(int argc, char **argv) {
  pthread_t allocators[4];
  int started = 0, forks = 0, threads = 0;
  for (int i = 1; i < argc; ++i) {
    if (!strcmp(argv[i], "allocate"))
      for (; started < 4; ++started)
        pthread_create(&allocators[started], NULL, allocate,
                       (void *)(long)(started + 1));
    forks |= !strcmp(argv[i], "fork");
    threads |= !strcmp(argv[i], "threads");
    if (!strcmp(argv[i], "signals"))
      startTicks();
  }
  puts("ready");
  fflush(stdout);
  struct pollfd input = {0, POLLIN, 0};
  for (int ready; (ready = poll(&input, 1, forks || threads ? 1 : 20)) <= 0;) {
    if (ready < 0 && errno != EINTR)
      faults = 1;
    if (forks)
      makeChild();
    if (threads)
      makeThread();
  }
  over = 1;
  for (int i = 0; i < started; ++i)
    pthread_join(allocators[i], NULL);
  return faults;
}
