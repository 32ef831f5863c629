// Files that libtprt uses while it attaches and records have high descriptors. Programs may close low descriptors that are not
// theirs (bash closes the ends of its pipes twice), or put their own files there. libtprt would then read, write or close the
// program's file. The functions below replace those of the C library, also for libtprt's calls, and record the lowest
// descriptor.
//
// RUN: gcc -O1 -rdynamic %s %tprt_interposed_flags -ldl -o %t
// RUN: %t %t.rec | FileCheck %s
//
// CHECK: files were read and written, the lowest descriptor is 200 or more
// CHECK-NEXT: standard input's number went to no other file
#define _GNU_SOURCE
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <tprt/record.h>

static int watching, reads, writes, lowest = INT_MAX;

static void note(int file, int *calls) {
  if (!watching)
    return;
  ++*calls;
  lowest = file < lowest ? file : lowest;
}

ssize_t read(int file, void *to, size_t bytes) {
  note(file, &reads);
  return ((ssize_t (*)(int, void *, size_t))dlsym(RTLD_NEXT, "read"))(file, to, bytes);
}
ssize_t pread(int file, void *to, size_t bytes, off_t offset) {
  note(file, &reads);
  return ((ssize_t (*)(int, void *, size_t, off_t))dlsym(RTLD_NEXT, "pread"))(file, to, bytes, offset);
}
ssize_t pwrite(int file, const void *from, size_t bytes, off_t offset) {
  note(file, &writes);
  return ((ssize_t (*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite"))(file, from, bytes, offset);
}
int ftruncate(int file, off_t bytes) {
  note(file, &writes);
  return ((int (*)(int, off_t))dlsym(RTLD_NEXT, "ftruncate"))(file, bytes);
}
int fallocate(int file, int mode, off_t offset, off_t bytes) {
  note(file, &writes);
  return ((int (*)(int, int, off_t, off_t))dlsym(RTLD_NEXT, "fallocate"))(file, mode, offset, bytes);
}
int ioctl(int file, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void *argument = va_arg(rest, void *);
  va_end(rest);
  note(file, &reads);
  return ((int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl"))(file, request, argument);
}
int flock(int file, int operation) {
  note(file, &writes);
  return ((int (*)(int, int))dlsym(RTLD_NEXT, "flock"))(file, operation);
}

static const char *recording;

static void attachAndRecord(void) {
  tprt_selector all = {.function = "*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE};
  tprt_action action = {.kind = TPRT_ACTION_COUNT};
  tprt_probe *probe = NULL;
  watching = 1;
  tprt_status status = tprt_probe_attach(&all, &action, &probe, NULL);
  if (status != TPRT_STATUS_OK && status != TPRT_STATUS_PARTIAL)
    puts(tprt_error_string());
  tprt_probe_detach(probe, -1);
  tprt_recording_options where = {.file = recording};
  if (tprt_recording_start(&where) != TPRT_STATUS_OK || tprt_recording_stop() != TPRT_STATUS_OK)
    puts(tprt_error_string());
  watching = 0;
}

int main(int count, char **arguments) {
  recording = arguments[count - 1];
  attachAndRecord();
  printf("files were %s and %s, ", reads ? "read" : "not read", writes ? "written" : "not written");
  printf("the lowest descriptor is ");
  if (lowest >= 200)
    puts("200 or more");
  else
    printf("%d\n", lowest);
  close(STDIN_FILENO); // the lowest number is free now
  attachAndRecord();
  struct stat found;
  bool isFree = fstat(STDIN_FILENO, &found) != 0 && lowest >= 200;
  puts(isFree ? "standard input's number went to no other file" : "a file has it");
  return 0;
}
