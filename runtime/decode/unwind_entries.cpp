// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads .eh_frame_hdr and the entries of .eh_frame that it refers to; see
// unwind_entries.h. Their format: Linux Standard Base 5.0, Core, 10.6
// ("Exception Frames") and DWARF 5, 6.4. Every address is checked before it is
// read, because the tables may be corrupt.
#include "decode/unwind_entries.h"
#include "base/leb128.h"
#include "base/sort.h"

#include <elf.h>
#include <string.h>

namespace tprt {

// Encodings of pointers (LSB Core, 10.5.1).
enum : uint8_t {
  kPointerSigned4 = 0x0b,
  kPointerPcRelative = 0x10,
  kPointerDataRelative = 0x30,
  kPointerOmitted = 0xff,
};

// Operations of call frame instructions (DWARF 5, 6.4.2 and 7.24).
enum : uint8_t {
  // The upper two bits identify these operations, and the lower bits are an
  // operand.
  kAdvanceLoc = 0x40,
  kOffset = 0x80,
  kNop = 0x00,
  kRemember = 0x0a,
  kDefCfa = 0x0c,
  kDefCfaOffset = 0x0e,
  kDefCfaExpression = 0x0f,
  kGnuArgsSize = 0x2e,
};

bool isIn(const CodeView &view, uint64_t start, uint64_t end, uint64_t rights) {
  for (size_t i = 0; i < view.segmentCount; ++i) {
    const Segment &s = view.segments[i];
    if (start >= s.start && end <= s.end && start <= end &&
        (s.flags & rights) == rights)
      return true;
  }
  return false;
}

namespace {
// Reads forward through memory of the module, and never leaves it: `at` is
// never after `end`. After the reader has reached the end, every further read
// returns 0.
struct Reader {
  const uint8_t *at, *end;

  size_t left() const { return static_cast<size_t>(end - at); }
  // Returns false if fewer bytes are left. All of them are skipped in this
  // case.
  bool skip(size_t bytes) {
    bool fits = bytes <= left();
    at = fits ? at + bytes : end;
    return fits;
  }
  template <class T> T take() {
    T value = 0;
    const uint8_t *from = at;
    if (skip(sizeof value))
      memcpy(&value, from, sizeof value);
    return value;
  }
  uint64_t takeLeb() { return takeLeb128(at, end); }
};

// The common entry to which other entries refer.
struct Common {
  bool known;    // The contents of the entry are supported.
  bool isSignal; // Augmentation S.
};
} // namespace

// An entry's contents. The result is empty if the entry reaches beyond the
// module.
static Reader contentsOf(const CodeView &view, uint64_t entry) {
  uint32_t length = 0;
  if (!isIn(view, entry, entry + sizeof length, PF_R))
    return {};
  memcpy(&length, reinterpret_cast<const void *>(entry), sizeof length);
  uint64_t start = entry + sizeof length;
  if (length >= 0xfffffff0 || !isIn(view, start, start + length, PF_R))
    return {};
  const auto *first = reinterpret_cast<const uint8_t *>(start);
  return {first, first + length};
}

// Reads a common entry. Its augmentation must begin with z, like that of all
// compilers, and pointers must have four bytes.
static Common readCommon(const CodeView &view, uint64_t entry) {
  Reader in = contentsOf(view, entry);
  Common common = {};
  if (in.take<uint32_t>() != 0 || in.take<uint8_t>() != 1)
    return common;
  // The letters of the augmentation, and the 0 after them.
  Reader letters = in;
  while (in.take<uint8_t>())
    ;
  if (letters.take<uint8_t>() != 'z')
    return common;
  in.takeLeb(); // code alignment
  in.takeLeb(); // data alignment
  in.takeLeb(); // column of the return address
  in.takeLeb(); // bytes of augmentation
  while (uint8_t letter = letters.take<uint8_t>())
    switch (letter) {
    case 'R':
      common.known =
          in.take<uint8_t>() == (kPointerPcRelative | kPointerSigned4);
      break;
    case 'L':
      in.take<uint8_t>();
      break;
    case 'P': {
      uint8_t encoding = in.take<uint8_t>();
      bool wide = (encoding & 0x07) == 0 || (encoding & 0x07) == 4;
      in.skip(wide ? 8 : 4);
      break;
    }
    case 'S':
      common.isSignal = true;
      break;
    }
  return common;
}

// Whether, at the first instruction, the frame differs from that after a call.
// In that case the entry changes the frame's rules before its first advance.
// llvm-bolt's entries begin with the saved registers.
static bool startsInside(Reader in) {
  while (in.at < in.end) {
    uint8_t code = in.take<uint8_t>();
    if ((code & ~0x3f) == kOffset) {
      in.takeLeb();
      continue;
    }
    if (code >= kAdvanceLoc)
      return false;
    switch (code) {
    case kNop:
    case kRemember:
      break;
    case kGnuArgsSize:
      in.takeLeb();
      break;
    case kDefCfa:
    case kDefCfaOffset:
    case kDefCfaExpression:
      return true;
    default:
      return false;
    }
  }
  return false;
}

// Reads the entry of the function that begins at `start`. Returns false for an
// unsupported kind of entry.
static bool readFunction(const CodeView &view, uint64_t start, uint64_t entry,
                         Function &out) {
  Reader in = contentsOf(view, entry);
  uint64_t field = reinterpret_cast<uint64_t>(in.at);
  auto back = in.take<uint32_t>();
  if (!back)
    return false;
  Common common = readCommon(view, field - back);
  if (!common.known)
    return false;
  uint64_t place = reinterpret_cast<uint64_t>(in.at);
  uint64_t first = place + static_cast<uint64_t>(int64_t{in.take<int32_t>()});
  uint64_t end = first + in.take<uint32_t>();
  if (first != start || !isIn(view, first, end, PF_R | PF_X) || first == end)
    return false;
  uint64_t augmentation = in.takeLeb();
  if (!in.skip(augmentation))
    return false;
  out = {static_cast<uint32_t>(first - view.origin),
         static_cast<uint32_t>(end - view.origin),
         startsInside(in) || common.isSignal, common.isSignal};
  return true;
}

// If an entry overlaps the previous one, it is corrupt.
static void dropOverlapping(Array<Function> &functions) {
  size_t kept = 0;
  for (const Function &one : functions)
    if (!kept || one.start >= functions[kept - 1].end)
      functions[kept++] = one;
  functions.resize(kept);
}

const char *findFunctions(const CodeView &view, Array<Function> &out) {
  struct {
    uint8_t version, frames, count, table;
  } head;
  if (!view.frames || !isIn(view, view.frames, view.frames + 12, PF_R))
    return "it has no .eh_frame_hdr to list its functions";
  memcpy(&head, reinterpret_cast<const void *>(view.frames), sizeof head);
  if (head.version != 1 || (head.frames & 0x0f) != kPointerSigned4 ||
      head.count != 0x03 ||
      head.table != (kPointerDataRelative | kPointerSigned4))
    return "its .eh_frame_hdr has no table of a known format";
  struct Row {
    int32_t start, entry;
  };
  uint32_t count;
  memcpy(&count, reinterpret_cast<const void *>(view.frames + 8), sizeof count);
  uint64_t rows = view.frames + 12;
  if (!isIn(view, rows, rows + uint64_t{count} * sizeof(Row), PF_R))
    return "its .eh_frame_hdr is damaged";
  for (uint32_t i = 0; i < count; ++i) {
    Row row;
    Function function;
    memcpy(&row, reinterpret_cast<const void *>(rows + i * sizeof row),
           sizeof row);
    auto at = [&](int32_t distance) {
      return view.frames + static_cast<uint64_t>(int64_t{distance});
    };
    if (readFunction(view, at(row.start), at(row.entry), function) &&
        !out.push(function))
      return kNoMemory;
  }
  // When lld sorts the table, it treats the distances as unsigned: code that
  // lies before the table comes last.
  heapSort(out.begin(), out.size(), [](const Function &a, const Function &b) {
    return a.start < b.start;
  });
  dropOverlapping(out);
  return out.empty() ? "its .eh_frame_hdr lists no function" : nullptr;
}

} // namespace tprt
