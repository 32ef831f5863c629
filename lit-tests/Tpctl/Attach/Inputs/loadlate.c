// A thread loads a library whose constructor waits until the file GO exists. Meanwhile the first thread reads
// lines. At "end", only the first thread ends.
//
// usage: loadlate LIBRARY GO
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef LIBRARY
__attribute__((constructor)) static void load(void) {
  puts("ready");
  fflush(stdout);
  while (access(getenv("GO"), F_OK) != 0)
    usleep(1000);
}
#else
static void *goOn(void *path) {
  if (!dlopen(path, RTLD_NOW))
    exit(1);
  for (;;)
    pause();
}
int main(int argc, char **argv) {
  char line[100];
  pthread_t thread;
  if (argc < 3 || setenv("GO", argv[2], 1) || pthread_create(&thread, NULL, goOn, argv[1]))
    return 1;
  while (fgets(line, sizeof line, stdin))
    if (strcmp(line, "end\n") == 0)
      syscall(SYS_exit, 0); // pthread_exit() would wait for the loader
}
#endif
