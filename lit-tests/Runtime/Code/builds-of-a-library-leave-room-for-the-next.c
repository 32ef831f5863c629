// A library is built again and again, each time with more functions. All builds have the same size, and each build is
// opened at the address of the closed one. The islands of its puns lie at the addresses of the last build's islands. So all
// functions can be probed only if libtprt frees the islands of closed builds.
//
// RUN: sh -c "for i in 1 2 3 4 5 6; do gcc -DBUILD=$i -shared -fPIC -nostdlib %s -o %t.$i || exit 1; done"
// RUN: gcc -O1 %s %tprt_flags -o %t
// RUN: %t %t | FileCheck %s
//
// CHECK: build 1: 140 sites, 0 refused, 140 hits
// CHECK-NEXT: build 2: 148 sites, 0 refused, 148 hits
// CHECK-NEXT: build 3: 156 sites, 0 refused, 156 hits
// CHECK-NEXT: build 4: 164 sites, 0 refused, 164 hits
// CHECK-NEXT: build 5: 172 sites, 0 refused, 172 hits
// CHECK-NEXT: build 6: 180 sites, 0 refused, 180 hits
// CHECK-NEXT: mappings are given back
#ifdef BUILD
#define STRING_OF(value) #value
#define STRING(value) STRING_OF(value)
// The jump from the entry leads 1.2 GB down, as its last byte is the next instruction's first byte (b8). The jump from
// the ret leads 0.2 GB down. Between the functions there is unused code, so that they are on many pages.
__asm__(".text\n.macro function\n.type function\\@, @function\nfunction\\@:\n.cfi_startproc\npushq %rbx\nmovq %rdi, %rax\n"
        "movl $1, %eax\npopq %rbx\nret\n.cfi_endproc\n.size function\\@, .-function\\@\n.byte 0x48, 0x89, 0xf8, 0xf3\n"
        ".skip 1000, 0x50\n.pushsection .data.rel.ro, \"aw\"\n.quad function\\@\n.popsection\n.endm\n"
        ".section .data.rel.ro, \"aw\"\n.globl functions\nfunctions:\n.text\n"
        ".Lstart:\n.rept 66 + 4 * " STRING(BUILD) "\nfunction\n.endr\n.org .Lstart + 131072, 0x50\n.section .data.rel.ro, \"aw\"\n.quad 0\n.text\n");
#else
#include "../Inputs/harness.h"
#include <dlfcn.h>
#include <string.h>

static int countMappings(void) {
  char line[512];
  int count = 0;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    ++count;
  fclose(maps);
  return count;
}

int main(int count, char **arguments) {
  char command[4096], name[1024];
  int early = 0, late = 0;
  snprintf(name, sizeof name, "%s.so", arguments[count - 1]);
  for (int round = 0; round < 30; ++round) {
    int build = round % 6 + 1;
    snprintf(command, sizeof command, "cp %s.%d %s.new && mv %s.new %s", arguments[count - 1], build, name, name, name);
    void *library = system(command) ? NULL : dlopen(name, RTLD_NOW);
    long (**functions)(long) = (long (**)(long))dlsym(library, "functions");
    tprt_selector selector = {.function = "*", .kinds = TPRT_KIND_SET_ALL, .flags = TPRT_SELECT_CODE, .module = name};
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    tprt_probe *probe = NULL;
    tprt_result result = {0};
    tprt_probe_attach(&selector, &action, &probe, &result);
    for (int i = 0; functions[i]; ++i)
      functions[i](i);
    late = countMappings();
    if (round == 5)
      early = late;
    if (round < 6 || result.refused)
      printf("build %d: %d sites, %d refused, %d hits\n", build, (int)result.matched, (int)result.refused, (int)tprt_probe_count(probe));
    tprt_probe_detach(probe, -1);
    dlclose(library);
  }
  // Equal builds are compared: the kernel merges neighbouring mappings by chance, so builds of different sizes differ by up
  // to 8 mappings. A mapping that stayed for each build would add 24.
  printf(late < early + 12 ? "mappings are given back\n" : "%d mappings at first, and %d later\n", early, late);
  return 0;
}
#endif
