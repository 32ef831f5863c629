// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A database of SQLite: a row for each call, its thread, function and caller.
// docs/howto/query-with-sql.md shows the tables and queries. The database is
// made under another name in the same folder, and renamed when it is complete.

#include "Export.h"
#include "shared/Output.h"
#include "shared/Values.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FileSystem.h"
#include <cmath>
#include <sqlite3.h>

using namespace llvm;
using namespace tp::trace;

namespace tpctl {
namespace {

constexpr const char *Schema = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE files(id INTEGER PRIMARY KEY, path TEXT, host TEXT, start_unix_ns INTEGER);
CREATE TABLE threads(id INTEGER PRIMARY KEY, file INTEGER, pid INTEGER, tid INTEGER, name TEXT, command TEXT);
CREATE TABLE functions(id INTEGER PRIMARY KEY, module TEXT, name TEXT, linked TEXT, source TEXT, line INTEGER);
CREATE TABLE calls(id INTEGER PRIMARY KEY, thread INTEGER, function INTEGER, parent INTEGER,
                   start_ns REAL, duration_ns REAL, self_ns REAL, depth INTEGER, ending TEXT);
CREATE TABLE call_values(call INTEGER, name TEXT, value);
CREATE TABLE notes(thread INTEGER, time_ns REAL, kind TEXT, number INTEGER, text TEXT, source TEXT, line INTEGER);
CREATE VIEW named_calls AS
  SELECT c.id, f.host, t.pid, t.tid, t.name AS thread, g.module, g.name AS function,
         c.start_ns, c.duration_ns, c.self_ns, c.depth, c.ending, c.parent, f.path AS file, g.source, g.line
  FROM calls c JOIN threads t ON t.id = c.thread JOIN files f ON f.id = t.file
  JOIN functions g ON g.id = c.function;
BEGIN;
)";

struct Value {
  enum { Null, Integer, Real, Text } Kind = Null;
  int64_t Number = 0;
  double Decimal = 0;
  StringRef Bytes;
  Value() = default;
  Value(int64_t N) : Kind(Integer), Number(N) {}
  Value(double D) : Kind(Real), Decimal(D) {}
  Value(StringRef T) : Kind(Text), Bytes(T) {}
};

/// An open database. The object keeps the first failure, and then writes
/// nothing more.
class Database : public ExportState {
public:
  ~Database() override {
    close();
    if (!Temporary.empty())
      sys::fs::remove(Temporary);
  }
  void open(StringRef Path) {
    Temporary = (Path + ".part").str();
    sys::fs::remove(Temporary);
    check(sqlite3_open(Temporary.c_str(), &Handle));
    run(Schema);
    static constexpr const char *Inserts[] = {
        "INSERT INTO files VALUES(?,?,?,?)",
        "INSERT INTO threads VALUES(?,?,?,?,?,?)",
        "INSERT INTO functions VALUES(?,?,?,?,?,?)",
        "INSERT INTO calls VALUES(?,?,?,?,?,?,?,?,?)",
        "INSERT INTO notes VALUES(?,?,?,?,?,?,?)",
        "INSERT INTO call_values VALUES(?,?,?)",
        "UPDATE threads SET name=?2 WHERE id=?1",
    };
    static_assert(std::size(Inserts) == TableCount);
    for (int I = 0; I != TableCount && Handle && Failure.empty(); ++I)
      check(
          sqlite3_prepare_v2(Handle, Inserts[I], -1, &Statements[I], nullptr));
  }
  enum Table {
    Files,
    Threads,
    Functions,
    Calls,
    Notes,
    CallValues,
    Rename,
    TableCount
  };
  void insert(Table To, std::initializer_list<Value> Row) {
    sqlite3_stmt *S = Statements[To];
    if (!Failure.empty() || !S)
      return;
    int At = 0;
    for (const Value &V : Row)
      bind(S, ++At, V);
    int Code = sqlite3_step(S);
    check(Code == SQLITE_DONE ? SQLITE_OK : Code);
    sqlite3_reset(S);
  }
  Error finish(StringRef Path) {
    run("COMMIT; CREATE INDEX calls_by_function ON calls(function);");
    close();
    if (Failure.empty())
      if (std::error_code Code = sys::fs::rename(Temporary, Path))
        Failure = Code.message();
    if (!Failure.empty())
      return createStringError("cannot write '" + Path + "': " + Failure);
    Temporary.clear();
    return Error::success();
  }

  /// Only functions that were called have lines.
  void called(FunctionId F) {
    if (F >= Called.size())
      Called.resize(F + 1);
    Called[F] = true;
  }
  std::vector<bool> Called; ///< of the recording that is being written
  int64_t FunctionBase = 0, ThreadCount = 0;
  bool failed() const { return !Failure.empty(); }

private:
  void run(const char *Text) {
    if (Failure.empty())
      check(sqlite3_exec(Handle, Text, nullptr, nullptr, nullptr));
  }
  void check(int Code) {
    if (Code != SQLITE_OK && Failure.empty())
      Failure = Handle ? sqlite3_errmsg(Handle) : "out of memory";
  }
  static void bind(sqlite3_stmt *S, int At, const Value &V) {
    switch (V.Kind) {
    case Value::Null:
      sqlite3_bind_null(S, At);
      return;
    case Value::Integer:
      sqlite3_bind_int64(S, At, V.Number);
      return;
    case Value::Real:
      sqlite3_bind_double(S, At, V.Decimal);
      return;
    case Value::Text: {
      std::string Text = jsonText(V.Bytes); // UTF-8, as the database states
      sqlite3_bind_text(S, At, Text.data(), static_cast<int>(Text.size()),
                        SQLITE_TRANSIENT);
    }
    }
  }
  void close() {
    for (sqlite3_stmt *&S : Statements)
      sqlite3_finalize(std::exchange(S, nullptr));
    sqlite3_close(std::exchange(Handle, nullptr));
  }

  std::string Temporary, Failure;
  sqlite3 *Handle = nullptr;
  sqlite3_stmt *Statements[TableCount] = {};
};

/// SQLite's integers are signed, and its texts are greater than all numbers
/// (sqlite.org/datatype3.html, 4.1). So a number that is too large for an
/// integer is a text. A NaN becomes NULL (sqlite.org/floatingpoint.html).
static Value columnOf(const ComputedValue &Is, const tpctl::Value &V,
                      std::string &Text) {
  if (V.Form == TPRT_TRACE_FORM_NONE)
    return Value();
  if (V.Form == TPRT_TRACE_FORM_STACK) {
    Text = foldedStack(V.FrameNames);
    return Value(StringRef(Text));
  }
  if (!V.Name.empty()) {
    Text = V.Name;
    return Value(StringRef(Text));
  }
  if (V.Form != TPRT_TRACE_FORM_STRING) {
    const auto Number = static_cast<int64_t>(V.Word);
    switch (Is.Kind) {
    case TPRT_TRACE_VALUE_SIGNED:
    case TPRT_TRACE_VALUE_NAMED_SIGNED:
    case TPRT_TRACE_VALUE_BOOL:
      return Value(Number);
    case TPRT_TRACE_VALUE_UNSIGNED:
    case TPRT_TRACE_VALUE_NAMED_UNSIGNED:
    case TPRT_TRACE_VALUE_TIME:
      if (Number >= 0)
        return Value(Number);
      Text = std::to_string(V.Word);
      return Value(StringRef(Text));
    case TPRT_TRACE_VALUE_DOUBLE:
      return Value(bit_cast<double>(V.Word));
    }
  }
  Text = V.Form == TPRT_TRACE_FORM_STRING ? V.Text + (V.Cut ? "..." : "")
                                          : tpctl::textOf(Is.Kind, V.Word);
  return Value(StringRef(Text));
}

/// A frame's tag is the number of its call in the thread. For an unwanted
/// frame, it is the number of the surrounding call.
class SqliteWriter : public CallVisitor {
public:
  SqliteWriter(ExportJob &Job, ThreadInfo &Info)
      : Job(Job), To(Job.state<Database>()), Id(++To.ThreadCount), Info(Info) {
    const Process *P = Job.R.tables().process(Info.Process);
    To.insert(Database::Threads,
              {Id, static_cast<int64_t>(Job.Index + 1), int64_t(Info.Pid),
               int64_t(Info.Tid), Value(), StringRef(P ? P->CommandLine : "")});
  }
  void entered(Frame &F, const Frame *Parent, size_t) {
    F.Tag = Job.wants(F.Function) ? ++Count : Parent ? Parent->Tag : 0;
    if (Job.wants(F.Function))
      Values.keep(F.Tag);
    else
      Values.take();
  }
  void computed(uint64_t Forms, ArrayRef<uint64_t> Words) {
    Values.computed(Forms, Words);
  }
  void whole(const Frame &F, uint64_t End, Ending How, bool) {
    const Computed Of = Values.take();
    if (Job.Filter.takes(F.Start, End - F.Start) && Job.wants(F.Function))
      timed(++Count, F, nullptr, End, Value(), How, Of);
  }
  void left(const Frame &F, Frame *Parent, uint64_t End, Ending How,
            size_t Depth) {
    const bool Wanted = Job.wants(F.Function);
    const Computed Of = Values.left(Wanted ? F.Tag : 0);
    if (Job.Filter.takes(F.Start, End - F.Start) && Wanted)
      timed(F.Tag, F, Parent, End, static_cast<int64_t>(Depth), How, Of);
  }
  void orphan(FunctionId F, uint64_t Time) {
    untimed(F, nullptr, Time, Value(), "begun before");
  }
  void visited(FunctionId F, Frame *Parent, uint64_t Time, size_t Depth) {
    untimed(F, Parent, Time, static_cast<int64_t>(Depth), "entry only");
  }
  void extension(uint64_t Word, ArrayRef<uint64_t> More, uint64_t Time,
                 size_t) {
    if (isExtension(Word, TPRT_TRACE_THREAD_NAME)) {
      Info.Name = tp::trace::textOf(More);
      To.insert(Database::Rename, {Id, StringRef(Info.Name)});
      return;
    }
    if (More.empty() || !Job.Filter.takesTime(Time))
      return;
    auto Number = static_cast<int64_t>(More.front());
    if (isExtension(Word, TPRT_TRACE_MARK))
      note(Time, "mark", Number, "", nullptr);
    if (isExtension(Word, TPRT_TRACE_POINT)) {
      auto At = static_cast<uint32_t>(Number);
      const Point *P = Job.R.tables().point(At);
      note(Time, "point", At, pointText(P, At, More.drop_front()), P);
    }
  }

private:
  void timed(uint32_t Number, const Frame &F, const Frame *Parent, uint64_t End,
             Value Depth, Ending How, const Computed &Of) {
    const uint64_t Ticks = End - F.Start;
    const Clock &C = Job.R.clock();
    row(call(Number), F.Function, Parent, F.Start, C.durationOf(Ticks),
        C.durationOf(Ticks - F.Inner), Depth, tpctl::nameOf(How));
    values(Number, F.Function, Of);
  }
  void values(uint32_t Number, FunctionId F, const Computed &Of) {
    visitComputed(
        Job.R.tables(), Of.Forms, Of.Words, Job.namerOf(Info.Process, F),
        [&](const ComputedValue &Is, const tpctl::Value &V) {
          std::string Text;
          To.insert(Database::CallValues,
                    {call(Number), StringRef(Is.Name), columnOf(Is, V, Text)});
        });
  }
  Value call(uint32_t Tag) const {
    return Tag ? Value(Id << 32 | int64_t(Tag)) : Value();
  }
  void row(Value Call, FunctionId F, const Frame *Parent, uint64_t Start,
           Value Duration, Value Self, Value Depth, StringRef Ending) {
    ++Job.Written;
    To.called(F);
    To.insert(Database::Calls,
              {Call, Id, To.FunctionBase + F, call(Parent ? Parent->Tag : 0),
               Job.timeOf(Start), Duration, Self, Depth, Ending});
  }
  void untimed(FunctionId F, const Frame *Parent, uint64_t Time, Value Depth,
               StringRef Ending) {
    const Computed Of = Values.take();
    if (!Job.Filter.takes(Time, 0) || !Job.wants(F))
      return;
    row(call(++Count), F, Parent, Time, Value(), Value(), Depth, Ending);
    values(Count, F, Of);
  }
  void note(uint64_t Time, StringRef Kind, int64_t Number, StringRef Text,
            const Point *P) {
    bool Known = P && !P->File.empty();
    To.insert(Database::Notes, {Id, Job.timeOf(Time), Kind, Number, Text,
                                Known ? Value(StringRef(P->File)) : Value(),
                                Known ? Value(int64_t(P->Line)) : Value()});
  }

  ExportJob &Job;
  Database &To;
  const int64_t Id;
  ThreadInfo &Info;
  OpenValues Values;
  uint32_t Count = 0;
};

void writeFunctions(ExportJob &Job, Database &To) {
  Tables &Names = Job.R.tables();
  std::vector<FunctionId> Called;
  To.Called.resize(Names.functionCount());
  for (FunctionId F = 0; F != Names.functionCount(); ++F)
    if (To.Called[F])
      Called.push_back(F);
  Job.Chosen.Code.prepare(Job.R, Called);
  for (FunctionId F = 0; F != Names.functionCount(); ++F) {
    const Function &Of = Names.function(F);
    static const SourceFrame None;
    const SourceFrame &Line = To.Called[F] ? Job.lineOf(F) : None;
    To.insert(Database::Functions,
              {To.FunctionBase + F, StringRef(Of.ModulePath),
               StringRef(Of.Name), StringRef(Of.Linked),
               Line.File.empty() ? Value() : Value(StringRef(Line.File)),
               Line.Line ? Value(int64_t(Line.Line)) : Value()});
  }
  To.FunctionBase += static_cast<int64_t>(Names.functionCount());
  To.Called.clear();
}

} // namespace

Expected<Totals> exportSqlite(ExportJob &Job) {
  auto &To = Job.state<Database>();
  if (Job.first())
    To.open(Job.Path);
  To.insert(Database::Files,
            {static_cast<int64_t>(Job.Index + 1), Job.R.file().path(),
             StringRef(Job.R.header().host),
             static_cast<int64_t>(Job.R.header().start.realtime)});
  auto Sum = readThreads<SqliteWriter>(
      Job.R, Job.Filter, [&](ThreadInfo &T) { return SqliteWriter(Job, T); });
  if (!Sum)
    return Sum.takeError();
  writeFunctions(Job, To);
  if (Job.last() || To.failed())
    if (Error E = To.finish(Job.Path))
      return E;
  return Sum;
}

} // namespace tpctl
