// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a module's file for what is not in memory: symbols, line tables,
// section headers. It reads with pread into memory of our own, because a mapped
// file that shrinks would end in SIGBUS. Used under the lock, at the first
// question that needs the file.
#ifndef TPRT_CORE_ELFFILE_H
#define TPRT_CORE_ELFFILE_H

#include "core/plain/site.h"

#include <elf.h>
#include <errno.h>

namespace tprt {

class ElfFile {
public:
  // Opens the file and compares it with the module in memory.
  explicit ElfFile(const Module *module);
  ~ElfFile();
  ElfFile(const ElfFile &) = delete;
  ElfFile &operator=(const ElfFile &) = delete;

  // Why a section is not there: this file cannot be used, or `otherwise`.
  const char *fault(const char *otherwise) const {
    return problem ? problem : otherwise;
  }
  // If descriptors or memory were short, so that another attempt may succeed:
  // the errno of that. Else 0.
  int scarcity() const { return scarce; }
  const Array<Elf64_Shdr> &sections() const { return headers; }
  // The section of that name or, if the name is nullptr, of that type. nullptr:
  // there is no such section, as in a file that cannot be used.
  const Elf64_Shdr *find(const char *name, uint32_t type = SHT_NULL) const;
  // Reads a section's bytes and adds one zero behind them. False: the section
  // is unreadable or absurdly large, or there is no memory.
  bool read(const Elf64_Shdr &section, Array<char> &out) const;

  // False: the file does not have all of these bytes.
  bool readAt(void *out, size_t bytes, uint64_t offset) const;

private:
  bool read(uint64_t offset, uint64_t bytes, Array<char> &out) const;
  template <class T> bool resize(Array<T> &array, size_t count) const {
    bool memory = array.resize(count);
    if (!memory)
      scarce = ENOMEM;
    return memory;
  }
  const char *openAndCheck(const Module *module);
  bool isBuildOf(const Module *module, const Elf64_Ehdr &header) const;

  int descriptor = -1;
  uint64_t fileBytes = 0;
  const char *problem;
  mutable int scarce = 0;
  Array<Elf64_Shdr> headers;
  Array<char> names;
};

} // namespace tprt

#endif
