// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of unwind tables: for each run of a module's code, how the caller's
// registers are found. Made of .eh_frame before hits use them, so hits read
// none of the program's tables. Not in hits.
#ifndef TPRT_STACKS_UNWIND_ROWS_H
#define TPRT_STACKS_UNWIND_ROWS_H

#include "base/array.h"
#include "base/extent.h"

#include <stdint.h>

namespace tprt {

// How a frame's caller is found. The CFA is the stack pointer that the caller
// has after the call (DWARF 5, 6.4).
struct UnwindRow {
  enum Kind : uint8_t {
    NoCode,    // The address is in no known module.
    Unknown,   // In a module, but the tables do not tell.
    Outermost, // The tables say that there is no caller.
    ByStack,   // The CFA is the stack pointer + cfa.
    ByFrame,   // The CFA is the frame pointer + cfa.
    ByOther,   // The CFA is found by another register.
    InMemory,  // The CFA is stored at the frame pointer + cfa.
    InStub,    // In the procedure linkage table: the CFA is the stack pointer +
               // 8, and from byte `cfa` of an entry of 16 bytes on, + 16.
    Signal,    // A signal handler returns to this code.
  };
  // Values of `frame` and `back`. Unchanged: the register still has the value.
  static constexpr int32_t kUnchanged = INT32_MAX, kLost = INT32_MIN;
  // Of `frame`: at the frame pointer itself.
  static constexpr int32_t kAtFrame = INT32_MAX - 1;

  uint32_t kind;
  int32_t cfa;
  int32_t frame; // The caller's frame pointer is stored at the CFA + this.
  int32_t back;  // The same of the return address.

  bool operator==(const UnwindRow &other) const {
    return kind == other.kind && cfa == other.cfa && frame == other.frame &&
           back == other.back;
  }
};

// All rows that differ, of all modules. A row's number never changes. The first
// two are NoCode and Unknown.
class RowList {
public:
  static constexpr uint32_t kMost = UINT16_MAX;
  static constexpr uint16_t kNoCode = 0, kUnknown = 1;

  // False: no memory.
  bool prepare();
  void release();
  // The row's number. kUnknown if there are too many rows.
  uint16_t numberOf(const UnwindRow &row);
  const UnwindRow &operator[](uint16_t number) const { return rows[number]; }

private:
  static constexpr uint32_t kIndex = 4 * (kMost + 1);
  UnwindRow *rows = nullptr;
  uint16_t *index = nullptr; // By hash, with linear probing; 0 is none.
  uint32_t used = 0;
};

// A module's runs of code, in order of address: run i is from starts[i] to
// starts[i + 1], and has the row numbers[i]. Offsets from the module's origin.
struct ModuleRows {
  Array<uint32_t> starts;
  Array<uint16_t> numbers;
};

// Reads the tables of a loaded module. `header` is the address of its
// .eh_frame_hdr, and `readable` the segments that may be read. A part that is
// damaged or of an unknown format has no rows. False: no memory.
bool readRows(uint64_t origin, uint64_t header, Segments readable,
              RowList &list, ModuleRows &to);

} // namespace tprt

#endif
