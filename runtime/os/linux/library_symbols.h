// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a loaded library, read from its symbol table in memory. The
// loader is not asked, and its lock is not needed. Async-signal-safe. Only for
// clibrary.cpp.
#ifndef TPRT_OS_LINUX_LIBRARY_SYMBOLS_H
#define TPRT_OS_LINUX_LIBRARY_SYMBOLS_H

#include <elf.h>
#include <stdint.h>

namespace tprt {

// The header of the module that contains `address`, or nullptr if the header is
// not in memory. Linkers leave gaps between segments. A gap may be as large as
// the largest page size that the module supports.
const char *headerBefore(uint64_t address);

// The symbols that a loaded module defines for other modules. The loader's
// format is that of the System V ABI (chapter 5, "Dynamic Linking").
class LibrarySymbols {
public:
  // For the module with this ELF header.
  explicit LibrarySymbols(const char *header);
  // Returns nullptr if the module defines no function of that name, or only in
  // a version for old programs.
  void *find(const char *name) const;

private:
  template <class Type> const Type *at(uint64_t address) const;
  bool isNamed(uint32_t index, const char *name) const;
  void *findByGnuHash(const char *name) const;
  void *findByHash(const char *name) const;

  const char *base = nullptr; // the base of the module's addresses
  const char *start = nullptr;
  const Elf64_Sym *symbols = nullptr;
  const char *strings = nullptr;
  const uint16_t *versions = nullptr;
  const uint32_t *gnuHash = nullptr, *hash = nullptr;
};

} // namespace tprt

#endif
