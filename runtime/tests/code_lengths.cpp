// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes instructions of a file in the same manner as libtprt-code.so, for the
// lit test the-decoder-agrees-with-llvm.test. Each line of standard input is an
// address. For each address, this program prints a line with the instruction's
// length, and with `r` if the instruction refers to an address relative to
// itself. Length 0 means that the instruction is unknown.
//
// usage: tp-code-lengths FILE <ADDRESSES
#include "decode/instruction.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int count, char **arguments) {
  struct stat about = {};
  int file = count == 2 ? open(arguments[1], O_RDONLY | O_CLOEXEC) : -1;
  if (file < 0 || fstat(file, &about) != 0)
    return fprintf(stderr, "usage: tp-code-lengths FILE <ADDRESSES\n"), 2;
  auto bytes = static_cast<size_t>(about.st_size);
  auto *whole = static_cast<const uint8_t *>(
      mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0));
  const auto *header = reinterpret_cast<const Elf64_Ehdr *>(whole);
  const auto *segments =
      reinterpret_cast<const Elf64_Phdr *>(whole + header->e_phoff);
  unsigned long address = 0;
  while (scanf("%lx", &address) == 1) {
    tprt::Instruction code = {};
    for (unsigned i = 0; i < header->e_phnum; ++i) {
      const Elf64_Phdr &s = segments[i];
      if (s.p_type == PT_LOAD && s.p_flags & PF_X && address >= s.p_vaddr &&
          address < s.p_vaddr + s.p_filesz)
        tprt::decode(whole + s.p_offset + (address - s.p_vaddr),
                     s.p_vaddr + s.p_filesz - address, code);
    }
    printf("%u%s\n", code.length, code.fieldBytes ? " r" : "");
  }
  return 0;
}
