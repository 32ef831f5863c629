// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reader of .debug_line, versions 2 to 5 (DWARF 5, 6.2; version 4 and before:
// DWARF 4, 6.2). It wants one thing of it, the file in which a function's first
// row lies, so it skips the units that name no file of interest. Nothing read
// is trusted: a cursor that runs out yields zeros, and the unit ends there.
#include "core/lines.h"
#include "core/elffile.h"

#include <string.h>

namespace tprt {

namespace {
constexpr uint8_t kExtended = 0, kCopy = 1, kAdvancePc = 2, kSetFile = 4,
                  kConstAddPc = 8, kFixedAdvancePc = 9;
constexpr uint8_t kEndSequence = 1, kSetAddress = 2;
constexpr uint64_t kPath = 1, kDirectoryIndex = 2;
constexpr uint64_t kString = 0x08, kUdata = 0x0f; // forms
constexpr size_t kMostPath = 4096;

struct Cursor {
  const char *at, *end;

  uint64_t left() const { return static_cast<uint64_t>(end - at); }
  void skip(uint64_t bytes) { at = bytes < left() ? at + bytes : end; }
  uint64_t fixed(unsigned bytes) {
    uint64_t value = 0;
    if (bytes <= sizeof value && bytes <= left())
      memcpy(&value, at, bytes);
    skip(bytes);
    return value;
  }
  uint64_t uleb() {
    uint64_t value = 0;
    for (unsigned shift = 0; at < end; shift += 7) {
      auto byte = static_cast<uint8_t>(*at++);
      if (shift < 64)
        value |= uint64_t{byte & 0x7fu} << shift;
      if (!(byte & 0x80))
        break;
    }
    return value;
  }
  // "" where no NUL is left.
  const char *string() {
    const char *start = at,
               *nul = static_cast<const char *>(memchr(at, 0, left()));
    at = nul ? nul + 1 : end;
    return nul ? start : "";
  }
};

struct Name {
  const char *path;
  uint64_t directory;
  bool wanted; // of a file
};

struct Column {
  uint64_t content, form;
};

struct Row {
  uint64_t address, file;
};

// What the whole search needs.
struct Search {
  Module *module;
  const char *pattern;
  Array<uint8_t> *marks;
  Array<char> lines, strings[2]; // each with a zero behind its end
};

struct Unit {
  Search *search;
  unsigned version, offsetBytes;
  uint8_t minimumInstruction, lineRange, opcodeBase;
  const char *operandCounts;
  Array<Name> directories, files;
  Row now, last;
  bool inSequence; // and `last` is of it
  bool linked;     // the sequence's code is in the module

  const char *stringAt(const Array<char> &section, uint64_t offset) const {
    return offset < section.size() ? section.begin() + offset : "";
  }
  bool readForm(Cursor &c, uint64_t form, const char *&text, uint64_t &number);
  bool readRows(Cursor &c, const Column *columns, uint64_t count, uint64_t rows,
                Array<Name> &out);
  bool readNames(Cursor &c, uint64_t oldColumns, Array<Name> &out);
  bool chooseFiles();
  void markRange(uint64_t from, uint64_t to);
  void row();
  void run(Cursor program);
};
} // namespace

// A column's value: a text or, if that is null, a number. False: of a form that
// is not for names.
bool Unit::readForm(Cursor &c, uint64_t form, const char *&text,
                    uint64_t &number) {
  text = nullptr;
  number = 0;
  switch (form) {
  case kString:
    text = c.string();
    break;
  case 0x1f: // line_strp
  case 0x0e: // strp
    text = stringAt(search->strings[form == 0x0e], c.fixed(offsetBytes));
    break;
  case 0x0b: // data1
    number = c.fixed(1);
    break;
  case 0x05: // data2
  case 0x06: // data4
  case 0x07: // data8
    number = c.fixed(2u << (form - 5));
    break;
  case kUdata:
    number = c.uleb();
    break;
  case 0x1e: // data16
    c.skip(16);
    break;
  case 0x09: // block
    c.skip(c.uleb());
    break;
  default:
    return false;
  }
  return true;
}

bool Unit::readRows(Cursor &c, const Column *columns, uint64_t count,
                    uint64_t rows, Array<Name> &out) {
  for (; rows && c.left(); --rows) {
    Name name{"", 0, false};
    for (uint64_t i = 0; i < count; ++i) {
      const char *text;
      uint64_t number;
      if (!readForm(c, columns[i].form, text, number))
        return false;
      if (columns[i].content == kPath && text)
        name.path = text;
      if (columns[i].content == kDirectoryIndex)
        name.directory = number;
    }
    if (!out.push(name))
      return false;
  }
  return true;
}

// One list. Versions up to 4 know its columns and count from 1; the
// compilation's own directory, their number 0, stands elsewhere, and an empty
// name ends the list. In version 5 it describes its columns.
bool Unit::readNames(Cursor &c, uint64_t oldColumns, Array<Name> &out) {
  if (version < 5) {
    static constexpr Column kOld[] = {
        {kPath, kString}, {kDirectoryIndex, kUdata}, {0, kUdata}, {0, kUdata}};
    bool memory = out.push({"", 0, false});
    while (memory && c.left() && *c.at)
      memory = readRows(c, kOld, oldColumns, 1, out);
    c.skip(1);
    return memory;
  }
  Column columns[16];
  uint64_t count = c.fixed(1);
  // Rows without columns take no bytes: a count that lies would never end.
  if (count == 0 || count > 16)
    return count == 0 && c.uleb() == 0;
  for (uint64_t i = 0; i < count; ++i)
    columns[i] = {c.uleb(), c.uleb()};
  return readRows(c, columns, count, c.uleb(), out);
}

static bool sourceMatches(const char *pattern, const char *path) {
  if (isGlob(pattern))
    return globMatchesPath(pattern, path);
  size_t all = strlen(path), wanted = strlen(pattern);
  return all >= wanted && strcmp(path + all - wanted, pattern) == 0 &&
         (all == wanted || path[all - wanted - 1] == '/');
}

static void append(char *path, const char *part) {
  size_t used = strlen(path), more = strlen(part);
  if (!more || used + more + 2 > kMostPath)
    return;
  if (part[0] == '/')
    used = 0; // absolute: what was in front does not count
  else if (used)
    path[used++] = '/';
  memcpy(path + used, part, more + 1);
}

// False: none of the unit's files matches.
bool Unit::chooseFiles() {
  bool any = false;
  for (Name &file : files) {
    char path[kMostPath];
    path[0] = 0;
    if (!directories.empty())
      append(path, directories[0].path);
    if (file.directory < directories.size())
      append(path, directories[file.directory].path);
    append(path, file.path);
    file.wanted = sourceMatches(search->pattern, path);
    any |= file.wanted;
  }
  return any;
}

void Unit::markRange(uint64_t from, uint64_t to) {
  const Module *module = search->module;
  uint32_t end = functionFrom(module, module->base + to);
  for (uint32_t i = functionFrom(module, module->base + from); i < end; ++i)
    (*search->marks)[module->byFunction[i] - module->firstSite] |= kInSource;
}

// Of several rows at one address the first says where the function is; those
// after it are of what was inlined there.
void Unit::row() {
  if (inSequence && now.address == last.address)
    return;
  if (inSequence && linked && last.file < files.size() &&
      files[last.file].wanted)
    markRange(last.address, now.address);
  inSequence = true;
  last = now;
}

// The line program.
[[gnu::noinline]] void Unit::run(Cursor c) {
  now = {0, 1};
  while (c.left()) {
    auto opcode = static_cast<uint8_t>(c.fixed(1));
    if (opcode >= opcodeBase || opcode == kConstAddPc) {
      bool special = opcode >= opcodeBase;
      now.address += uint64_t{static_cast<uint8_t>((special ? opcode : 255) -
                                                   opcodeBase)} /
                     lineRange * minimumInstruction;
      if (special)
        row();
      continue;
    }
    switch (opcode) {
    case kExtended: {
      uint64_t bytes = c.uleb();
      Cursor operand = c;
      c.skip(bytes);
      uint64_t what = bytes ? operand.fixed(1) : 0;
      if (what == kSetAddress)
        now.address = operand.fixed(static_cast<unsigned>(bytes - 1));
      // 0 or -1, by linker: the function was discarded.
      if (what == kSetAddress)
        linked = now.address + 1 > 1;
      if (what == kEndSequence) {
        row();
        now = {0, 1};
        inSequence = false;
      }
      break;
    }
    case kCopy:
      row();
      break;
    case kAdvancePc:
      now.address += c.uleb() * minimumInstruction;
      break;
    case kSetFile:
      now.file = c.uleb();
      break;
    case kFixedAdvancePc:
      now.address += c.fixed(2);
      break;
    default: // lines, columns and flags are of no interest
      for (auto left = static_cast<uint8_t>(operandCounts[opcode - 1]); left;
           --left)
        c.uleb();
    }
  }
}

[[gnu::noinline]] static void searchUnit(Search &search, Cursor c,
                                         unsigned offsetBytes) {
  Unit unit{};
  unit.search = &search;
  unit.offsetBytes = offsetBytes;
  unit.version = static_cast<unsigned>(c.fixed(2));
  if (unit.version < 2 || unit.version > 5)
    return;
  if (unit.version == 5)
    c.skip(2); // sizes of addresses and segment selectors
  uint64_t headerBytes = c.fixed(offsetBytes);
  Cursor program = c;
  program.skip(headerBytes);
  unit.minimumInstruction = static_cast<uint8_t>(c.fixed(1));
  c.skip(
      unit.version >= 4
          ? 3
          : 2); // operations an instruction, default statement flag, line base
  unit.lineRange = static_cast<uint8_t>(c.fixed(1));
  unit.opcodeBase = static_cast<uint8_t>(c.fixed(1));
  unit.operandCounts = c.at;
  if (!unit.lineRange || !unit.opcodeBase || c.left() < unit.opcodeBase)
    return;
  c.skip(unit.opcodeBase - 1u);
  if (unit.readNames(c, 1, unit.directories) &&
      unit.readNames(c, 4, unit.files) && unit.chooseFiles())
    unit.run(program);
}

const char *markSource(Module *module, const char *pattern,
                       Array<uint8_t> &marks) {
  ElfFile file(module);
  const Elf64_Shdr *lines = file.find(".debug_line");
  if (!lines)
    return file.fault(
        "it has no line table; build it with -g or -gline-tables-only");
  if (lines->sh_flags & SHF_COMPRESSED)
    return "its line table is compressed; link it without "
           "--compress-debug-sections";
  Search search{module, pattern, &marks, {}, {}};
  if (!file.read(*lines, search.lines))
    return "its line table can't be read";
  static const char kSections[][16] = {".debug_line_str", ".debug_str"};
  for (size_t i = 0; i < 2; ++i)
    if (const Elf64_Shdr *s = file.find(kSections[i]))
      file.read(*s, search.strings[i]);
  Cursor c{search.lines.begin(), search.lines.end() - 1};
  while (c.left()) {
    unsigned offsetBytes = 4;
    uint64_t bytes = c.fixed(4);
    if (bytes == 0xffffffff) {
      offsetBytes = 8;
      bytes = c.fixed(8);
    }
    Cursor unit = c;
    c.skip(bytes);
    unit.end = c.at;
    searchUnit(search, unit, offsetBytes);
  }
  return nullptr;
}

} // namespace tprt
