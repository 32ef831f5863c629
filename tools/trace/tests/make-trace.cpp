// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// tp-make-trace SCRIPT FILE writes a recording for a test. Each line of a
// script has one of these forms:
//
//   block 4096                   bytes of a block; first, if at all
//   process 1 4000 /bin/app app -x
//   module /lib/liba.so main _Z3foov      functions and their names; - has none
//   thread 100 [PROCESS PID]     of the events that follow
//   name worker                  the thread's name
//   1000 + main                  at 1000 ns a call began
//   1100 - main                  it ended; > by a tail call
//   1100 . main                  a call whose exit is not recorded
//   1100 mark 7 | lost 3 | fork 4001 | exec /bin/ls | switch 1 | end
//   1100 unwound ADDRESS         the program continues in the function there
//   1100 point 1 i3 s"text"      a point was passed
//   values i-3 u3 x255 d1.5 s"text" ?   of the event before, which waits for it
//   time 99999999                the whole counter
//   zero | reserved 2 | unknown  odd words
//   next [N]                     a new block; N of the thread are missing
//   points NAME|FORMAT|FORMS ... as records; numbers from 1
//   note TEXT
//   clock COUNTER NS             a moment, as a record
//   closed TIME [REASON]
//   header FIELD VALUE           major, required, state, hz, blocks, ...
//   short N                      the file without its last N bytes
//   packed                       packs the file
//
// tp-make-trace --bench EVENTS THREADS FILE writes a large recording.
// tp-make-trace --corpus FOLDER writes the fuzzer's initial inputs.
#include "Packs.h"
#include "TraceWriter.h"
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <sstream>

using namespace tp::trace;
using namespace tp::trace::tests;

namespace {

[[noreturn]] void fail(const std::string &Why) {
  fprintf(stderr, "tp-make-trace: %s\n", Why.c_str());
  exit(1);
}

/// The values of a script: their forms and their words.
struct Values {
  uint64_t Forms = 0;
  std::vector<uint64_t> Words;

  explicit Values(std::istream &From) {
    std::string Text;
    for (unsigned At = 0; From >> Text; ++At)
      Forms |= uint64_t(add(Text)) << (TPRT_TRACE_FORM_BITS * At);
  }

private:
  unsigned add(const std::string &Text) {
    std::string Rest = Text.substr(1);
    switch (Text[0]) {
    case 'i':
      Words.push_back(static_cast<uint64_t>(std::stoll(Rest)));
      return TPRT_TRACE_FORM_SIGNED;
    case 'u':
      Words.push_back(std::stoull(Rest));
      return TPRT_TRACE_FORM_UNSIGNED;
    case 'x':
      Words.push_back(std::stoull(Rest));
      return TPRT_TRACE_FORM_ADDRESS;
    case 'd': {
      double Value = std::stod(Rest);
      Words.emplace_back();
      memcpy(&Words.back(), &Value, sizeof Value);
      return TPRT_TRACE_FORM_DOUBLE;
    }
    case 's': {
      Words.push_back(Rest.size());
      size_t At = Words.size();
      Words.resize(At + (Rest.size() + 7) / 8);
      memcpy(&Words[At], Rest.data(), Rest.size());
      return TPRT_TRACE_FORM_STRING;
    }
    default:
      return TPRT_TRACE_FORM_NONE;
    }
  }
};

std::vector<uint64_t> wordsOf(const std::string &Text) {
  std::vector<uint64_t> Words((Text.size() + 8) / 8);
  memcpy(Words.data(), Text.data(), Text.size());
  return Words;
}

class Script {
public:
  void line(const std::string &Line) {
    std::istringstream In(Line);
    std::string Word;
    if (!(In >> Word) || Word[0] == '#')
      return;
    if (isdigit(static_cast<unsigned char>(Word[0])))
      return timed(std::stoull(Word), In);
    auto At = Verbs.find(Word);
    if (At == Verbs.end())
      fail("no such line: " + Line);
    if (Word != "values")
      flush();
    At->second(In);
  }
  void finish(const std::string &Path) {
    flush();
    std::string Bytes = W.bytes();
    Bytes.resize(Bytes.size() - std::min(Bytes.size(), Short));
    std::ofstream(Path, std::ios::binary) << Bytes;
    if (!Pack)
      return;
    Findings Found;
    std::string Plain = Path + ".plain";
    std::filesystem::rename(Path, Plain);
    if (llvm::Error E = packFile(Plain, Path, 3, Found))
      fail(toString(std::move(E)));
    std::filesystem::remove(Plain);
  }

private:
  TraceWriter W;
  TraceWriter::Thread *T = nullptr;
  std::map<std::string, uint32_t> Sites;
  std::vector<uint64_t> Pending; ///< an event that values may follow
  uint64_t Time = 1000;
  size_t Short = 0;
  bool Pack = false;

  void flush() {
    if (!Pending.empty())
      W.words(*T, Time, Pending);
    Pending.clear();
  }
  void put(std::vector<uint64_t> Words) {
    flush();
    if (!T)
      T = &W.thread(4000);
    Pending = std::move(Words);
  }
  void put(unsigned Type, uint64_t Upper, std::vector<uint64_t> Words) {
    Words.insert(Words.begin(), extension(Type, Words.size(), Upper));
    put(std::move(Words));
  }
  static uint64_t number(std::istream &In) {
    uint64_t N = 0;
    In >> N;
    return N;
  }
  static std::string rest(std::istream &In) {
    std::string Text;
    std::getline(In >> std::ws, Text);
    return Text;
  }
  uint32_t site(std::istream &In) {
    std::string Name;
    In >> Name;
    if (Name[0] == '#')
      return static_cast<uint32_t>(std::stoul(Name.substr(1)));
    auto At = Sites.find(Name);
    if (At == Sites.end())
      fail("no such function: " + Name);
    return At->second;
  }
  void event(unsigned What, uint32_t Site) {
    if (Site >> TPRT_TRACE_SITE_BITS)
      put(TPRT_TRACE_WIDE, Time, {Site | uint64_t(What) << 32});
    else
      put({word(What, Site, Time)});
  }
  void timed(uint64_t At, std::istream &In) {
    flush();
    Time = At;
    std::string Verb;
    In >> Verb;
    if (Verb == "+")
      event(TPRT_TRACE_ENTRY, site(In));
    else if (Verb == "-")
      event(TPRT_TRACE_EXIT, site(In) + 1);
    else if (Verb == ">")
      event(TPRT_TRACE_EXIT, site(In) + 2);
    else if (Verb == ".")
      event(TPRT_TRACE_VISIT, site(In));
    else if (Verb == "mark")
      put(TPRT_TRACE_MARK, Time, {number(In)});
    else if (Verb == "lost")
      put(TPRT_TRACE_LOST, Time, {number(In)});
    else if (Verb == "fork")
      put(TPRT_TRACE_FORK, Time, {number(In)});
    else if (Verb == "exec")
      put(TPRT_TRACE_EXEC, Time, wordsOf(rest(In)));
    else if (Verb == "switch")
      put(TPRT_TRACE_SWITCH, Time, {number(In)});
    else if (Verb == "unwound")
      put(TPRT_TRACE_UNWOUND, Time, {number(In)});
    else if (Verb == "end")
      put(TPRT_TRACE_THREAD_END, Time, {});
    else if (Verb == "point") {
      std::vector<uint64_t> Words = {number(In)};
      Values V(In);
      Words.insert(Words.end(), V.Words.begin(), V.Words.end());
      put(TPRT_TRACE_POINT, Time, Words);
    } else
      fail("nothing happens like " + Verb);
  }
  void module(std::istream &In) {
    std::string Path, Name;
    In >> Path;
    std::vector<std::string> Names, Linked;
    while (In >> Name) {
      Names.push_back(Name);
      Linked.push_back(Name == "-" ? "" : Name);
    }
    uint32_t First = W.module(Path, Linked);
    for (size_t I = 0; I != Names.size(); ++I)
      Sites[Names[I]] = First + static_cast<uint32_t>(3 * I);
  }
  void points(std::istream &In) {
    tprt_trace_points R{};
    R.first = 1;
    std::string Rows, Strings(1, '\0'), One;
    std::istringstream All(rest(In));
    while (std::getline(All, One, ';')) {
      std::istringstream Parts(One);
      std::string Part;
      uint32_t Offsets[3] = {};
      for (uint32_t &Offset : Offsets) {
        std::getline(Parts, Part, '|');
        Offset = static_cast<uint32_t>(Strings.size());
        Strings += Part + '\0';
      }
      tprt_trace_point Row = {Offsets[0], Offsets[1], Offsets[2], 0, 0, 0};
      Rows.append(reinterpret_cast<char *>(&Row), sizeof Row);
      ++R.rows;
    }
    R.string_bytes = static_cast<uint32_t>(Strings.size());
    W.record(TPRT_TRACE_RECORD_POINTS, R, Rows + Strings);
  }
  void header(std::istream &In) {
    std::string Field;
    In >> Field;
    uint64_t Value = number(In);
    if (Field == "major")
      W.Header.major = static_cast<uint16_t>(Value);
    else if (Field == "required")
      W.Header.required = static_cast<uint32_t>(Value);
    else if (Field == "hz")
      W.Header.clock_hz = Value;
    else if (Field == "lost")
      W.Header.lost = Value;
    else if (Field == "pid")
      W.Header.pid = static_cast<uint32_t>(Value);
    else if (Field == "byte_order")
      W.Header.byte_order = static_cast<uint32_t>(Value);
    else if (Field == "block_bytes")
      W.Header.block_bytes = static_cast<uint32_t>(Value);
    else if (Field == "start")
      W.Header.start.counter = Value;
    else
      fail("no such field: " + Field);
  }
  void next(std::istream &In) {
    W.endBlock(*T);
    T->Order += static_cast<uint32_t>(number(In));
  }

  const std::map<std::string, std::function<void(std::istream &)>> Verbs = {
      {"block",
       [this](std::istream &In) {
         W.Header.block_bytes = static_cast<uint32_t>(number(In));
       }},
      {"process",
       [this](std::istream &In) {
         auto Number = static_cast<uint32_t>(number(In)),
              Pid = static_cast<uint32_t>(number(In));
         std::string Executable;
         In >> Executable;
         W.process(Number, Pid, Executable, rest(In),
                   Number == 1 ? TPRT_TRACE_ORIGIN_START
                               : TPRT_TRACE_ORIGIN_FORK);
       }},
      {"module", [this](std::istream &In) { module(In); }},
      {"thread",
       [this](std::istream &In) {
         auto Tid = static_cast<uint32_t>(number(In)),
              Process = static_cast<uint32_t>(number(In)),
              Pid = static_cast<uint32_t>(number(In));
         T = &W.thread(Tid, Process ? Process : 1, Pid ? Pid : 4000);
       }},
      {"name",
       [this](std::istream &In) {
         put(TPRT_TRACE_THREAD_NAME, 0, wordsOf(rest(In)));
       }},
      {"values",
       [this](std::istream &In) {
         Values V(In);
         Pending.push_back(
             extension(TPRT_TRACE_VALUES, V.Words.size(), V.Forms));
         Pending.insert(Pending.end(), V.Words.begin(), V.Words.end());
       }},
      {"time",
       [this](std::istream &In) { put(TPRT_TRACE_TIME, 0, {number(In)}); }},
      {"zero", [this](std::istream &) { put({0}); }},
      {"reserved",
       [this](std::istream &In) {
         put(TPRT_TRACE_RESERVED, 0, std::vector<uint64_t>(number(In), 99));
       }},
      {"unknown", [this](std::istream &) { put(60, 0, {1, 2}); }},
      {"beyond", [this](std::istream &) { put({extension(60, 60000, 0)}); }},
      {"next", [this](std::istream &In) { next(In); }},
      {"points", [this](std::istream &In) { points(In); }},
      {"note",
       [this](std::istream &In) {
         struct Note {
           tprt_trace_record record;
         };
         W.record(TPRT_TRACE_RECORD_NOTE, Note{}, rest(In) + '\0');
       }},
      {"clock",
       [this](std::istream &In) {
         tprt_trace_clock_record R{};
         R.moment.counter = number(In);
         R.moment.monotonic = number(In);
         W.record(TPRT_TRACE_RECORD_CLOCK, R, "");
       }},
      {"closed",
       [this](std::istream &In) {
         uint64_t At = number(In);
         uint64_t Reason = number(In);
         W.close(At, Reason ? static_cast<uint32_t>(Reason)
                            : uint32_t(TPRT_TRACE_END_EXIT));
       }},
      {"header", [this](std::istream &In) { header(In); }},
      {"clearing",
       [this](std::istream &) {
         W.header(W.blocks() - 1).state = TPRT_TRACE_BLOCK_CLEARING;
       }},
      {"short", [this](std::istream &In) { Short = number(In); }},
      {"packed", [this](std::istream &) { Pack = true; }},
  };
};

void runScript(std::istream &From, const std::string &To) {
  Script S;
  for (std::string Line; std::getline(From, Line);)
    S.line(Line);
  S.finish(To);
}

/// Calls of 200 functions, up to 12 deep. About seven of eight calls are calls
/// of the first 16 functions.
void writeBench(uint64_t Events, unsigned Threads, const std::string &Path) {
  constexpr uint32_t Functions = 200;
  TraceWriter W(65536);
  std::vector<std::string> Names;
  for (uint32_t I = 0; I != Functions; ++I)
    Names.push_back("_ZN5bench8functionILi" + std::to_string(I) + "EEEvv");
  W.process(1, 4000, "/usr/bin/bench", "bench");
  uint32_t First = W.module("/usr/bin/bench", Names);
  for (unsigned I = 0; I != Threads; ++I) {
    std::minstd_rand Random(I + 1);
    TraceWriter::Thread &T = W.thread(4000 + I);
    std::vector<uint32_t> Stack;
    uint64_t Time = 2000;
    for (uint64_t N = 0; N != Events / Threads; ++N) {
      Time += 20 + Random() % 100;
      bool Enter = Stack.empty() || (Stack.size() < 12 && Random() % 2);
      if (Enter) {
        uint32_t F = Random() % 8 ? Random() % 16 : Random() % Functions;
        Stack.push_back(First + 3 * F);
        W.event(T, TPRT_TRACE_ENTRY, Stack.back(), Time);
      } else {
        W.event(T, TPRT_TRACE_EXIT, Stack.back() + 1, Time);
        Stack.pop_back();
      }
    }
  }
  W.close(2000 + Events * 70);
  W.write(Path);
}

const char *const Corpus[] = {
    "process 1 4000 /bin/app app\nmodule /bin/app main _Z3foov\nthread 1\n"
    "name main\n2000 + main\n2100 + _Z3foov\nvalues i3 s\"text\"\n2200 - "
    "_Z3foov\n2300 > main\nclosed 3000\n",
    "module /bin/app main f\nthread 1\n2000 + main\n2001 + f\n2002 lost 3\n"
    "2003 - f\nzero\nreserved 2\nunknown\nnext 2\n2100 - main\nthread 2\n"
    "2000 . f\n2001 mark 7\n2002 switch 3\n2003 + f\n2004 switch 0\n"
    "2005 unwound 4198400\n2006 end\n",
    "points done|id=%u name=%s|36;hit|%d|2\nmodule /bin/app main\nthread 1\n"
    "2000 point 1 u3 sabc\n2001 point 2 i-1\ntime 99999999999999\n"
    "5000 + #5000000\n5001 - #5000000\nnote hello\nclock 9000 9000\nbeyond\n",
    "module /bin/app main\nthread 1\n2000 + main\n2100 - main\nclosed 3000\n"
    "packed\n"};

} // namespace

int main(int Argc, char **Argv) {
  std::vector<std::string> A(Argv + 1, Argv + Argc);
  if (A.size() == 4 && A[0] == "--bench") {
    writeBench(std::stoull(A[1]), static_cast<unsigned>(std::stoul(A[2])),
               A[3]);
  } else if (A.size() == 2 && A[0] == "--corpus") {
    std::filesystem::create_directories(A[1]);
    for (size_t I = 0; I != std::size(Corpus); ++I) {
      std::istringstream In(Corpus[I]);
      runScript(In, A[1] + "/" + std::to_string(I));
    }
  } else if (A.size() == 2) {
    std::ifstream In(A[0]);
    if (!In)
      fail("cannot open " + A[0]);
    runScript(In, A[1]);
  } else {
    fail("usage: tp-make-trace SCRIPT FILE | --bench EVENTS THREADS FILE | "
         "--corpus FOLDER");
  }
  return 0;
}
