// Functions with a restartable sequence, for tests on each processor. Each function has two instructions, then the four
// instructions of the sequence, and then two more instructions. The kernel restarts only the function "restarted", whose
// descriptor and signature are right.
#ifndef TP_LIT_TESTS_RUNTIME_SEQUENCES_H
#define TP_LIT_TESTS_RUNTIME_SEQUENCES_H

#include "harness.h"
#include <string.h>

// STEP is an instruction of eight bytes. DATA are the flags of the section with the descriptors.
#ifdef __x86_64__
#define STEP ".byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
#define SIGNED ".byte 0x0f, 0xb9, 0x3d\n.long 0x53053053\n"
#define UNSIGNED ".byte 0x0f, 0xb9, 0x3d\n.long 0x53053054\n"
#define JUMP "jmp "
#else
#define STEP "nop\nnop\n"
#define SIGNED ".inst 0xd428bc00\n"
#define UNSIGNED ".inst 0xd428bc20\n"
#define JUMP "b "
#endif
#ifndef DATA
#define DATA "aw"
#endif

#define FUNCTION(name, version, bytes, signature) \
  ".globl " name "\n.type " name ", %function\n.balign 16\n" name ":\n.cfi_startproc\n" STEP STEP \
  "1:\n" STEP STEP STEP STEP "2:\n" STEP STEP "ret\n" signature "3: " JUMP "1b\n.cfi_endproc\n.size " name ", . - " name "\n" \
  ".pushsection __rseq_cs, \"" DATA "\"\n.balign 32\n.long " version ", 0\n.quad 1b, " bytes ", 3b\n.popsection\n"

__asm__(".text\n"
        FUNCTION("restarted", "0", "2b - 1b", SIGNED)
        FUNCTION("without_signature", "0", "2b - 1b", UNSIGNED)
        FUNCTION("of_another_version", "1", "2b - 1b", SIGNED)
        FUNCTION("empty", "0", "0", SIGNED));

// Attaches to each instruction of the function in turn, and prints which of the eight could be probed.
static void tryEach(const char *function) {
  char pattern[64], *text = pattern;
  printf("%s:", function);
  for (int i = 0; i < 8; ++i) {
    sprintf(text, "%s+%d", function, i * 8);
    tprt_selector selector = {.function = pattern, .kinds = TPRT_KIND_SET_INSTRUCTION, .flags = TPRT_SELECT_CODE | TPRT_SELECT_TRAPS};
    if (!i)
      selector.kinds = TPRT_KIND_SET_ENTRY, pattern[strlen(function)] = 0;
    tprt_action action = {.kind = TPRT_ACTION_COUNT};
    tprt_probe *probe = NULL;
    int status = tprt_probe_attach(&selector, &action, &probe, NULL);
    printf(" %s", !status ? "yes" : strstr(tprt_error_string(), "restartable sequence") ? "no" : tprt_error_string());
    if (probe)
      tprt_probe_detach(probe, -1);
  }
  puts("");
}

int main(void) {
  tryEach("restarted");
  tryEach("without_signature");
  tryEach("of_another_version");
  tryEach("empty");
  return 0;
}

#endif
