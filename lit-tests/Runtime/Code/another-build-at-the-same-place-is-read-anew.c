// A library is closed, and another build of it is opened: of the same name, at the same address, without a build ID, and
// different in one number alone. Its probes run the instructions of that build. Where the program itself changes an
// instruction that was read before, the site is refused: a stub would run the old instruction.
//
// RUN: gcc -DVALUE=0x1000000 -shared -fPIC -nostdlib -Wl,--build-id=none %s -o %t.first
// RUN: gcc -DVALUE=0x2000000 -shared -fPIC -nostdlib -Wl,--build-id=none %s -o %t.second
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t %t.first %t.second %t.so | FileCheck %s
//
// CHECK: functions: 16777217, 33554433, 16777217, 33554433
// CHECK-NEXT: instructions: 16777217, 33554433, 16777217, 33554433
// CHECK-NEXT: all hit
// CHECK-NEXT: changed by the program: number+0x0: the bytes there are
// CHECK-NEXT: number(1) is 50331649
#ifdef VALUE
#define STRING_OF(value) #value
#define STRING(value) STRING_OF(value)
// lea VALUE(%rdi), %rax in seven bytes, of which the last byte is none that a jump changes.
__asm__(".text\n.fill 64, 1, 0xcc\n.globl number\n.type number, @function\n.p2align 4\nnumber:\n.cfi_startproc\n"
        "leaq " STRING(VALUE) "(%rdi), %rax\nret\n.cfi_endproc\n.size number, .-number\n.fill 64, 1, 0xcc\n"
        ".globl other\n.type other, @function\n.p2align 4\nother:\n.cfi_startproc\nxorl %eax, %eax\n"
        "leaq " STRING(VALUE) "(%rdi), %rax\nret\n.cfi_endproc\n.size other, .-other\n.fill 64, 1, 0xcc\n");
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <string.h>
#include <sys/mman.h>

static int hits, missing;

// Copies the file under the name that all builds have, and opens it.
static void *openCopy(const char *from, const char *as) {
  char command[4096];
  snprintf(command, sizeof command, "cp %s %s.new && mv %s.new %s", from, as, as, as);
  return system(command) ? NULL : dlopen(as, RTLD_NOW);
}

static void tryAll(const char *name, char **arguments, const char *pattern, const char *function) {
  printf("%s:", name);
  for (int i = 0; i < 4; ++i) {
    void *library = openCopy(arguments[1 + i % 2], arguments[3]);
    long (*number)(long) = (long (*)(long))dlsym(library, function);
    tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE, .module = arguments[3]};
    tprt_action action = {.handler = countHit, .data = &hits};
    tprt_probe *probe = NULL;
    tprt_probe_attach(&selector, &action, &probe, NULL); // takes a part of the instructions
    hits = 0;
    printf("%s %ld", i ? "," : "", number(1));
    missing += !hits;
    tprt_probe_detach(probe, -1);
    dlclose(library);
  }
  puts("");
}

int main(int count, char **arguments) {
  if (count < 4)
    return 1;
  tryAll("functions", arguments, "number", "number");
  tryAll("instructions", arguments, "other+*", "other");
  puts(missing ? "some were not hit" : "all hit");
  void *library = openCopy(arguments[1], arguments[3]);
  tprt_selector selector = {.function = "number+0x0", .flags = TPRT_SELECT_CODE, .module = arguments[3]};
  tprt_action action = {.handler = countHit, .data = &hits};
  tprt_probe_detach(attachSelected(selector, action), -1);
  char *code = (char *)dlsym(library, "number");
  mprotect((void *)((unsigned long)code & -4096ul), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  code[6] = 3;
  mprotect((void *)((unsigned long)code & -4096ul), 8192, PROT_READ | PROT_EXEC);
  tprt_probe *probe = NULL;
  tprt_probe_attach(&selector, &action, &probe, NULL);
  const char *reason = strstr(tprt_error_string(), "the bytes");
  printf("changed by the program: %s: %s\n", selector.function, reason ? reason : tprt_error_string());
  printf("number(1) is %ld\n", ((long (*)(long))code)(1));
  return 0;
}
#endif
