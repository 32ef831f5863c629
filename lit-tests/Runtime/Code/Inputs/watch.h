// Functions whose entries need their first byte while a probe is on: their instruction has five bytes, and with the last
// four of these a jump would lead into the program itself. Also tprt-watch, the thread that checks these functions for
// uprobes.
#ifndef TP_LIT_TESTS_RUNTIME_CODE_WATCH_H
#define TP_LIT_TESTS_RUNTIME_CODE_WATCH_H

#include "../../Inputs/harness.h"
#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#define NUMBER_FUNCTION(name, body) \
  ".globl " name "\n.type " name ", @function\n.p2align 4, 0xcc\n" name ":\n.cfi_startproc\n" body "\n.cfi_endproc\n.size " name ", . - " name "\n"

// Each function returns its argument plus one.
__asm__(".text\n" //
        NUMBER_FUNCTION("number", "movl $1, %eax\naddq %rdi, %rax\nret")
        NUMBER_FUNCTION("number_of_two", "movl $3, %edx\nleaq -2(%rdi,%rdx), %rax\nret")
        ".p2align 4, 0xcc\n");
long number(long), number_of_two(long);

// The number of threads of the process, and the id of the thread with this name, or 0.
static inline int threads(const char *name, int *id) {
  DIR *folder = opendir("/proc/self/task");
  int count = 0;
  *id = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    char path[64], text[32] = "";
    if (entry->d_name[0] == '.')
      continue;
    ++count;
    snprintf(path, sizeof path, "/proc/self/task/%.16s/comm", entry->d_name);
    int file = open(path, O_RDONLY);
    ssize_t bytes = file < 0 ? 0 : read(file, text, sizeof text - 1);
    if (file >= 0)
      close(file);
    if (bytes > 0 && strcspn(text, "\n") == strlen(name) && strncmp(text, name, strlen(name)) == 0)
      *id = atoi(entry->d_name);
  }
  closedir(folder);
  return count;
}

// Waits until the watch has started, or has ended. Returns the watch's id, or 0.
static inline int awaitWatch(int there) {
  int id = 0;
  for (int i = 0; i < 6000; ++i, usleep(10000)) {
    threads("tprt-watch", &id);
    if (!id == !there)
      break;
  }
  return id;
}

static inline tprt_probe *attachCode(const char *function) {
  tprt_selector selector = {.function = function, .kinds = TPRT_KIND_SET_ENTRY, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED};
  return attachSelected(selector, (tprt_action){.kind = TPRT_ACTION_COUNT});
}

#endif
