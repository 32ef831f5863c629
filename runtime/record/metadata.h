// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records that describe processes, clocks, modules and sites in the file.
#ifndef TPRT_RECORD_METADATA_H
#define TPRT_RECORD_METADATA_H

#include "record/recording.h"

namespace tprt {

// Appends a record. Returns room for `bytes` bytes, the head filled in, and
// nullptr if there is none; publishRecord() comes then. In hits.
struct RecordRoom {
  Block *block;
  uint8_t *at;
  bool own; // A block for this record alone.
};
RecordRoom beginRecord(uint32_t bytes, tprt_trace_record_type type);
void publishRecord(const RecordRoom &room, uint32_t bytes);
// The largest record.
constexpr uint32_t kMostRecord = kRecordBlockBytes - kRecordHeaderBytes;
void forgetRecordBlock();
void closeRecordBlock();
void writeProcess(uint32_t origin);
void writeClock();
// Describes values: `rows` of tprt_trace_value, then strings, in `bytes` bytes.
// Returns the record's number. 0: there is no room. Not in hits.
uint32_t writeValueList(uint32_t rows, const void *list, uint32_t bytes);

} // namespace tprt

#endif
