// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executes the instructions of unwind tables (DWARF 5, 6.4.2), as far as they
// concern the stack pointer, the frame pointer and the return address. Not in
// hits.
#ifndef TPRT_STACKS_FRAME_RULES_H
#define TPRT_STACKS_FRAME_RULES_H

#include "base/leb128.h"
#include "stacks/unwind_rows.h"

#include <stddef.h>
#include <string.h>

namespace tprt {

// Reads forward, and never leaves the entry. After the end, each read returns
// 0.
struct FrameReader {
  const uint8_t *at, *end;

  template <class T> T take() {
    T value = 0;
    const uint8_t *from = at;
    if (skip(sizeof value))
      memcpy(&value, from, sizeof value);
    return value;
  }
  uint64_t takeLeb() { return takeLeb128(at, end); }
  int64_t takeSignedLeb() { return takeSignedLeb128(at, end); }
  // False if fewer bytes are left. Then all of them are skipped.
  bool skip(uint64_t bytes) {
    const bool fits = bytes <= static_cast<uint64_t>(end - at);
    at = fits ? at + bytes : end;
    return fits;
  }
};

// The entry to which entries of functions refer.
struct CommonEntry {
  FrameReader instructions;
  uint64_t codeUnit;
  int64_t dataUnit;
  bool isSignal; // Augmentation S.
};
// Reads one, without its length. False: it is of another format than compilers
// and assemblers write: augmentation z with R, and distances of 4 bytes.
bool readCommonEntry(FrameReader in, CommonEntry &to);

class FrameRules {
public:
  // Executes the common entry's instructions.
  explicit FrameRules(const CommonEntry &common);
  // Executes instructions up to the next that advances, which adds to `at`.
  // False: there is no further instruction, or it is not known, and the present
  // row applies to the rest.
  bool run(FrameReader &in, uint64_t &at);
  // The present row.
  UnwindRow row() const;

private:
  enum class Form : uint8_t { Register, Memory, Stub, Signal, Unknown };
  struct State {
    Form form;
    uint64_t base; // Form::Register: the column.
    int64_t offset;
    int32_t frame, back; // As in UnwindRow.
    bool isOutermost;
  };
  bool runOne(uint8_t code, FrameReader &in);
  void set(uint64_t column, int32_t place);
  void setScaled(uint64_t column, int64_t units);
  void restore(uint64_t column);
  void defineBy(FrameReader expression);
  bool remember();

  const CommonEntry &common;
  State now, initial;
  static constexpr unsigned kMostKept = 8;
  State kept[kMostKept];
  unsigned keptCount = 0;
  bool isKnown = true;
};

} // namespace tprt

#endif
