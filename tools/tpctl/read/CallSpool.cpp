// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See CallSpool.h.

#include "CallSpool.h"

using namespace llvm;

namespace tpctl {

CallSpool::~CallSpool() {
  if (File)
    std::fclose(File);
}

size_t CallSpool::addRow() {
  Rows.emplace_back();
  return Rows.size() - 1;
}

uint32_t CallSpool::add(size_t Row, Event E) {
  std::vector<Chunk> &Chunks = Rows[Row];
  if (Chunks.empty() || Chunks.back().Events.size() == PerChunk) {
    if (!Chunks.empty())
      moveToFile(Chunks.back());
    Chunks.emplace_back();
  }
  std::vector<Event> &Last = Chunks.back().Events;
  Last.push_back(E);
  return static_cast<uint32_t>((Chunks.size() - 1) * PerChunk + Last.size() -
                               1);
}

/// Called when a chunk is full.
void CallSpool::moveToFile(Chunk &C) {
  size_t Bytes = PerChunk * sizeof(Event);
  if (InMemory + Bytes <= MostInMemory) {
    InMemory += Bytes;
    return;
  }
  if (!File && !(File = std::tmpfile())) {
    Failed = true;
    return;
  }
  if (std::fseek(File, FileEnd, SEEK_SET) ||
      std::fwrite(C.Events.data(), Bytes, 1, File) != 1) {
    Failed = true;
    return;
  }
  C.InFile = FileEnd;
  C.Events = std::vector<Event>(); // {} would keep the memory
  FileEnd += static_cast<long>(Bytes);
}

void CallSpool::drop(size_t Row, uint32_t At) {
  std::vector<Chunk> &Chunks = Rows[Row];
  size_t Number = At / PerChunk, Place = At % PerChunk;
  Chunk &C = Chunks[Number];
  if (C.InFile < 0) {
    // Most dropped calls are dropped immediately after they were added.
    if (Number == Chunks.size() - 1 && Place == C.Events.size() - 1)
      C.Events.pop_back();
    else
      C.Events[Place].What = Dropped;
    return;
  }
  Kind What = Dropped;
  long Offset = C.InFile + static_cast<long>(Place * sizeof(Event) +
                                             offsetof(Event, What));
  if (std::fseek(File, Offset, SEEK_SET) ||
      std::fwrite(&What, sizeof What, 1, File) != 1)
    Failed = true;
}

Error CallSpool::visit(size_t Row, function_ref<void(const Event &)> Visit) {
  std::vector<Event> Read(PerChunk);
  for (const Chunk &C : Rows[Row]) {
    ArrayRef<Event> Events = C.Events;
    if (C.InFile >= 0) {
      if (std::fseek(File, C.InFile, SEEK_SET) ||
          std::fread(Read.data(), sizeof(Event), PerChunk, File) != PerChunk)
        Failed = true;
      Events = Read;
    }
    if (Failed)
      return createStringError("cannot keep the calls in a temporary file: is "
                               "there space in /tmp?");
    for (const Event &E : Events)
      if (E.What != Dropped)
        Visit(E);
  }
  return Error::success();
}

} // namespace tpctl
