// Sometimes no jump fits at a function's first instruction, because its distance would lead below all memory or into the program itself. Then
// the entry is after the function's first pushes, or the jump comes after a REX prefix, or the jump leads through a word.
// The handler must still see the caller's state: arguments in registers and on the stack, the return address, the stack
// pointer. The function's caller gets its registers back. This holds for handlers, counting, redirections and several
// probes at once, while another thread calls the functions, and with probes at the pushes. The program lies below 2 GB, so
// that half of all distances lead below all memory.
//
// RUN: gcc -O1 -no-pie %s %tprt_flags -o %t -pthread
// RUN: %t | FileCheck %s
// RUN: env TPRT_OPTIONS=uprobes=0 %t | FileCheck %s
//
// CHECK: one_push: 1 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: two_pushes: 2 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: high_push: 2 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: room_only: 4 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: frame_pointer: 4 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: words_overlap: 4 bytes after the beginning: e9; 6000 hits, 0 wrong
// CHECK-NEXT: prefix: 0 bytes after the beginning: 48 e9; 6000 hits, 0 wrong
// CHECK-NEXT: word: 0 bytes after the beginning: 67 ff 25; 6000 hits, 0 wrong
// CHECK-NEXT: word_and_byte: 0 bytes after the beginning: 67 ff 25; 6000 hits, 0 wrong
// CHECK-NEXT: word_behind: 1 bytes after the beginning: 67 ff 25; 6000 hits, 0 wrong
// CHECK-NEXT: entered_behind: refused
// CHECK-NEXT: led_to: refused
// CHECK-NEXT: in_table: refused
// CHECK-NEXT: has_name: refused
// CHECK-NEXT: while another thread calls: 0 wrong
// CHECK-NEXT: with probes at the pushes: 0 wrong
// CHECK-NEXT: of an entry and an instruction in its jump, the first one is on; 0 wrong
// CHECK-NEXT: off: 0 bytes differ, 0 wrong
#include "../Inputs/harness.h"
#include "Inputs/means.h"
#include <pthread.h>
#include <stdint.h>
#include <string.h>

// Each function returns the sum of its first argument, its seventh, and one. SPOIL overwrites the
// registers that the pushes saved.
#define BODY(arguments) "leaq 1(%rdi), %rax\naddq " arguments "(%rsp), %rax\n"
#define SPOIL "movl $-1, %ebx\nmovl $-1, %ebp\nmovl $-1, %r12d\n"
// With these six bytes, a jump at a push would have a negative distance.
#define LEA "leal 0x12348887(%rdi), %eax\n"

__asm__(".text\n.skip 256, 0x50\n"
        PACKED("one_push", "0", PUSH("rbx") LEA "movl $-1, %ebx\n" BODY("16") POP("rbx") RET_PADDED)
        PACKED("two_pushes", "0", PUSH("rbp") PUSH_MORE("rbx") LEA "movl $-1, %ebx\nmovl $-1, %ebp\n" BODY("24") POP_MORE("rbx") POP("rbp") RET_PADDED)
        PACKED("high_push", "0", PUSH("r12") LEA "movl $-1, %r12d\n" BODY("16") POP("r12") RET_PADDED)
        PACKED("room_only", "6", "subq $40, %rsp\n.cfi_def_cfa_offset 48\n" LEA BODY("48") "addq $40, %rsp\n.cfi_def_cfa_offset 8\n" RET_PADDED)
        PACKED("frame_pointer", "5", PUSH("rbp") "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n" LEA
               "leaq 1(%rdi), %rax\naddq 16(%rbp), %rax\nleave\n.cfi_def_cfa %rsp, 8\n" RET_PADDED)
        // At the mov, the word for a breakpoint at c7 and the word for no breakpoint would overlap.
        PACKED("words_overlap", "7", PUSH("rbp") "movq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n.byte 0xc7, 0xc1, 0x81, 0x23, 0x45, 0x01\n"
               "leaq 1(%rdi), %rax\naddq 16(%rbp), %rax\nleave\n.cfi_def_cfa %rsp, 8\n" RET_PADDED)
        PACKED("prefix", "0", "movq %rdi, %rax\nleaq 1(%rdi), %rax\naddq 8(%rsp), %rax\n" RET_PADDED)
        PACKED("word", "0", "movq %rdi, %rax\n" LEA BODY("8") RET_PADDED)
        PACKED("word_and_byte", "0", "leaq 1(%rdi), %rax\n" LEA BODY("8") RET_PADDED)
        PACKED("word_behind", "0", PUSH("rbx") "movq %rdi, %rbx\n" LEA "leaq 1(%rbx), %rax\naddq 16(%rsp), %rax\n" POP("rbx") RET_PADDED)
        // An instruction begins at 5, in the last bytes of the entry's jump.
        PACKED("beside", "0", "movq %rdi, %rax\nmovl %eax, %edx\nmovl %edx, %ecx\n" BODY("8") RET_PADDED)
        // A jump, or the word of a switch, leads past the push: a thread
        // that arrives by this jump has not entered the function.
        PACKED("entered_behind", "0", PUSH("rbx") "1: " LEA "subq $1, %rdi\njns 1b\n" POP("rbx") RET_PADDED)
        PACKED("led_to", "0", PUSH("rbx") ".Lback: " LEA "decq %rdi\njs 1f\njmp *led_table(,%rdi,8)\n1: " POP("rbx") RET_PADDED)
        // Another function may jump there through a word of data, or another module by a symbol.
        PACKED("in_table", "0", PUSH("rbx") ".Linside: " LEA POP("rbx") RET_PADDED)
        PACKED("has_name", "0", PUSH("rbx") ".globl inside\n.type inside, @function\ninside: " LEA POP("rbx") RET_PADDED)
        ".section .rodata\n.p2align 3\nled_table: .quad .Lback, .Lback, .Lback, .Linside\n.text\n"
        // call_it(function, argument, more): puts numbers into the registers that a caller expects back, and returns what
        // the function does, or 0 if it lost one of these numbers.
        ".globl call_it\n.type call_it, @function\ncall_it:\n.cfi_startproc\npushq %rbx\npushq %rbp\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        ".cfi_def_cfa_offset 56\nmovl $101, %ebx\nmovl $102, %ebp\nmovl $103, %r12d\nmovl $104, %r13d\nmovl $105, %r14d\nmovl $106, %r15d\n"
        "movq %rdi, %rax\nmovq %rsi, %rdi\npushq %rdx\n.cfi_def_cfa_offset 64\nmovl $11, %esi\nmovl $12, %edx\nmovl $13, %ecx\nmovl $14, %r8d\nmovl $15, %r9d\n"
        "call *%rax\n.globl behind_call\nbehind_call:\npopq %rdx\n.cfi_def_cfa_offset 56\n"
        "cmpq $101, %rbx\njne 1f\ncmpq $102, %rbp\njne 1f\ncmpq $103, %r12\njne 1f\ncmpq $104, %r13\njne 1f\ncmpq $105, %r14\njne 1f\ncmpq $106, %r15\nje 2f\n"
        "1: xorl %eax, %eax\n2: popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbp\npopq %rbx\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n"
        ".size call_it, .-call_it\n");
long one_push(long), two_pushes(long), high_push(long), room_only(long), frame_pointer(long), words_overlap(long), prefix(long), word(long), word_and_byte(long), word_behind(long), beside(long), entered_behind(long), led_to(long);
long call_it(long (*function)(long), long argument, long more);
extern const char behind_call[];

static const struct {
  const char *name;
  long (*call)(long);
} all[] = {{"one_push", one_push}, {"two_pushes", two_pushes}, {"high_push", high_push}, {"room_only", room_only},
           {"frame_pointer", frame_pointer}, {"words_overlap", words_overlap}, {"prefix", prefix}, {"word", word}, {"word_and_byte", word_and_byte}, {"word_behind", word_behind}};
enum { COUNT = sizeof all / sizeof *all, CALLS = 1000 };

static int hits, wrong;
static long expected, expectedMore;

static void see(const tprt_event *event, const tprt_regs *regs, void *data) {
  (void)event, (void)data;
  ++hits;
  int same = 1;
  for (unsigned i = 1; i < 6; ++i)
    same &= tprt_regs_argument(regs, i) == 10 + i;
  wrong += !same || tprt_regs_argument(regs, 0) != (uint64_t)expected || tprt_regs_argument(regs, 6) != (uint64_t)expectedMore ||
           tprt_regs_return_address(regs) != (uint64_t)behind_call;
}

static tprt_selector of(const char *name, uint32_t kinds) {
  return (tprt_selector){.function = name, .kinds = kinds, .flags = TPRT_SELECT_CODE | TPRT_SELECT_LOADED, .module = "*/entries-lie-after*"};
}

static tprt_probe *attachTo(const char *name, uint32_t kinds, tprt_action action) { return attachSelected(of(name, kinds), action); }

// Calls the function, whose result must be `more` higher than without a probe.
static void callMany(long (*function)(long), long added) {
  for (long i = 0; i < CALLS; ++i) {
    expected = i * 7 + 5, expectedMore = i * 3 + 1;
    wrong += call_it(function, expected, expectedMore) != expected + expectedMore + 1 + added;
  }
}

static long replaced(long a, long b, long c, long d, long e, long f, long more) { return b + c + d + e + f == 65 ? a + more + 1001 : 0; }

static long (*original)(long, long, long, long, long, long, long);
static long inFront(long a, long b, long c, long d, long e, long f, long more) { return original(a, b, c, d, e, f, more) + 10; }

static int find(const tprt_site *site, void *to) {
  *(const tprt_site **)to = site;
  return 1;
}

static tprt_action handler = {.handler = see, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY}, ofVectors = {.handler = see},
                   count = {.kind = TPRT_ACTION_COUNT};

static void probe(const char *name, long (*function)(long)) {
  const tprt_site *site = NULL;
  tprt_selector entry = of(name, TPRT_KIND_SET_ENTRY);
  tprt_site_info info = {0};
  tprt_site_visit(&entry, find, &site);
  tprt_site_describe(site, &info);
  const unsigned char *sled = info.sled;
  char bytes[16];
  hits = wrong = 0;

  tprt_probe *one = attachSelected(entry, handler);
  snprintf(bytes, sizeof bytes, *sled == 0x67 ? "%x %x %x" : *sled == 0x48 && sled[1] == 0xe9 ? "%x %x" : "%x", sled[0], sled[1], sled[2]);
  callMany(function, 0);
  tprt_probe *two = attachTo(name, TPRT_KIND_SET_ALL, count);
  callMany(function, 0);
  tprt_probe_detach(one, -1);
  callMany(function, 0);
  wrong += tprt_probe_count(two) != 4 * CALLS; // entries and exits
  tprt_probe_detach(two, -1);

  two = attachSelected(entry, count); // no other probe
  callMany(function, 0);
  hits += (int)tprt_probe_count(two);
  tprt_probe_detach(two, -1);

  one = attachSelected(entry, ofVectors);
  callMany(function, 0);
  tprt_probe_detach(one, -1);

  one = attachSelected(entry, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (const void *)replaced});
  callMany(function, 1000);
  two = attachSelected(entry, handler);
  callMany(function, 1000);
  tprt_probe_detach(two, -1);
  tprt_probe_detach(one, -1);
  one = attachSelected(entry, (tprt_action){.kind = TPRT_ACTION_REDIRECT, .replacement = (const void *)inFront});
  original = (long (*)(long, long, long, long, long, long, long))tprt_site_original(site);
  two = attachSelected(entry, handler);
  callMany(function, 10);
  tprt_probe_detach(two, -1);
  tprt_probe_detach(one, -1);
  printf("%s: %d bytes after the beginning: %s; %d hits, %d wrong\n", name, (int)(sled - (const unsigned char *)info.function), bytes, hits, wrong);
}

static volatile int ended;
static int wrongInThread;

static void *callAll(void *unused) {
  for (long i = 1; !ended; ++i)
    for (int k = 0; k < COUNT; ++k)
      wrongInThread += call_it(all[k].call, i, 2 * i) != 3 * i + 1;
  return unused;
}

static void toggleAll(void) {
  tprt_action actions[] = {count, {.handler = ignoreHit, .flags = TPRT_HANDLER_GENERAL_REGS_ONLY}, {.handler = ignoreHit}};
  pthread_t thread;
  pthread_create(&thread, NULL, callAll, NULL);
  for (int i = 0; i < 600; ++i) {
    tprt_probe *probes[COUNT];
    for (int k = 0; k < COUNT; ++k)
      probes[k] = attachTo(all[k].name, i % 2 ? TPRT_KIND_SET_ALL : TPRT_KIND_SET_ENTRY, actions[(i + k) % 3]);
    for (int k = 0; k < COUNT; ++k)
      tprt_probe_detach(probes[k], -1);
  }
  ended = 1;
  pthread_join(thread, NULL);
  printf("while another thread calls: %d wrong\n", wrongInThread);
}

// The pushes are probed as single instructions, which need traps; the entries are on as well.
static void probePushes(void) {
  tprt_probe *pushes[COUNT], *entries[COUNT];
  wrong = 0;
  for (int k = 0; k < COUNT; ++k) {
    char first[32];
    snprintf(first, sizeof first, "%s+0", all[k].name);
    tprt_selector selector = of(first, 0);
    selector.flags |= TPRT_SELECT_TRAPS;
    pushes[k] = attachSelected(selector, count);
    entries[k] = attachTo(all[k].name, TPRT_KIND_SET_ENTRY, handler);
  }
  for (int k = 0; k < COUNT; ++k) {
    callMany(all[k].call, 0);
    wrong += tprt_probe_count(pushes[k]) != CALLS;
    tprt_probe_detach(pushes[k], -1);
    callMany(all[k].call, 0);
    tprt_probe_detach(entries[k], -1);
  }
  printf("with probes at the pushes: %d wrong\n", wrong);
}

static size_t enabledBy(const char *name, tprt_probe **probe) {
  tprt_selector selector = of(name, strchr(name, '+') ? 0 : TPRT_KIND_SET_ENTRY);
  selector.flags |= TPRT_SELECT_TRAPS;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &count, probe, &result);
  return result.enabled;
}

static void probeBeside(void) {
  tprt_probe *entry = NULL, *inside = NULL;
  wrong = 0;
  size_t first = enabledBy("beside", &entry), second = enabledBy("beside+5", &inside);
  callMany(beside, 0);
  wrong += tprt_probe_count(entry) != CALLS;
  tprt_probe_detach(entry, -1);
  tprt_probe_detach(inside, -1);
  first += enabledBy("beside+5", &inside), second += enabledBy("beside", &entry);
  callMany(beside, 0);
  wrong += tprt_probe_count(inside) != CALLS;
  tprt_probe_detach(inside, -1);
  tprt_probe_detach(entry, -1);
  printf("of an entry and an instruction in its jump, %s is on; %d wrong\n", first == 2 && !second ? "the first one" : "another", wrong);
}

static void refuse(const char *name) {
  tprt_selector selector = of(name, TPRT_KIND_SET_ENTRY);
  tprt_probe *probe = NULL;
  tprt_result result = {0};
  tprt_probe_attach(&selector, &count, &probe, &result);
  printf("%s: %s\n", name, result.refused == 1 && !result.enabled ? "refused" : "taken");
  tprt_probe_detach(probe, -1);
}

int main(void) {
  unsigned char before[COUNT][32];
  for (int k = 0; k < COUNT; ++k)
    memcpy(before[k], (const void *)all[k].call, sizeof *before);
  for (int k = 0; k < COUNT; ++k)
    probe(all[k].name, all[k].call);
  refuse("entered_behind");
  refuse("led_to");
  refuse("in_table");
  refuse("has_name");
  toggleAll();
  probePushes();
  probeBeside();
  int differ = 0;
  wrong = 0;
  for (int k = 0; k < COUNT; ++k) {
    for (size_t i = 0; i < 12; ++i) // a return's dead bytes may follow these
      differ += ((const unsigned char *)all[k].call)[i] != before[k][i];
    callMany(all[k].call, 0);
  }
  printf("off: %d bytes differ, %d wrong\n", differ, wrong);
  return 0;
}
