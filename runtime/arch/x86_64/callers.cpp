// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See callers.h. The tables' format: Linux Standard Base 5.0, Core, 10.6
// ("Exception Frames") and DWARF 5, 6.4. Only the operations that compilers and
// the trampolines use are supported. Tables are read at the address where the
// loader has mapped them. The tables are trusted, like an exception's unwinder
// trusts them. The stack is not trusted.
#include "callers.h"
#include "base/leb128.h"

#include <string.h>

namespace tprt {

namespace {

// Operations (DWARF 5, 7.24); the first three have an operand in the low bits.
enum : uint8_t {
  kAdvance = 0x40,
  kOffset = 0x80,
  kRestore = 0xc0,
  kNop = 0x00,
  kAdvance1 = 0x02,
  kAdvance2 = 0x03,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kUndefined = 0x07,
  kSameValue = 0x08,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kValueExpression = 0x16,
  kGnuArgsSize = 0x2e,
};

struct Reader {
  const uint8_t *at, *end;

  template <class T> T take() {
    T value = 0;
    if (static_cast<size_t>(end - at) < sizeof value)
      at = end;
    else
      memcpy(&value, at, sizeof value), at += sizeof value;
    return value;
  }
  uint64_t takeLeb() { return takeLeb128(at, end); }
  int64_t takeSignedLeb() { return takeSignedLeb128(at, end); }
  bool skip(uint64_t bytes) {
    bool fits = bytes <= static_cast<uint64_t>(end - at);
    at = fits ? at + bytes : end;
    return fits;
  }
};

// How to find the next outer frame when a thread is at a given instruction.
struct Row {
  static constexpr int32_t kUnsaved = INT32_MAX;
  int32_t saved[Registers::kCount]; // The offset from the CFA at which the
                                    // register is saved, or kUnsaved.
  uint8_t base;                     // The CFA is this register plus `offset`.
  int64_t offset;
};

// The entry of a function, and its common entry.
struct Entry {
  Reader common, own; // The instructions of both entries.
  uint64_t start, end, codeUnit;
  int64_t dataUnit;
};

// Executes a table's instructions up to the requested address.
struct Program {
  Row row, initial, kept[2];
  unsigned keptCount;

  bool run(Reader in, const Entry &entry, uint64_t wanted);
};

} // namespace

static Reader contentsAt(const uint8_t *entry) {
  uint32_t length;
  memcpy(&length, entry, sizeof length);
  entry += sizeof length;
  return {entry, entry + (length < 0xfffffff0 ? length : 0)};
}

// Reads the common entries of compilers and assemblers: augmentation "zR", also
// with P and L, and distances of four bytes relative to their own address.
static bool readCommon(Reader in, Entry &entry) {
  if (in.take<uint32_t>() != 0)
    return false;
  auto version = in.take<uint8_t>();
  Reader letters = in;
  while (in.take<uint8_t>())
    ;
  entry.codeUnit = in.takeLeb();
  entry.dataUnit = in.takeSignedLeb();
  if ((version == 1 ? in.take<uint8_t>() : in.takeLeb()) != Registers::kPc ||
      letters.take<uint8_t>() != 'z')
    return false;
  uint64_t bytes = in.takeLeb();
  Reader data = in;
  if (!in.skip(bytes))
    return false;
  entry.common = in;
  bool known = false;
  while (uint8_t letter = letters.take<uint8_t>()) {
    constexpr uint8_t kPcRelativeSigned4 = 0x1b;
    if (letter == 'R') {
      known = data.take<uint8_t>() == kPcRelativeSigned4;
    } else if (letter == 'L') {
      data.take<uint8_t>();
    } else if (letter == 'P') {
      uint8_t format = data.take<uint8_t>() & 0x07;
      data.skip(format == 0 || format == 4 ? 8 : 4);
    } else {
      return false; // a signal's frame is such a case
    }
  }
  return known;
}

static bool readEntry(const uint8_t *at, Entry &entry) {
  Reader in = contentsAt(at);
  const uint8_t *field = in.at;
  auto back = in.take<uint32_t>();
  if (!back || !readCommon(contentsAt(field - back), entry))
    return false;
  auto place = reinterpret_cast<uint64_t>(in.at);
  entry.start = place + static_cast<uint64_t>(int64_t{in.take<int32_t>()});
  entry.end = entry.start + in.take<uint32_t>();
  if (!in.skip(in.takeLeb()))
    return false;
  entry.own = in;
  return true;
}

// The table is searched from one end to the other, because linkers do not agree
// on its order. That takes some microseconds.
static bool findEntry(uint64_t header, uint64_t address, Entry &entry) {
  struct {
    uint8_t version, frames, count, table;
    int32_t place;
    uint32_t rows;
  } head;
  memcpy(&head, reinterpret_cast<const void *>(header), sizeof head);
  if (head.version != 1 || (head.frames & 0x0f) != 0x0b || head.count != 3 ||
      head.table != 0x3b)
    return false;
  struct Line {
    int32_t start, entry;
  } line, best = {};
  auto distance = static_cast<int64_t>(address - header);
  bool any = false;
  for (uint32_t i = 0; i < head.rows; ++i) {
    memcpy(
        &line,
        reinterpret_cast<const void *>(header + sizeof head + i * sizeof line),
        sizeof line);
    if (line.start <= distance && (!any || line.start > best.start))
      best = line, any = true;
  }
  return any &&
         readEntry(reinterpret_cast<const uint8_t *>(
                       header + static_cast<uint64_t>(int64_t{best.entry})),
                   entry) &&
         address >= entry.start && address < entry.end;
}

// Returns false at an unsupported instruction. `wanted` is the distance from
// the function's beginning to the requested instruction.
bool Program::run(Reader in, const Entry &entry, uint64_t wanted) {
  uint64_t at = 0;
  auto save = [&](uint64_t number, uint64_t units) {
    if (number < Registers::kCount)
      row.saved[number] =
          static_cast<int32_t>(static_cast<int64_t>(units) * entry.dataUnit);
  };
  auto restore = [&](uint64_t number, bool known) {
    if (number < Registers::kCount)
      row.saved[number] = known ? initial.saved[number] : Row::kUnsaved;
  };
  while (in.at < in.end) {
    uint8_t code = in.take<uint8_t>(), low = code & 0x3f;
    switch (code & 0xc0 ? code & 0xc0 : code) {
    case kNop:
      break;
    case kAdvance:
      at += low * entry.codeUnit;
      break;
    case kAdvance1:
      at += in.take<uint8_t>() * entry.codeUnit;
      break;
    case kAdvance2:
      at += in.take<uint16_t>() * entry.codeUnit;
      break;
    case kAdvance4:
      at += in.take<uint32_t>() * entry.codeUnit;
      break;
    case kOffset:
      save(low, in.takeLeb());
      break;
    case kOffsetExtended: {
      uint64_t number = in.takeLeb();
      save(number, in.takeLeb());
      break;
    }
    case kRestore:
      restore(low, true);
      break;
    case kUndefined:
    case kSameValue:
      restore(in.takeLeb(), false);
      break;
    case kValueExpression: // the return address of the trampolines
      restore(in.takeLeb(), false);
      in.skip(in.takeLeb());
      break;
    case kRememberState:
      if (keptCount == sizeof kept / sizeof *kept)
        return false;
      kept[keptCount++] = row;
      break;
    case kRestoreState:
      if (!keptCount)
        return false;
      row = kept[--keptCount];
      break;
    case kDefCfa:
      row.base = static_cast<uint8_t>(in.takeLeb());
      row.offset = static_cast<int64_t>(in.takeLeb());
      break;
    case kDefCfaRegister:
      row.base = static_cast<uint8_t>(in.takeLeb());
      break;
    case kDefCfaOffset:
      row.offset = static_cast<int64_t>(in.takeLeb());
      break;
    case kGnuArgsSize:
      in.takeLeb();
      break;
    default:
      return false;
    }
    if (at > wanted)
      return true;
  }
  return true;
}

bool stepOut(const UnwindTables &tables, Registers &registers, bool isCalled,
             Peek peek) {
  uint64_t address = registers[Registers::kPc] - isCalled;
  Entry entry;
  Program program = {};
  bool found = false;
  for (const UnwindTable &table : tables.all)
    found = found || (address - table.start < table.end - table.start &&
                      findEntry(table.header, address, entry));
  for (int32_t &saved : program.row.saved)
    saved = Row::kUnsaved;
  // If an operation advances past the requested instruction, the row is still
  // that of the requested instruction.
  if (!found || !program.run(entry.common, entry, UINT64_MAX))
    return false;
  program.initial = program.row;
  const Row &row = program.row;
  if (!program.run(entry.own, entry, address - entry.start) ||
      row.base >= Registers::kPc)
    return false;
  uint64_t cfa = registers[row.base] + static_cast<uint64_t>(row.offset);
  for (uint8_t i = 0; i < Registers::kCount; ++i)
    if (row.saved[i] != Row::kUnsaved &&
        !peek(cfa + static_cast<uint64_t>(int64_t{row.saved[i]}), &registers[i],
              sizeof registers[i]))
      return false;
  registers[Registers::kRsp] = cfa;
  return true;
}

} // namespace tprt
