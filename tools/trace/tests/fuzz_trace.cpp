// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the reader of recordings. The input is a file. For any input, the
// reader must end, must not read memory outside the file, and must report the
// times of a thread in ascending order.
#include "Profile.h"

#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <sys/mman.h>
#include <unistd.h>

using namespace tp::trace;

namespace {

struct Checker : CallVisitor {
  uint64_t Latest = 0;
  size_t Open = 0;
  void at(uint64_t Time) {
    if (Time < Latest)
      abort();
    Latest = Time;
  }
  void entered(Frame &F, const Frame *, size_t) { at(F.Start), ++Open; }
  void left(const Frame &F, Frame *, uint64_t End, Ending, size_t) {
    at(End);
    if (End < F.Start || !Open--)
      abort();
  }
  void orphan(FunctionId, uint64_t Time) { at(Time); }
  void visited(FunctionId, Frame *, uint64_t Time, size_t) { at(Time); }
};

void readOneThread(Recording &R) {
  CallReader<Checker> Reader(R.tables(), R.findings());
  Checker V;
  consumeError(R.visit([&](const Segment &S) {
    Reader.segment(S, V);
    return true;
  }));
  Reader.finish(V);
  if (V.Open)
    abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Bytes) {
  int File = memfd_create("fuzz", 0);
  if (write(File, Data, Bytes) != static_cast<ssize_t>(Bytes))
    abort();
  auto R = Recording::open("/proc/self/fd/" + std::to_string(File));
  if (R) {
    readOneThread(**R);
    auto P = readProfile(**R, CallFilter(), true, 1);
    if (!P)
      abort();
    (*R)->findings().sentences();
  } else {
    consumeError(R.takeError());
  }
  close(File);
  return 0;
}
