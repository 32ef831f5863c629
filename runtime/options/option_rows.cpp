// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one table as text, CSV or JSON. option_tables.cpp calls it, on one
// thread at a time, maybe in a signal handler. On an ordinary occasion, C++
// names are demangled. On every other occasion, the functions are
// async-signal-safe, and names stay mangled.
#include "options/option_rows.h"
#include "base/printable.h"
#include "base/sort.h"
#include "names/path_glob.h"
#include "options/option_tables.h"
#include "options/option_values.h"
#include "options/preread_names.h"
#include "options/row_lines.h"
#include "options/site_facts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

namespace tprt {

namespace {
constexpr uint64_t kUsualTop = 25;

// The things that printing a row needs, the same for all rows of a table.
struct Printer {
  const Table &table;
  const Occasion &occasion;
  Printout &out;
  char *name; // room for one name
  size_t nameBytes;
};
} // namespace

static uint64_t nanosecondsOf(uint64_t ticks) {
  return tprt_ticks_to_ns(ticks);
}

static uint64_t averageOf(const Row &row) {
  return row.calls > row.cut ? row.total / (row.calls - row.cut) : 0;
}

namespace {
struct Columns {
  uint64_t each[4];
};
} // namespace

static Columns timesOf(const Row &row) {
  return {{row.total, row.self, averageOf(row), row.longest}};
}

// --- sorting -----------------------------------------------------------------

static void sortRows(Table &table) {
  Row *rows = table.rows.begin();
  size_t count = table.rows.size();
  Sort by = options.sort;
  if (by == Sort::Usual || (!table.timed && by != Sort::Name))
    by = table.timed ? Sort::Total : Sort::Calls;
  // Rows that are equal are in the order of their addresses.
  switch (by) {
#define TPRT_BY(key)                                                           \
  heapSort(rows, count, [](const Row &a, const Row &b) {                       \
    return (key(a)) != (key(b)) ? (key(a)) > (key(b)) : a.site < b.site;       \
  })
#define TPRT_FIELD(field) [](const Row &row) { return row.field; }
  case Sort::Total:
    return TPRT_BY(TPRT_FIELD(total));
  case Sort::Self:
    return TPRT_BY(TPRT_FIELD(self));
  case Sort::Max:
    return TPRT_BY(TPRT_FIELD(longest));
  case Sort::Average:
    return TPRT_BY(averageOf);
  case Sort::Name:
    return heapSort(rows, count, [](const Row &a, const Row &b) {
      int order = strcmp(a.name, b.name);
      return order ? order < 0 : a.site < b.site;
    });
  default:
    return TPRT_BY(TPRT_FIELD(calls));
#undef TPRT_BY
#undef TPRT_FIELD
  }
}

// --- names -------------------------------------------------------------------

// It needs no lock, as a module that is watched stays loaded.
static SiteFacts factsOf(const Row &row) { return lookAt(row.site); }

static void writeHex(uint64_t number, char *out) {
  int shift = 60;
  while (shift && !(number >> shift))
    shift -= 4;
  *out++ = '0';
  *out++ = 'x';
  for (; shift >= 0; shift -= 4)
    *out++ = "0123456789abcdef"[number >> shift & 15];
  *out = 0;
}

static const char *nameOfFunction(Printer &printer, const SiteFacts &facts) {
  const char *linked = facts.name;
  char *out = printer.name;
  if (!linked) {
    writeHex(reinterpret_cast<uint64_t>(facts.function), out);
    return out;
  }
  if (facts.point || options.names == Names::Linked)
    return linked;
  if (!printer.occasion.ordinary()) {
    const char *made = preparedName(facts.index);
    return made ? made : linked;
  }
  return writeName(linked, out, printer.nameBytes);
}

// A single instruction is shown as its function and its place in it.
static const char *nameOfRow(Printer &printer, const Row &row) {
  if (printer.occasion.ordinary()) {
    tprt_site_info info; // reads the symbols of a module that came later
    tprt_site_describe(row.site, &info);
  }
  const SiteFacts facts = factsOf(row);
  const char *name = nameOfFunction(printer, facts);
  if (!facts.isInstruction)
    return name;
  constexpr size_t kOffsetBytes = sizeof "+0x" + 16;
  size_t length = strnlen(name, printer.nameBytes - kOffsetBytes);
  memmove(printer.name, name, length);
  char *end = printer.name + length;
  *end = facts.offset < 0 ? '-' : '+';
  writeHex(
      static_cast<uint64_t>(facts.offset < 0 ? -facts.offset : facts.offset),
      end + 1);
  return printer.name;
}

// --- text --------------------------------------------------------------------

// Prints a time with three digits or more, right-aligned.
static void putTime(Printout &out, uint64_t ns, size_t columns) {
  static constexpr const char kUnits[][4] = {" ns", " us", " ms", " s"};
  unsigned unit = 0;
  uint64_t whole = ns, rest = 0;
  while (whole >= 1000 && unit < 3) {
    rest = whole % 1000;
    whole /= 1000;
    ++unit;
  }
  unsigned digits = !unit || whole >= 100 ? 0 : whole >= 10 ? 1 : 2;
  size_t others = strlen(kUnits[unit]) + (digits ? digits + 1 : 0);
  out.number(whole, columns > others ? columns - others : 0);
  if (digits) {
    char fraction[] = {'.', static_cast<char>('0' + rest / 100),
                       static_cast<char>('0' + rest / 10 % 10)};
    out.write(fraction, digits + 1);
  }
  out.put(kUnits[unit]);
}

static void putEnd(const Occasion &occasion, Printout &out) {
  if (occasion.end == End::Exec) {
    out.put(", before it runs ");
    out.printable(occasion.program);
  }
  if (occasion.end == End::Signal)
    out.put(", ended by signal ", static_cast<uint64_t>(occasion.signal));
  if (occasion.end == End::Asked)
    out.put(", so far");
}

static void putRest(const Table &table, Printout &out) {
  if (table.unended)
    out.put("         not timed: ", table.unended,
            table.unended == 1 ? " function" : " functions",
            options.code
                ? ", as no exit is known or can be probed (or the function "
                  "never returns)\n"
                : " without an exit sled (build with -ftp-exit; or it never "
                  "returns)\n");
  if (table.cut)
    out.put("         left by an exception, longjmp or an exit without a "
            "probe: ",
            table.cut, table.cut == 1 ? " call" : " calls",
            ", counted without a time\n");
  if (table.untimed)
    out.put("         not timed: ", table.untimed,
            table.untimed == 1 ? " call" : " calls",
            " more than 4096 deep, or without memory\n");
}

static void putTextRow(Printer &printer, const Row &row) {
  Printout &out = printer.out;
  out.number(row.calls, 14);
  if (printer.table.timed)
    for (uint64_t ticks : timesOf(row).each)
      putTime(out, nanosecondsOf(ticks), 12);
  out.put("  ");
  out.printable(nameOfRow(printer, row));
  out.put("  (");
  out.printable(fileNameOf(factsOf(row).path));
  if (row.file) {
    out.put(", ");
    out.printable(fileNameOf(row.file));
    out.put(":", row.line);
  }
  out.put(")\n");
}

// 0 where a seccomp filter refuses the call.
static uint64_t processNumber() {
  const pid_t self = getpid();
  return self > 0 ? static_cast<uint64_t>(self) : 0;
}

static const char *nounOf(const Table &table, size_t count) {
  if (!table.points)
    return count == 1 ? "function" : "functions";
  if (table.points == table.watched)
    return count == 1 ? "statement" : "statements";
  return count == 1 ? "function or statement" : "functions and statements";
}

static void printText(Printer &printer, size_t shown) {
  const Table &table = printer.table;
  Printout &out = printer.out;
  size_t functions = table.rows.size();
  if (!functions) {
    out.put(table.points ? "tprt: no hit of the " : "tprt: no call of the ");
    if (table.watched == 1)
      out.put("only watched ", nounOf(table, 1));
    else
      out.put(table.watched, " watched ", nounOf(table, table.watched));
    // A call is in the table of times once it has ended.
    out.put(table.timed ? " has ended in " : " in ");
  } else {
    const char *what = table.points ? " hit" : " call";
    out.put("tprt: ", table.calls, what, table.calls == 1 ? "" : "s", " of ",
            functions, " ", nounOf(table, functions));
    if (table.timed) {
      out.put(" took ");
      putTime(out, nanosecondsOf(table.self), 0);
    }
    out.put(" (", table.watched, " watched) in ");
  }
  out.printable(program_invocation_short_name);
  out.put(", process ", processNumber());
  putEnd(printer.occasion, out);
  out.put("\n");
  if (functions)
    out.put(table.timed ? "         calls       total        self     average  "
                          "       max  function\n"
            : table.points ? "          hits  point\n"
                           : "         calls  function\n");
  for (size_t i = 0; i < shown; ++i)
    putTextRow(printer, table.rows[i]);
  if (shown < functions) {
    out.pad(16);
    out.put(functions - shown, " more; TPRT_OPTIONS=top=0 shows all\n");
  }
  putRest(table, out);
}

// --- CSV (RFC 4180) and JSON (RFC 8259) --------------------------------------

// JSON says which control character a byte is, and that another one is unknown.
static void putUnprintable(Printout &out, unsigned char c) {
  if (options.format != Format::Json)
    return out.put('?');
  if (c >= 0x20)
    return out.put("\\ufffd");
  out.put("\\u00");
  out.put("0123456789abcdef"[c >> 4]);
  out.put("0123456789abcdef"[c & 15]);
}

static void putQuoted(Printout &out, const char *text) {
  bool json = options.format == Format::Json;
  out.put('"');
  for (const char *end = text + strlen(text); text != end;) {
    size_t bytes = json && *text == '\t' ? 0 : printableBytes(text, end);
    if (*text == '"' || (json && *text == '\\'))
      out.put(json ? '\\' : '"');
    if (bytes)
      out.write(text, bytes);
    else
      putUnprintable(out, static_cast<unsigned char>(*text));
    text += bytes ? bytes : 1;
  }
  out.put('"');
}

static void putCsvRow(Printer &printer, const Row &row) {
  Printout &out = printer.out;
  out.put(processNumber(), ",", row.calls);
  if (printer.table.timed)
    for (uint64_t ticks : timesOf(row).each)
      out.put(",", nanosecondsOf(ticks));
  out.put(',');
  putQuoted(out, nameOfRow(printer, row));
  out.put(',');
  putQuoted(out, factsOf(row).path);
  out.put(',');
  putQuoted(out, row.file ? row.file : "");
  out.put(',');
  if (row.file)
    out.put(row.line);
  out.put("\n");
}

static void printCsv(Printer &printer, size_t shown) {
  printer.out.put(printer.table.timed
                      ? "process,calls,total_ns,self_ns,average_ns,max_ns,"
                        "function,module,file,line\n"
                      : "process,calls,function,module,file,line\n");
  for (size_t i = 0; i < shown; ++i)
    putCsvRow(printer, printer.table.rows[i]);
}

static void putJsonRow(Printer &printer, const Row &row) {
  Printout &out = printer.out;
  out.put("{\"calls\":", row.calls);
  if (printer.table.timed)
    out.put(",\"total_ns\":", nanosecondsOf(row.total),
            ",\"self_ns\":", nanosecondsOf(row.self),
            ",\"average_ns\":", nanosecondsOf(averageOf(row)),
            ",\"max_ns\":", nanosecondsOf(row.longest));
  SiteFacts facts = factsOf(row);
  out.put(facts.point ? ",\"point\":" : ",\"function\":");
  putQuoted(out, nameOfRow(printer, row));
  if (const char *linked = facts.point ? nullptr : facts.name) {
    out.put(",\"linked\":");
    putQuoted(out, linked);
  }
  out.put(",\"module\":");
  putQuoted(out, factsOf(row).path);
  if (row.file) {
    out.put(",\"file\":");
    putQuoted(out, row.file);
    out.put(",\"line\":", row.line);
  }
  out.put('}');
}

// Prints a table on one line, so that a file that is appended to can be read
// line by line.
static void printJson(Printer &printer, size_t shown) {
  const Table &table = printer.table;
  Printout &out = printer.out;
  out.put("{\"table\":\"", table.kind, "\",\"program\":");
  putQuoted(out, program_invocation_short_name);
  out.put(",\"process\":", processNumber(), ",\"calls\":", table.calls,
          ",\"watched\":", table.watched, ",\"functions\":[");
  for (size_t i = 0; i < shown; ++i) {
    if (i)
      out.put(',');
    putJsonRow(printer, table.rows[i]);
  }
  out.put("]}\n");
}

// --- one table ---------------------------------------------------------------

static void makeNames(Table &table, Printer &printer, Array<char> &names) {
  Array<size_t> offsets;
  for (const Row &row : table.rows) {
    const char *name = nameOfRow(printer, row);
    if (!offsets.push(names.size()) || !names.append(name, strlen(name) + 1))
      return;
  }
  for (size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].name = names.begin() + offsets[i];
}

void printTable(Table &table, const Occasion &occasion, Printout &out) {
  static char name[4096]; // static, as the stack of a signal may be small
  Printer printer{table, occasion, out, name, sizeof name};
  Array<char> names;
  for (Row &row : table.rows)
    row.name = "";
  if (options.sort == Sort::Name)
    makeNames(table, printer, names);
  sortRows(table);
  uint64_t top = options.top == kUsual
                     ? options.format == Format::Text ? kUsualTop : 0
                     : options.top;
  size_t shown = table.rows.size();
  if (top && top < shown)
    shown = top;
  Array<char> files;
  if (occasion.ordinary())
    locate(table.rows.begin(), shown, files);
  switch (options.format) {
  case Format::Text:
    return printText(printer, shown);
  case Format::Csv:
    return printCsv(printer, shown);
  case Format::Json:
    return printJson(printer, shown);
  }
}

} // namespace tprt
