// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names of sites; see symbols.h. The names come from .symtab of the module's
// file or, if the file is stripped, of its debug file. They also come from
// .dynsym, which may contain functions that .symtab lacks. If a function has no
// name in these tables, it gets one from section tp_names. Names are read once
// per module, when a name is needed for the first time.
#include "elf/symbols.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/elf_file.h"
#include "elf/mcount_calls.h"
#include "names/clones.h"
#include "names/path_glob.h"
#include "threads/status.h"

#include <errno.h>
#include <string.h>

namespace tprt {

static const char *const kNoMemory = "there is no memory for them";

// Sites are in order of their sleds, and so almost in order of their functions.
static bool orderByFunction(Module *module) {
  Array<Keyed> order;
  if (module->ordered)
    return true; // done by an earlier attempt
  if (!module->nameAt.resize(module->siteCount) ||
      !order.reserve(module->siteCount))
    return false;
  for (uint32_t i = module->firstSite;
       i < module->firstSite + module->siteCount; ++i)
    if (sites[i].isOfFunction())
      order.push({sites[i].functionAt, i}); // reserved
  if (!sortByKey(order) || !module->byFunction.resize(order.size()))
    return false;
  for (size_t i = 0; i < order.size(); ++i)
    module->byFunction[i] = order[i].value;
  module->ordered = true;
  return true;
}

uint32_t functionFrom(const Module *module, uint64_t address) {
  uint64_t at = address - module->origin;
  return partitionPoint(
      0, static_cast<uint32_t>(module->byFunction.size()),
      [&](uint32_t i) { return sites[module->byFunction[i]].functionAt < at; });
}

namespace {
// The names for addresses of the module. There may be millions of names, in any
// order, and as many functions. A search for each name's function would wait
// for memory twenty times. So the names are collected, sorted, and assigned to
// the functions in one pass through both lists.
class Names {
public:
  explicit Names(Module *module) : module(module) {}

  // `offset` is the name's offset in `strings`. Returns false if there is no
  // memory.
  bool add(uint64_t address, size_t offset, bool isExported, bool isLabel) {
    uint64_t distance = address - module->origin;
    Array<Keyed> &to = !isLabel ? functions : isExported ? globals : locals;
    return distance > UINT32_MAX ||
           to.push(
               {static_cast<uint32_t>(distance),
                static_cast<uint32_t>(offset << 1 | (isExported && !isLabel))});
  }
  // Assigns the names to the functions. If a function has several names, it
  // gets the plainest name of an exported symbol, or else the first name: local
  // symbols come first in a symbol table. It gets a label's name only if it has
  // no other name. Returns false if there is no memory.
  bool give() {
    return give([](uint32_t, uint32_t offset) { return offset + 1; });
  }
  // Assigns names to functions that have no name so far.
  bool giveToNameless();
  // Assigns names in `from` instead of names in the module's strings. Names
  // that a function already has are omitted. These names come before the new
  // ones.
  bool giveMore(const Array<char> &from);

private:
  template <class Place> bool give(Place place, bool hasExported = false);

  Module *module;
  // The key is the distance from the module's origin. The value is the name's
  // offset in `strings`, times two, plus one for an exported function's name.
  // Labels are symbols without a type, as made by an assembler.
  Array<Keyed> functions, globals, locals;
};
constexpr size_t kMostStrings = INT32_MAX; // a name's offset has 31 bits
constexpr uint32_t kLeftOut = 0, kNoRoom = UINT32_MAX;
} // namespace

// Names with underscores before them, as of the C library's __libc_malloc and
// __read, are meant for the library itself. _Z and _R begin mangled names.
static size_t underscoresOf(const char *name) {
  size_t count = 0;
  while (name[count] == '_')
    ++count;
  return count == 1 && (name[1] == 'Z' || name[1] == 'R') ? 0 : count;
}

// Whether users know a function rather by `name` than by `other`: free rather
// than cfree@GLIBC_2.2.5 and __libc_free.
static bool isPlainer(const char *name, const char *other) {
  const size_t own = underscoresOf(name), others = underscoresOf(other);
  return own != others ? own < others : strlen(name) < strlen(other);
}

// `place` receives a function's index in byFunction and the offset that was
// added. It returns the offset in the module's strings plus 1, kLeftOut or
// kNoRoom.
// `hasExported`: a name that a function has already counts as exported.
template <class Place> bool Names::give(Place place, bool hasExported) {
  // Items with equal keys keep their order.
  if (!functions.append(globals.begin(), globals.size()) ||
      !functions.append(locals.begin(), locals.size()) || !sortByKey(functions))
    return false;
  const Array<uint32_t> &order = module->byFunction;
  uint32_t at = 0, count = static_cast<uint32_t>(order.size());
  bool isExported = hasExported; // whether the function has such a name so far
  for (const Keyed &name : functions) {
    while (at < count && sites[order[at]].functionAt < name.key) {
      ++at;
      isExported = hasExported;
    }
    if (at == count)
      break;
    if (sites[order[at]].functionAt != name.key)
      continue;
    uint32_t placed = place(at, name.value >> 1);
    if (placed == kLeftOut)
      continue;
    if (placed == kNoRoom || !module->symbols.push({placed - 1, at}))
      return false;
    uint32_t *names = module->nameAt.begin();
    const uint32_t known = names[order[at] - module->firstSite];
    const char *strings = module->strings.begin();
    const bool isBetter =
        !known ||
        (name.value & 1 &&
         (!isExported || isPlainer(strings + placed - 1, strings + known - 1)));
    isExported = isExported || name.value & 1;
    for (uint32_t i = at; i < count && isBetter; ++i) {
      const tprt_site &site = sites[order[i]];
      if (site.functionAt != name.key)
        break;
      names[order[i] - module->firstSite] = placed;
    }
  }
  return true;
}

bool Names::giveToNameless() {
  return give([&](uint32_t at, uint32_t offset) {
    uint32_t site = module->byFunction[at] - module->firstSite;
    return module->nameAt[site] ? kLeftOut : offset + 1;
  });
}

bool Names::giveMore(const Array<char> &from) {
  const size_t known = module->symbols.size(); // in order of byFunction
  size_t next = 0;
  auto place = [&](uint32_t at, uint32_t offset) {
    const char *name = &from[offset];
    while (next < known && module->symbols[next].order < at)
      ++next;
    for (size_t i = next; i < known && module->symbols[i].order == at; ++i)
      if (strcmp(&module->strings[module->symbols[i].name], name) == 0)
        return kLeftOut;
    size_t place = module->strings.size(), bytes = strlen(name) + 1;
    return place + bytes < kMostStrings && module->strings.append(name, bytes)
               ? static_cast<uint32_t>(place + 1)
               : kNoRoom;
  };
  return give(place, /*hasExported=*/true);
}

// Whether this is a label of the compiler or the assembler (.Ltmp0, $x), which
// is not a function's name. clang puts a label before nops that precede the
// entry label.
static bool isLabel(const Elf64_Sym &symbol, const char *name) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_NOTYPE &&
         ((name[0] == '.' && name[1] == 'L') || name[0] == '$');
}

// The address of an IFUNC's symbol (STT_GNU_IFUNC) is that of its resolver. The
// program calls the function that the resolver chooses.
static bool isFunction(const Elf64_Sym &symbol, const Array<char> &strings) {
  constexpr unsigned kTypes = 1 << STT_FUNC | 1 << STT_NOTYPE;
  return symbol.st_shndx != SHN_UNDEF &&
         kTypes >> ELF64_ST_TYPE(symbol.st_info) & 1 &&
         symbol.st_name < strings.size() && strings[symbol.st_name] &&
         !isLabel(symbol, strings.begin() + symbol.st_name);
}

static const char *const kUnreadable = "its symbol table can't be read";

static const char *readStrings(const ElfFile &file, const SymbolTable &table,
                               Array<char> &strings) {
  if (!file.read(table.strings, table.stringBytes, strings))
    return kUnreadable;
  return strings.size() > kMostStrings ? "its names take more than 2 GiB"
                                       : nullptr;
}

// Calls `take` with each function's symbol. `take` returns whether there is
// memory. Returns nullptr, or the reason why it stopped early.
template <class Take>
static const char *visitSymbols(const ElfFile &file, const SymbolTable &table,
                                const Array<char> &strings, const Take &take) {
  // The table is read in parts, because it has 24 bytes for each name.
  constexpr size_t kPart = 1024;
  Array<Elf64_Sym> part;
  if (!part.resize(kPart))
    return kNoMemory;
  uint64_t left = table.count;
  for (uint64_t at = table.symbols; left; at += kPart * sizeof(Elf64_Sym)) {
    size_t count = left < kPart ? left : kPart;
    if (!file.readAt(part.begin(), count * sizeof(Elf64_Sym), at))
      return kUnreadable;
    left -= count;
    for (size_t i = 0; i < count; ++i)
      if (isFunction(part[i], strings) && !take(part[i]))
        return kNoMemory;
  }
  return nullptr;
}

// Stores the plain name after the other strings, for selectors. Returns its
// offset; 0 if the name itself is plain; kMostStrings if there is no memory.
static size_t addPlainName(Array<char> &strings, size_t name) {
  size_t length = lengthOfPlainName(&strings[name]);
  if (!strings[name + length])
    return 0;
  size_t offset = strings.size();
  for (; length; --length)
    if (char c = strings[name++]; !strings.push(c))
      return kMostStrings;
  return strings.push(0) && strings.size() < kMostStrings ? offset
                                                          : kMostStrings;
}

// Adds the names of a table whose strings have been read.
static const char *addNames(const ElfFile &file, const SymbolTable &table,
                            uint64_t base, Array<char> &strings, Names &names) {
  return visitSymbols(file, table, strings, [&](const Elf64_Sym &symbol) {
    uint64_t address = base + symbol.st_value;
    bool isLabel = ELF64_ST_TYPE(symbol.st_info) == STT_NOTYPE;
    if (!names.add(address, symbol.st_name,
                   ELF64_ST_BIND(symbol.st_info) != STB_LOCAL, isLabel))
      return false;
    size_t plain = addPlainName(strings, symbol.st_name);
    return !plain ||
           (plain != kMostStrings && names.add(address, plain, false, isLabel));
  });
}

// Returns nullptr, or the reason why there are no names.
static const char *loadTable(const ElfFile &file, const SymbolTable &table,
                             Module *module, bool isFirst) {
  Array<char> more, &strings = isFirst ? module->strings : more;
  Names names(module);
  const char *fault = readStrings(file, table, strings);
  if (!fault)
    fault = addNames(file, table, module->base, strings, names);
  if (fault)
    return fault;
  return (isFirst ? names.give() : names.giveMore(more)) ? nullptr : kNoMemory;
}

static const char *loadSymbols(const ElfFile &file, Module *module) {
  ElfFile debug;
  SymbolTable all, exported;
  bool hasAll = file.findSymbols(SHT_SYMTAB, all);
  const ElfFile *from = &file;
  if (!hasAll && debug.openDebugFileOf(module, file)) {
    from = &debug;
    hasAll = debug.findSymbols(SHT_SYMTAB, all);
  }
  const char *fault =
      hasAll ? loadTable(*from, all, module, true)
             : file.fault("its file has no symbol table (stripped?)");
  if (fault == kNoMemory || !file.findSymbols(SHT_DYNSYM, exported))
    return fault;
  // If the first table was cut off, its names remain, and these come after
  // them.
  return loadTable(file, exported, module, module->strings.empty());
}

bool hasFunctionSymbol(const Module *module, const char *glob) {
  ElfFile file(module);
  static constexpr uint32_t kTypes[] = {SHT_SYMTAB, SHT_DYNSYM};
  bool found = false;
  for (uint32_t type : kTypes) {
    Array<char> strings;
    SymbolTable table;
    if (found || !file.findSymbols(type, table) ||
        readStrings(file, table, strings))
      continue;
    visitSymbols(file, table, strings, [&](const Elf64_Sym &symbol) {
      char *name = &strings[symbol.st_name];
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || namesColdPart(name))
        return true;
      found = globMatches(glob, name);
      name[lengthOfPlainName(name)] = 0;
      found = found || globMatches(glob, name);
      return !found;
    });
  }
  return found;
}

bool findFunctionSymbols(const Module *module, Array<CodeSymbol> &out) {
  ElfFile file(module);
  static constexpr uint32_t kTypes[] = {SHT_SYMTAB, SHT_DYNSYM};
  for (uint32_t type : kTypes) {
    Array<char> strings;
    SymbolTable table;
    if (!file.findSymbols(type, table) || readStrings(file, table, strings))
      continue;
    const char *fault =
        visitSymbols(file, table, strings, [&](const Elf64_Sym &symbol) {
          uint64_t at = module->base + symbol.st_value - module->origin;
          return at > UINT32_MAX ||
                 out.push({static_cast<uint32_t>(at),
                           namesColdPart(&strings[symbol.st_name]), 0,
                           profilerNamed(&strings[symbol.st_name])});
        });
    if (fault == kNoMemory)
      return false;
  }
  return file.scarcity() != ENOMEM;
}

// If another attempt may find names, `scarce` is set to the errno of this
// attempt.
static const char *loadSymbols(Module *module, int &scarce) {
  ElfFile file(module);
  const char *fault = loadSymbols(file, module);
  scarce = fault == kNoMemory ? ENOMEM : file.scarcity();
  return fault;
}

// Gives names from tp_names to functions that still have none
// (docs/reference/table-abi.md). Returns false if there are no names, or if the
// section is not a table of names.
static bool loadNames(Module *module) {
  const Array<char> &table = module->names;
  size_t bytes = table.size(), base = module->strings.size();
  // The names are stored after the file's names.
  if (!bytes || base + bytes > kMostStrings ||
      !module->strings.append(table.begin(), bytes))
    return false;
  Names names(module);
  bool whole = true;
  for (size_t at = 0; at < bytes && whole;) {
    int32_t distance;
    size_t name = at + sizeof distance;
    size_t length = name < bytes ? strnlen(&table[name], bytes - name) : 0;
    whole = name < bytes && length < bytes - name;
    if (!whole)
      break;
    memcpy(&distance, &table[at], sizeof distance);
    whole = names.add(module->namesAddress + at +
                          static_cast<uint64_t>(int64_t{distance}),
                      base + name, false, false);
    at = name + (length / 4 + 1) * 4;
  }
  return names.giveToNameless() && whole;
}

void retryNames(Module *module) {
  if (!module->fileMissed || !module->symbolsRead || !module->strings.empty())
    return;
  module->fileMissed = false;
  module->namesMissed = ENOENT;
  __atomic_store_n(&module->symbolsRead, false, __ATOMIC_RELEASE);
}

void readSymbols(Module *module) {
  if (module->isInner) {
    if (module->outer)
      readSymbols(module->outer);
    // Pairs with tprt_site_describe().
    bool isRead = !module->outer || module->outer->symbolsRead;
    __atomic_store_n(&module->symbolsRead, isRead, __ATOMIC_RELEASE);
    return;
  }
  // While other threads read the present names without the lock, the file is
  // not read again.
  if (module->symbolsRead || module->fault ||
      (module->namesMissed && module->readers))
    return;
  const char *fault = kNoMemory;
  bool carried = false;
  int scarce = ENOMEM;
  if (orderByFunction(module)) {
    bool named = module->siteCount && module->byFunction.empty(); // points only
    scarce = 0;
    fault = named ? nullptr : loadSymbols(module, scarce);
    carried = !scarce && loadNames(module);
  }
  if (fault && !carried && !module->namesMissed)
    say(1,
        "%s: no names for its functions: %s; select by address or module, or "
        "compile with -ftp-names",
        module->path, fault);
  module->namesMissed = static_cast<uint8_t>(scarce);
  if (scarce) { // Incomplete results are discarded.
    module->symbols.reset();
    module->strings.reset();
    for (uint32_t &name : module->nameAt)
      name = 0;
    return;
  }
  // Pairs with tprt_site_describe(), which reads this without the lock.
  __atomic_store_n(&module->symbolsRead, true, __ATOMIC_RELEASE);
}

} // namespace tprt
