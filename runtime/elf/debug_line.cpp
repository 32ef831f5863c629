// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of line tables; see debug_line.h. Reads versions 2 to 5 of
// .debug_line (DWARF 5, 6.2; for versions up to 4, DWARF 4, 6.2). Called under
// the lock.
#include "elf/debug_line.h"
#include "base/leb128.h"
#include "elf/elf_file.h"

#include <string.h>

namespace tprt {

namespace {
constexpr uint8_t kExtended = 0, kCopy = 1, kAdvancePc = 2, kAdvanceLine = 3,
                  kSetFile = 4, kConstAddPc = 8, kFixedAdvancePc = 9;
constexpr uint8_t kEndSequence = 1, kSetAddress = 2;
constexpr uint64_t kPath = 1, kDirectoryIndex = 2;
constexpr uint64_t kString = 0x08, kUdata = 0x0f; // forms

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
  uint64_t uleb() { return takeLeb128(at, end); }
  int64_t sleb() { return takeSignedLeb128(at, end); }
  // Returns "" if there is no NUL left.
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
  bool wanted; // for a file: the visitor requested it
};

struct Column {
  uint64_t content, form;
};

struct Row {
  uint64_t address, file;
  uint32_t line;
};

} // namespace

// Reads one unit after the other. The reader itself is the cursor in the unit.
// The larger member functions are never inlined. Short instructions reach the
// members only near the reader's address, and in the frame of a selecting
// function the members would be too far away.
struct LineReader : Cursor {
  LineVisitor *visitor;
  // The unit:
  unsigned version, offsetBytes;
  uint8_t minimumInstruction, lineRange, opcodeBase;
  int8_t lineBase;
  bool inSequence; // and `last` is valid
  bool linked;     // the code of the sequence is in the module
  const char *operandCounts;
  Row now, last;
  Array<Name> directories, files;
  // The module's .debug_line_str and .debug_str, each followed by a zero.
  Array<char> strings[2];

  const char *stringAt(const Array<char> &section, uint64_t offset) const {
    return offset < section.size() ? section.begin() + offset : "";
  }
  bool readForm(uint64_t form, const char *&text, uint64_t &number);
  bool readRows(const Column *columns, uint64_t count, uint64_t rows,
                Array<Name> &out);
  bool readNames(uint64_t oldColumns, Array<Name> &out);
  void writePath(const Name &file, char (&path)[kMostPath]) const;
  bool chooseFiles();
  void row();
  bool advance(uint8_t opcode);
  void extended();
  void run();
  void searchUnit();
};

// Reads a column's value: a text or, if the text is null, a number. Returns
// false if names never have this form.
bool LineReader::readForm(uint64_t form, const char *&text, uint64_t &number) {
  text = nullptr;
  number = 0;
  switch (form) {
  case kString:
    text = string();
    break;
  case 0x1f: // line_strp
  case 0x0e: // strp
    text = stringAt(strings[form == 0x0e], fixed(offsetBytes));
    break;
  case 0x0b: // data1
    number = fixed(1);
    break;
  case 0x05: // data2
  case 0x06: // data4
  case 0x07: // data8
    number = fixed(2u << (form - 5));
    break;
  case kUdata:
    number = uleb();
    break;
  case 0x1e: // data16
    skip(16);
    break;
  case 0x09: // block
    skip(uleb());
    break;
  default:
    return false;
  }
  return true;
}

bool LineReader::readRows(const Column *columns, uint64_t count, uint64_t rows,
                          Array<Name> &out) {
  for (; rows && left(); --rows) {
    Name name{"", 0, false};
    for (uint64_t i = 0; i < count; ++i) {
      const char *text;
      uint64_t number;
      if (!readForm(columns[i].form, text, number))
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

// Reads one list, of directories or files. In versions up to 4 the columns are
// fixed and entries count from 1. Number 0 is the compilation's own directory,
// which is stored elsewhere. An empty name ends the list. In version 5, the
// list describes its columns.
bool LineReader::readNames(uint64_t oldColumns, Array<Name> &out) {
  if (version < 5) {
    static constexpr Column kOld[] = {
        {kPath, kString}, {kDirectoryIndex, kUdata}, {0, kUdata}, {0, kUdata}};
    bool memory = out.push({"", 0, false});
    while (memory && left() && *at)
      memory = readRows(kOld, oldColumns, 1, out);
    skip(1);
    return memory;
  }
  Column columns[16];
  uint64_t count = fixed(1);
  // Rows without columns have no bytes, so a wrong count of rows could make the
  // loop almost endless.
  if (count == 0 || count > 16)
    return count == 0 && uleb() == 0;
  for (uint64_t i = 0; i < count; ++i)
    columns[i] = {uleb(), uleb()};
  return readRows(columns, count, uleb(), out);
}

// Appends a slash and a part to a path.
static void append(char *path, const char *part) {
  size_t used = strlen(path), more = strlen(part);
  if (!more || used + more + 2 > kMostPath)
    return;
  if (part[0] == '/')
    used = 0; // an absolute part replaces the path
  path[used] = '/';
  memcpy(path + used + 1, part, more + 1);
}

void LineReader::writePath(const Name &file, char (&path)[kMostPath]) const {
  path[0] = 0;
  if (!directories.empty())
    append(path, directories[0].path);
  if (file.directory < directories.size())
    append(path, directories[file.directory].path);
  append(path, file.path);
}

void writePath(const LineReader &reader, char (&path)[kMostPath]) {
  reader.writePath(reader.files[reader.last.file], path);
}

// Calls the visitor for the unit's files. Returns false if none of them is of
// interest.
bool LineReader::chooseFiles() {
  bool any = !visitor->wants;
  for (Name &file : files) {
    char path[kMostPath];
    if (visitor->wants)
      writePath(file, path);
    file.wanted = !visitor->wants || visitor->wants(*visitor, path);
    any |= file.wanted;
  }
  return any;
}

// Handles a new row. If several rows have one address, the first row gives the
// function's line. The others belong to inlined code.
void LineReader::row() {
  if (inSequence && now.address == last.address)
    return;
  if (inSequence && linked && last.address < now.address &&
      last.file < files.size() && files[last.file].wanted)
    visitor->found(*visitor, *this, last.address, now.address, last.line);
  inSequence = true;
  last = now;
}

// Executes an opcode that advances address and line in one byte. Returns false
// for any other opcode.
bool LineReader::advance(uint8_t opcode) {
  bool special = opcode >= opcodeBase;
  if (!special && opcode != kConstAddPc)
    return false;
  auto steps = static_cast<uint8_t>((special ? opcode : 255) - opcodeBase);
  now.address += uint64_t{steps} / lineRange * minimumInstruction;
  if (special) {
    now.line += static_cast<uint32_t>(lineBase + steps % lineRange);
    row();
  }
  return true;
}

// Executes an extended opcode, which contains its own length.
void LineReader::extended() {
  uint64_t bytes = uleb();
  Cursor next = *this;
  next.skip(bytes);
  uint64_t what = bytes ? fixed(1) : 0;
  if (what == kSetAddress) {
    now.address = fixed(static_cast<unsigned>(bytes - 1));
    // If the function was discarded, the address is 0 or -1, depending on the
    // linker.
    linked = now.address + 1 > 1;
  }
  if (what == kEndSequence) {
    row();
    now = {0, 1, 1};
    inSequence = false;
  }
  at = next.at;
}

// Runs the unit's line program.
void LineReader::run() {
  now = {0, 1, 1};
  while (left()) {
    auto opcode = static_cast<uint8_t>(fixed(1));
    if (advance(opcode))
      continue;
    switch (opcode) {
    case kExtended:
      extended();
      break;
    case kCopy:
      row();
      break;
    case kAdvancePc:
      now.address += uleb() * minimumInstruction;
      break;
    case kAdvanceLine:
      now.line += static_cast<uint32_t>(sleb());
      break;
    case kSetFile:
      now.file = uleb();
      break;
    case kFixedAdvancePc:
      now.address += fixed(2);
      break;
    default: // columns and flags are not needed
      for (auto left = static_cast<uint8_t>(operandCounts[opcode - 1]); left;
           --left)
        uleb();
    }
  }
}

void LineReader::searchUnit() {
  version = static_cast<unsigned>(fixed(2));
  if (version < 2 || version > 5)
    return;
  if (version == 5)
    skip(2); // sizes of addresses and segment selectors
  uint64_t headerBytes = fixed(offsetBytes);
  Cursor program = *this;
  program.skip(headerBytes);
  minimumInstruction = static_cast<uint8_t>(fixed(1));
  // Skips the operations per instruction and the default statement flag.
  skip(version >= 4 ? 2 : 1);
  lineBase = static_cast<int8_t>(fixed(1));
  lineRange = static_cast<uint8_t>(fixed(1));
  opcodeBase = static_cast<uint8_t>(fixed(1));
  operandCounts = at;
  if (!lineRange || !opcodeBase || left() < opcodeBase)
    return;
  skip(opcodeBase - 1u);
  directories.clear();
  files.clear();
  inSequence = linked = false;
  if (readNames(1, directories) && readNames(4, files) && chooseFiles()) {
    at = program.at;
    run();
  }
}

const char *readLineTable(const Module *module, LineVisitor &visitor) {
  ElfFile own(module), debug;
  bool isStripped = !own.find(".debug_line");
  const ElfFile &file =
      isStripped && debug.openDebugFileOf(module, own) ? debug : own;
  const Elf64_Shdr *lines = file.find(".debug_line");
  if (!lines)
    return file.fault(
        "it has no line table; build it with -g or -gline-tables-only");
  if (lines->sh_flags & SHF_COMPRESSED)
    return "its line table is compressed; link it without "
           "--compress-debug-sections";
  Array<char> bytes;
  if (!file.read(*lines, bytes))
    return "its line table can't be read";
  LineReader reader{};
  reader.visitor = &visitor;
  static const char kSections[][16] = {".debug_line_str", ".debug_str"};
  for (size_t i = 0; i < 2; ++i)
    if (const Elf64_Shdr *s = file.find(kSections[i]))
      file.read(*s, reader.strings[i]);
  Cursor c{bytes.begin(), bytes.end() - 1};
  while (c.left()) {
    reader.offsetBytes = 4;
    uint64_t unit = c.fixed(4);
    if (unit == 0xffffffff) {
      reader.offsetBytes = 8;
      unit = c.fixed(8);
    }
    reader.at = c.at;
    c.skip(unit);
    reader.end = c.at;
    reader.searchUnit();
  }
  return nullptr;
}

} // namespace tprt
