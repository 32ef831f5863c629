// A library is closed, and another build of it is opened: with the same name, at the same address, without a build ID,
// and different only in one number or one push. Probes in the new build must run the new build's instructions, whether
// or not single instructions of another function have probes. If the program itself changes an instruction that
// libtprt has read before, the site is refused: a stub would run the old instruction.
//
// RUN: gcc -DVALUE=0x1000000 -DPUSHED=%%rdi -shared -fPIC -nostdlib -Wl,--build-id=none %s -o %t.first
// RUN: gcc -DVALUE=0x2000000 -DPUSHED=%%rdi -shared -fPIC -nostdlib -Wl,--build-id=none %s -o %t.second
// RUN: gcc -DVALUE=0x1000000 -DPUSHED=%%rsi -shared -fPIC -nostdlib -Wl,--build-id=none %s -o %t.third
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t %t.so %t.first %t.second %t.third | FileCheck %s
//
// CHECK: functions: 16777217, 33554433, 16777217, 33554433
// CHECK-NEXT: instructions: 16777217, 33554433, 16777217, 33554433
// CHECK-NEXT: pushes: 1, 2, 1, 2
// CHECK-NEXT: pushes next to instructions: 1, 2, 1, 2
// CHECK-NEXT: all hit
// CHECK-NEXT: changed by the program: number+0x0: the bytes there are
// CHECK-NEXT: number(1) is 50331649
#ifdef VALUE
#define STRING_OF(value) #value
#define STRING(value) STRING_OF(value)
// lea VALUE(%rdi), %rax in seven bytes, of which a jump does not change the last byte.
__asm__(".text\n.fill 64, 1, 0xcc\n.globl number\n.type number, @function\n.p2align 4\nnumber:\n.cfi_startproc\n"
        "leaq " STRING(VALUE) "(%rdi), %rax\nret\n.cfi_endproc\n.size number, .-number\n.fill 64, 1, 0xcc\n"
        ".globl other\n.type other, @function\n.p2align 4\nother:\n.cfi_startproc\nxorl %eax, %eax\n"
        "leaq " STRING(VALUE) "(%rdi), %rax\nret\n.cfi_endproc\n.size other, .-other\n.fill 64, 1, 0xcc\n"
        // The entry is after the push, because of the zeros of addl $0, %eax.
        ".globl pushes\n.type pushes, @function\n.p2align 4\npushes:\n.cfi_startproc\npushq " STRING(PUSHED) "\n.cfi_def_cfa_offset 16\n"
        ".byte 0x05, 0, 0, 0, 0\npopq %rax\n.cfi_def_cfa_offset 8\nret\n.cfi_endproc\n.size pushes, .-pushes\n.fill 64, 1, 0xcc\n");
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

static void tryAll(const char *name, char **arguments, int other, const char *beside, const char *pattern, const char *function) {
  printf("%s:", name);
  for (int i = 0; i < 4; ++i) {
    void *library = openCopy(i % 2 ? arguments[other] : arguments[2], arguments[1]);
    long (*number)(long, long) = (long (*)(long, long))dlsym(library, function);
    tprt_selector selector = {.function = pattern, .flags = TPRT_SELECT_CODE, .module = arguments[1]}, first = selector;
    tprt_action action = {.handler = countHit, .data = &hits};
    tprt_probe *probe = NULL, *besides = NULL;
    first.function = beside;
    if (beside)
      tprt_probe_attach(&first, &action, &besides, NULL);
    tprt_probe_attach(&selector, &action, &probe, NULL); // takes a part of the instructions
    hits = 0;
    printf("%s %ld", i ? "," : "", number(1, 2));
    missing += !hits;
    tprt_probe_detach(probe, -1);
    tprt_probe_detach(besides, -1);
    dlclose(library);
  }
  puts("");
}

int main(int count, char **arguments) {
  if (count < 5)
    return 1;
  tryAll("functions", arguments, 3, NULL, "number", "number");
  tryAll("instructions", arguments, 3, NULL, "other+*", "other");
  tryAll("pushes", arguments, 4, NULL, "pushes", "pushes");
  tryAll("pushes next to instructions", arguments, 4, "other+*", "pushes", "pushes");
  puts(missing ? "some were not hit" : "all hit");
  void *library = openCopy(arguments[2], arguments[1]);
  tprt_selector selector = {.function = "number+0x0", .flags = TPRT_SELECT_CODE, .module = arguments[1]};
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
