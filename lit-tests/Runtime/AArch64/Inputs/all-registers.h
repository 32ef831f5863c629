// An assembly function that loads all registers from `in`, runs a test's instructions,
// and stores all registers to `out`: x0 to x30 without x18, the flags, p0 to p15 and z0
// to z31 in full. `mode` is an instruction before the test's instructions, and `modeBack` is an instruction after them.
#ifndef TP_LIT_TESTS_RUNTIME_ALL_REGISTERS_H
#define TP_LIT_TESTS_RUNTIME_ALL_REGISTERS_H

typedef struct {
  long x[32]; // 18 and 31 are not used
  long flags, unused;
  unsigned char p[16][32] __attribute__((aligned(16))), z[32][256];
} State;

#define LOAD_ALL(mode) \
  "stp x29, x30, [sp, #-192]!\n.cfi_def_cfa_offset 192\n.cfi_offset 29, -192\n.cfi_offset 30, -184\n" \
  "stp x19, x20, [sp, #16]\nstp x21, x22, [sp, #32]\nstp x23, x24, [sp, #48]\nstp x25, x26, [sp, #64]\n" \
  "stp x27, x28, [sp, #80]\nstp d8, d9, [sp, #96]\nstp d10, d11, [sp, #112]\nstp d12, d13, [sp, #128]\n" \
  "stp d14, d15, [sp, #144]\nstr x1, [sp, #160]\n" \
  mode "\n" \
  "ldr x1, [x0, #256]\nmsr nzcv, x1\nadd x1, x0, #272\nadd x2, x0, #784\nmov x3, #256\n" \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nldr p\\n, [x1]\nadd x1, x1, #32\n.endr\n" \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nldr z\\n, [x2]\nadd x2, x2, x3\n.endr\n" \
  ".irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28,29,30\nldr x\\n, [x0, #8 * \\n]\n.endr\n" \
  "ldr x0, [x0]\n"

#define STORE_ALL(modeBack) \
  "stp x0, x1, [sp, #168]\nldr x0, [sp, #160]\n" \
  ".irp n, 2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,19,20,21,22,23,24,25,26,27,28,29,30\nstr x\\n, [x0, #8 * \\n]\n.endr\n" \
  "ldp x1, x2, [sp, #168]\nstp x1, x2, [x0]\nmrs x1, nzcv\nstr x1, [x0, #256]\n" \
  "add x1, x0, #272\nadd x2, x0, #784\nmov x3, #256\n" \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\nstr p\\n, [x1]\nadd x1, x1, #32\n.endr\n" \
  ".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\nstr z\\n, [x2]\nadd x2, x2, x3\n.endr\n" \
  modeBack "\n" \
  "ldp x19, x20, [sp, #16]\nldp x21, x22, [sp, #32]\nldp x23, x24, [sp, #48]\nldp x25, x26, [sp, #64]\n" \
  "ldp x27, x28, [sp, #80]\nldp d8, d9, [sp, #96]\nldp d10, d11, [sp, #112]\nldp d12, d13, [sp, #128]\n" \
  "ldp d14, d15, [sp, #144]\nldp x29, x30, [sp], #192\nret\n"

#endif
