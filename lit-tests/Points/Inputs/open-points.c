// See open-points.h. This file follows docs/reference/table-abi.md and does not include tprt/*.h, so
// that it checks the output of those headers.
#define _GNU_SOURCE
#include "open-points.h"
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct gate {
  int32_t descriptor, gate, target;
};
enum { BRANCH_MARK = 7, BRANCH_WORDS = sizeof(struct gate) / sizeof(int32_t) };
struct descriptor {
  uint8_t version, style, count, flags;
  uint32_t line;
  uint16_t name_bytes, format_bytes, file_bytes, reserved;
  char text[];
};
#define TABLE(name) __attribute__((weak, visibility("hidden"))) name[]
extern const int32_t TABLE(__start_tp_points), TABLE(__stop_tp_points);

static void *at(const int32_t *field) { return (char *)field + *field; }

static int is_static_branch(const int32_t *record) { return ((uintptr_t)at(record) & 7) == BRANCH_MARK; }

static void must(int right, const char *what, const void *where) {
  if (right)
    return;
  printf("fault: %s at %p\n", what, where);
  fflush(stdout);
  _exit(3);
}

static void check_descriptor(const struct descriptor *descriptor) {
  const char *name = descriptor->text + descriptor->count + 1, *format = name + descriptor->name_bytes,
             *file = format + descriptor->format_bytes;
  must((uintptr_t)descriptor % 8 == 0, "descriptor is not aligned", descriptor);
  must(descriptor->version == 1, "version", descriptor);
  must(descriptor->style <= 2 && descriptor->count <= 12 && !descriptor->flags && !descriptor->reserved, "descriptor", descriptor);
  must(strlen(descriptor->text) == descriptor->count, "types", descriptor->text);
  must(strspn(descriptor->text, "bcahstijlmfdpzv") == descriptor->count, "letters", descriptor->text);
  must(strlen(name) + 1 == descriptor->name_bytes && *name, "name", name);
  must(strlen(format) + 1 == descriptor->format_bytes, "format", format);
  must(strlen(file) + 1 == descriptor->file_bytes && *file && descriptor->line, "file", file);
}

// The line of a hit, written directly: printf may allocate, and this code runs in a signal handler.
static char line[4096];
static size_t used;
__attribute__((format(printf, 1, 2))) static void say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  used += (size_t)vsnprintf(line + used, sizeof line - used, format, arguments);
  va_end(arguments);
  must(used < sizeof line, "too long", format);
}

static void print_word(char letter, uint64_t word) {
  double number;
  memcpy(&number, &word, sizeof number);
  say(" %c:", letter);
  switch (letter) {
  case 'b':
  case 'h':
    say("%u", (uint8_t)word);
    return;
  case 'c':
  case 'a':
    say("%d", (int8_t)word);
    return;
  case 's':
    say("%d", (int16_t)word);
    return;
  case 't':
    say("%u", (uint16_t)word);
    return;
  case 'i':
    say("%d", (int32_t)word);
    return;
  case 'j':
    say("%u", (uint32_t)word);
    return;
  case 'l':
    say("%lld", (long long)word);
    return;
  case 'm':
    say("%llu", (unsigned long long)word);
    return;
  case 'f':
  case 'd':
    say("%g", number);
    return;
  case 'p':
    say("%llx", (unsigned long long)word);
    return;
  case 'z':
    say("%s", word ? (const char *)word : "(null)");
    return;
  case 'v':
    say("%.*s", (int)((const uint64_t *)word)[1], *(const char **)word);
    return;
  }
}

static void print_hit(const struct descriptor *descriptor, const uint64_t *words) {
  const char *name = descriptor->text + descriptor->count + 1;
  say("%s [%s]", name, name + descriptor->name_bytes);
  for (int i = 0; i < descriptor->count; ++i)
    print_word(descriptor->text[i], words[i]);
  say("\n");
  must(write(1, line, used) == (ssize_t)used, "write", line);
  used = 0;
}

#ifdef __x86_64__
enum { SLED_BYTES = 5 };
static int is_sled(const unsigned char *code) { return ((uintptr_t)code & 7) <= 3 && !memcmp(code, "\x0f\x1f\x44\0\0", 5); }
static int leads_to_descriptor(const unsigned char *sled) { return !memcmp(sled + 5, "\x0f\x1f\x80", 3); }
static void write_jump(unsigned char *from, const void *to) {
  int32_t distance = (int32_t)((uintptr_t)to - (uintptr_t)from - 5);
  from[0] = 0xe9;
  memcpy(from + 1, &distance, 4);
}
static void write_trap(unsigned char *code) { code[1] = 0x0b; } // ud2
static void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  static const int order[] = {REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9};
  const int32_t *field = (const int32_t *)(registers[REG_RIP] + 8);
  const struct descriptor *descriptor = at(field);
  uint64_t words[12];
  for (int i = 0; i < descriptor->count; ++i)
    words[i] = i < 6 ? (uint64_t)registers[order[i]] : ((const uint64_t *)registers[REG_RAX])[i - 6];
  print_hit(descriptor, words);
  // The registers that a hit may change.
  registers[REG_R11] = 0x1111111111111111;
  registers[REG_RIP] += SLED_BYTES;
}
#else
enum { SLED_BYTES = 4 };
static int is_sled(const unsigned char *code) { return (uintptr_t)code % 4 == 0 && *(const uint32_t *)code == 0xd503201f; }
static int leads_to_descriptor(const unsigned char *sled) { return *(const uint32_t *)(sled + 4) == 0x14000002; }
static void write_jump(unsigned char *from, const void *to) {
  *(uint32_t *)from = 0x14000000 | (((uintptr_t)to - (uintptr_t)from) >> 2 & 0x3ffffff);
}
static void write_trap(unsigned char *code) { *(uint32_t *)code = 0; } // udf #0
static void on_trap(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  mcontext_t *registers = &((ucontext_t *)context)->uc_mcontext;
  const int32_t *field = (const int32_t *)(registers->pc + 8);
  const struct descriptor *descriptor = at(field);
  uint64_t words[12];
  for (int i = 0; i < descriptor->count; ++i)
    words[i] = i < 8 ? registers->regs[i] : ((const uint64_t *)registers->regs[8])[i - 8];
  print_hit(descriptor, words);
  registers->regs[16] = registers->regs[17] = 0x1111111111111111;
  registers->pc += SLED_BYTES;
}
#endif

static void set_writable(const void *code, int protection) {
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)code & -page;
  must(!mprotect((void *)start, (uintptr_t)code + SLED_BYTES - start, protection), "mprotect", code);
}

int open_points(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = on_trap;
  sigaction(SIGILL, &action, NULL);
  const int32_t *record, *end = __stop_tp_points;
  for (record = __start_tp_points; record < end; record += is_static_branch(record) ? BRANCH_WORDS : 1) {
    if (is_static_branch(record))
      continue;
    unsigned char *sled = at(record);
    must(is_sled(sled) && leads_to_descriptor(sled), "sled", sled);
    check_descriptor(at((const int32_t *)(sled + 8)));
    set_writable(sled, PROT_READ | PROT_WRITE | PROT_EXEC);
    write_trap(sled);
    __builtin___clear_cache((char *)sled, (char *)sled + SLED_BYTES);
    set_writable(sled, PROT_READ | PROT_EXEC);
  }
  int gates = 0;
  for (record = __start_tp_points; record < end; record += is_static_branch(record) ? BRANCH_WORDS : 1) {
    if (!is_static_branch(record))
      continue;
    ++gates;
    const struct gate *fields = (const struct gate *)record;
    unsigned char *gate = at(&fields->gate);
    must(is_sled(gate), "static branch", gate);
    check_descriptor((struct descriptor *)((char *)at(&fields->descriptor) - BRANCH_MARK));
    set_writable(gate, PROT_READ | PROT_WRITE | PROT_EXEC);
    write_jump(gate, at(&fields->target));
    __builtin___clear_cache((char *)gate, (char *)gate + SLED_BYTES);
    set_writable(gate, PROT_READ | PROT_EXEC);
  }
  return gates;
}
