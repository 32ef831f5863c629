// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that the tests of recordings share: a separate file for each test, and a
// visitor that logs its calls.

#ifndef TP_TRACE_TESTS_FIXTURE_H
#define TP_TRACE_TESTS_FIXTURE_H

#include "Calls.h"
#include "TraceWriter.h"
#include <gtest/gtest.h>
#include <unistd.h>

namespace tp::trace::tests {

/// One line for each call that ended.
struct Log : CallVisitor {
  explicit Log(Tables &Names) : Names(Names) {}
  void left(const Frame &F, Frame *, uint64_t End, Ending How, size_t Depth) {
    static const char *const Marks[] = {"", " unwound", " unfinished",
                                        " uncertain"};
    Lines.push_back(std::string(std::min<size_t>(Depth, 9), '.') +
                    Names.function(F.Function).Name + " " +
                    std::to_string(F.Start) + "-" + std::to_string(End) +
                    " self " + std::to_string(End - F.Start - F.Inner) +
                    Marks[static_cast<int>(How)]);
  }
  void whole(const Frame &F, uint64_t End, Ending How, bool TailExit) {
    left(F, nullptr, End, How, 0);
    Lines.back() = "whole " + Lines.back() + (TailExit ? " tail" : "");
  }
  void computed(uint64_t Forms, llvm::ArrayRef<uint64_t> Words) {
    std::string Line = "computed " + std::to_string(Forms);
    for (uint64_t Word : Words)
      Line += " " + std::to_string(Word);
    Lines.push_back(std::move(Line));
  }
  void orphan(FunctionId F, uint64_t Time) {
    Lines.push_back(Names.function(F).Name + " exit alone " +
                    std::to_string(Time));
  }
  void visited(FunctionId F, Frame *, uint64_t Time, size_t Depth) {
    Lines.push_back(std::string(std::min<size_t>(Depth, 9), '.') +
                    Names.function(F).Name + " visited " +
                    std::to_string(Time));
  }
  Tables &Names;
  std::vector<std::string> Lines;
};

/// A recording of one thread that calls f, g and h of one module.
class TraceTest : public testing::Test {
protected:
  TraceTest() : First(W.module("/bin/app", {"f", "g", "h"})), T(W.thread(7)) {}
  ~TraceTest() override { unlink(Path.c_str()); }

  void enter(char F, uint64_t Time) { put(TPRT_TRACE_ENTRY, F, 0, Time); }
  void leave(char F, uint64_t Time) { put(TPRT_TRACE_EXIT, F, 1, Time); }
  void put(unsigned What, char F, uint32_t Offset, uint64_t Time) {
    W.event(T, What, First + 3 * static_cast<uint32_t>(F - 'f') + Offset, Time);
  }
  void extend(unsigned Type, uint64_t Time, std::vector<uint64_t> Words) {
    Words.insert(Words.begin(), extension(Type, Words.size(), Time));
    W.words(T, Time, Words);
  }

  std::unique_ptr<Recording> open() {
    W.write(Path);
    auto R = Recording::open(Path);
    if (!R) {
      Fault = toString(R.takeError());
      return nullptr;
    }
    return std::move(*R);
  }
  std::vector<std::string> calls() {
    Opened = open();
    if (!Opened)
      return {Fault};
    struct Thread {
      Thread(Tables &Names, Findings &Found) : Reader(Names, Found), V(Names) {}
      CallReader<Log> Reader;
      Log V;
    };
    std::map<uint64_t, Thread> Threads;
    EXPECT_FALSE(errorToBool(Opened->visit([&](const Segment &S) {
      Thread &T =
          Threads.try_emplace(S.key(), Opened->tables(), Opened->findings())
              .first->second;
      T.Reader.segment(S, T.V);
      return true;
    })));
    std::vector<std::string> Lines;
    for (auto &[Key, T] : Threads) {
      T.Reader.finish(T.V);
      for (std::string &Line : T.V.Lines)
        Lines.push_back(std::move(Line));
    }
    return Lines;
  }
  uint64_t found(Finding Which) const {
    return Opened->findings().count(Which);
  }

  using Lines = std::vector<std::string>;
  TraceWriter W;
  uint32_t First;
  TraceWriter::Thread &T;
  std::string Path = "/tmp/tp-trace-test-" + std::to_string(getpid());
  std::string Fault;
  std::unique_ptr<Recording> Opened;
};

} // namespace tp::trace::tests

#endif
