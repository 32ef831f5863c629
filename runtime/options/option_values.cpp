// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads TPRT_OPTIONS: words of the form name=value, separated by spaces or
// commas. Called once, by the library's constructor. Each mistake is reported
// on standard error. The option with the mistake is ignored, and the other
// options are followed.
#include "options/option_values.h"
#include "base/os_file.h"
#include "names/path_glob.h"
#include "options/output.h"
#include "threads/status.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

namespace tprt {

// It must be constant-initialised, as the library's constructor may fill it
// before any dynamic initialisation of this file.
constinit Options options{};

namespace {
bool readCount(const char *value);
bool readTime(const char *value);
bool readPrint(const char *value);
bool readNot(const char *value);
bool readSkip(const char *value);
bool readOutput(const char *value);
bool readSort(const char *value);
bool readFormat(const char *value);
bool readNames(const char *value);
bool readSignal(const char *value);
bool readRecord(const char *value);
bool readMode(const char *value);
bool readSize(const char *value);
bool readArguments(const char *value);
bool readResults(const char *value);
bool readStrings(const char *value);
bool readTool(const char *value);

// An option has either a `number` of at most `most`, or a function `read` that
// takes its value.
constexpr struct Option {
  char name[8], argument[18];
  uint32_t most;
  uint64_t *number;
  bool (*read)(const char *value);
  const char *help; // nullptr: another option's line has it
} kOptions[] = {
    {"count", "GLOB", 0, nullptr, readCount,
     "count hits of functions and points; repeatable"},
    {"time", "GLOB", 0, nullptr, readTime,
     "time the calls of matching functions; repeatable"},
    {"print", "GLOB", 0, nullptr, readPrint,
     "print each hit of functions and points; repeatable"},
    {"record", "FILE:GLOB", 0, nullptr, readRecord,
     "record calls and points; repeatable; FILE: %p %n"},
    {"mode", "all|newest|full", 0, nullptr, readMode,
     "what record keeps (all); size=N[K|M|G]: its bytes"},
    {"size", "N[K|M|G]", 0, nullptr, readSize, nullptr},
    {"args", "N", 0, nullptr, readArguments,
     "arguments to record; results=1; strings=1+3: texts"},
    {"results", "0|1", 0, nullptr, readResults, nullptr},
    {"strings", "N[+N]", 0, nullptr, readStrings, nullptr},
    {"not", "GLOB", 0, nullptr, readNot,
     "leave out functions and points; repeatable; !GLOB"},
    {"skip", "GLOB", 0, nullptr, readSkip, nullptr},
    {"sort", "KEY", 0, nullptr, readSort,
     "calls, total, self, average, max or name"},
    {"top", "N", UINT32_MAX, &options.top, nullptr,
     "rows of a table (25 of text, else all; 0: all)"},
    {"format", "text|csv|json", 0, nullptr, readFormat,
     "how the tables are written"},
    {"names", "short|full|linked", 0, nullptr, readNames,
     "how C++ names are shown"},
    {"width", "N", UINT32_MAX, &options.width, nullptr,
     "columns of a name (100; 0: no limit)"},
    {"output", "FILE", 0, nullptr, readOutput,
     "overwrite FILE; +FILE appends; %p is the process"},
    {"signal", "NAME", 0, nullptr, readSignal,
     "print the tables at this signal, as USR1 or 10"},
    {"traps", "0|1", 1, &options.traps, nullptr,
     "1: also attach where only a trap can be set (slow)"},
    {"code", "0|1", 1, &options.code, nullptr,
     "1: without sleds; signals, uprobes, skip: tprt(7)"},
    {"signals", "0|1", 1, &options.signals, nullptr, nullptr},
    {"uprobes", "0|1", 1, &options.uprobes, nullptr, nullptr},
    {"perf", "0|1", 1, &options.perf, nullptr,
     "1: name stubs in /tmp/perf-PID.map; gdb=1: for gdb"},
    {"gdb", "0|1", 1, &options.gdb, nullptr, nullptr},
    {"usdt", "0|1", 1, &options.usdt, nullptr,
     "1: points on for tracers; control=1: tpctl steers"},
    {"control", "0|1", UINT32_MAX, &options.control, nullptr, nullptr},
    {"tool", "PATH", 0, nullptr, readTool, nullptr},
    {"verbose", "0|1|2", 2, &options.verbose, nullptr,
     "0: only tables; 1: also what went wrong; 2: all"},
    {"help", "1", 1, &options.help, nullptr, "print this list"},
};

struct Choice {
  char name[8];
  uint8_t value;
};
template <class T> constexpr uint8_t number(T value) {
  return static_cast<uint8_t>(value);
}
constexpr Choice kSorts[] = {
    {"calls", number(Sort::Calls)}, {"total", number(Sort::Total)},
    {"self", number(Sort::Self)},   {"average", number(Sort::Average)},
    {"max", number(Sort::Max)},     {"name", number(Sort::Name)}};
constexpr Choice kFormats[] = {{"text", number(Format::Text)},
                               {"csv", number(Format::Csv)},
                               {"json", number(Format::Json)}};
constexpr Choice kNames[] = {{"short", number(Names::Short)},
                             {"full", number(Names::Full)},
                             {"linked", number(Names::Linked)}};
constexpr Choice kModes[] = {{"all", number(TPRT_RECORDING_MODE_ALL)},
                             {"newest", number(TPRT_RECORDING_MODE_NEWEST)},
                             {"full", number(TPRT_RECORDING_MODE_UNTIL_FULL)}};
constexpr Choice kSignals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},     {"QUIT", SIGQUIT},
    {"USR1", SIGUSR1}, {"USR2", SIGUSR2},   {"PIPE", SIGPIPE},
    {"ALRM", SIGALRM}, {"TERM", SIGTERM},   {"URG", SIGURG},
    {"IO", SIGIO},     {"WINCH", SIGWINCH}, {"PWR", SIGPWR}};
} // namespace

// Both functions report a mistake and return false.
[[gnu::noinline]] static bool complainPiece(const Piece &piece) {
  tell(1, "tprt: TPRT_OPTIONS: ", piece,
       "; TPRT_OPTIONS=help=1 lists the options\n");
  return false;
}
template <class... T> static bool complain(T... pieces) {
  const Piece list[] = {pieces...};
  return complainPiece(Piece(list, sizeof...(pieces)));
}

namespace {
template <size_t N>
bool choose(const Choice (&choices)[N], const char *name, const char *value,
            uint8_t &out) {
  for (const Choice &choice : choices)
    if (strcmp(choice.name, value) == 0)
      return out = choice.value, true;
  Piece known[2 * N];
  for (size_t i = 0; i < N; ++i) {
    known[2 * i] = i ? ", " : "";
    known[2 * i + 1] = choices[i].name;
  }
  return complain("'", value, "' is not a value for ", name, ", which takes ",
                  Piece(known, 2 * N));
}

bool addPattern(Patterns &patterns, const char *value) {
  const char *glob = afterPointPrefix(value);
  if (const char *fault = *glob ? globFault(glob) : "is empty")
    return complain("the pattern '", value, "' of ", patterns.option, " ",
                    fault);
  if (patterns.count == kMostPatterns)
    return complain("more than 32 patterns of ", patterns.option, ", '", value,
                    "' is left out");
  patterns.globs[patterns.count++] = value;
  return true;
}

bool readCount(const char *value) { return addPattern(options.counted, value); }
bool readTime(const char *value) {
  if (afterPointPrefix(value) != value)
    return complain("time=", value,
                    ": points are not timed; count= and print= take points");
  return addPattern(options.timed, value);
}
bool readPrint(const char *value) { return addPattern(options.printed, value); }
bool readNot(const char *value) { return addPattern(options.excluded, value); }
bool readSkip(const char *value) { return addPattern(options.skipped, value); }

bool readOutput(const char *value) {
  if (!value[*value == '+'])
    return complain("output needs a file");
  options.output = value;
  return true;
}

bool readTool(const char *value) {
  options.tool = value;
  return true;
}

bool readSort(const char *value) {
  return choose(kSorts, "sort", value,
                reinterpret_cast<uint8_t &>(options.sort));
}
bool readFormat(const char *value) {
  return choose(kFormats, "format", value,
                reinterpret_cast<uint8_t &>(options.format));
}
bool readNames(const char *value) {
  return choose(kNames, "names", value,
                reinterpret_cast<uint8_t &>(options.names));
}

bool readNumber(const char *value, uint64_t most, uint64_t &out) {
  char *end = nullptr;
  errno = 0;
  uint64_t number = strtoull(value, &end, 10);
  if (*value < '0' || *value > '9' || *end || errno || number > most)
    return false;
  out = number;
  return true;
}

bool readSignal(const char *value) {
  uint64_t number;
  if (readNumber(value, static_cast<uint64_t>(SIGRTMAX), number) && number &&
      number != SIGKILL && number != SIGSTOP)
    return options.signal = static_cast<int>(number), true;
  uint8_t named;
  const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;
  if (!choose(kSignals, "signal", name, named))
    return false;
  options.signal = named;
  return true;
}

// --- recording ---------------------------------------------------------------

// FILE:GLOB; FILE alone records everything. A second one may leave FILE out.
// FILE: without a pattern is for a tool that says by the control what to
// record.
bool readRecord(const char *value) {
  auto *colon = const_cast<char *>(strchr(value, ':'));
  const char *glob = colon ? colon + 1 : "*";
  if (colon)
    *colon = 0; // in options.text
  const char *&file = options.recording.file;
  if (!*value && !file)
    return complain("record needs a file, as in record=FILE:GLOB");
  if (*value && file && strcmp(file, value) != 0)
    return complain("record=", value,
                    ": only one recording is possible, and its file is ", file);
  if (*glob && !addPattern(options.recorded, glob))
    return false;
  file = *value ? value : file;
  return true;
}

bool readMode(const char *value) {
  uint8_t mode;
  if (!choose(kModes, "mode", value, mode))
    return false;
  options.recording.mode = static_cast<tprt_recording_mode>(mode);
  return true;
}

bool readSize(const char *value) {
  char *end = nullptr;
  errno = 0;
  uint64_t size = strtoull(value, &end, 10);
  unsigned shift = *end == 'K' || *end == 'k'   ? 10
                   : *end == 'M' || *end == 'm' ? 20
                   : *end == 'G' || *end == 'g' ? 30
                                                : 0;
  if (*value < '0' || *value > '9' || end[shift != 0] || errno || !size ||
      size >> (46 - shift))
    return complain("'", value, "' is not a size: write it as in size=256M");
  options.recording.size = size << shift;
  return true;
}

bool readArguments(const char *value) {
  uint64_t count;
  if (!readNumber(value, TPRT_ARGUMENT_REGISTERS, count))
    return complain("'", value, "' is not a value for args, which takes 0 to ",
                    uint64_t{TPRT_ARGUMENT_REGISTERS});
  options.recordedValues.arguments = static_cast<uint32_t>(count);
  return true;
}

bool readResults(const char *value) {
  uint64_t flag;
  if (!readNumber(value, 1, flag))
    return complain("'", value,
                    "' is not a value for results, which takes 0 or 1");
  options.recordedValues.results = static_cast<uint32_t>(flag);
  return true;
}

bool readStrings(const char *value) {
  uint32_t bits = 0;
  for (const char *at = value;; ++at) {
    if (*at < '1' || *at > '0' + TPRT_ARGUMENT_REGISTERS)
      break;
    bits |= 1u << (*at++ - '1');
    if (!*at) {
      options.recordedValues.strings = bits;
      return true;
    }
    if (*at != '+')
      break;
  }
  return complain("'", value,
                  "' is not a list of arguments: write it as in strings=1+3");
}

bool readOption(const char *name, const char *value) {
  const Option *option = kOptions;
  while (strcmp(name, option->name) != 0)
    if (++option == kOptions + sizeof kOptions / sizeof *kOptions)
      return complain("'", name, "' is not an option");
  if (option->read)
    return option->read(value);
  return readNumber(value, option->most, *option->number) ||
         complain("'", value, "' is not a value for ", name, ", which takes ",
                  option->most == UINT32_MAX ? "a number" : option->argument);
}
} // namespace

// --- words -------------------------------------------------------------------

static bool isSeparator(char c) {
  return c == ' ' || c == ',' || c == '\t' || c == '\n';
}

// Returns the place after the parenthesis or brace that closes the one at
// `open`, or nullptr if none does.
static char *closing(char *open) {
  const char close = *open == '(' ? ')' : '}';
  int depth = 0;
  for (char *at = open; *at; ++at) {
    depth += (*at == *open) - (*at == close);
    if (!depth)
      return at + 1;
  }
  return nullptr;
}

// Ends the word that begins at `at` and returns where the rest begins. Commas
// and spaces inside parentheses and braces are the word's own: f(long, int),
// parse_{file,text}.
static char *endWord(char *at) {
  while (*at && !isSeparator(*at)) {
    char *after = *at == '(' || *at == '{' ? closing(at) : nullptr;
    at = after ? after : at + 1;
  }
  if (*at)
    *at++ = 0;
  return at;
}

// Takes the name=value or !GLOB at `at` apart. A value in quotes is taken as it
// is. Returns where the rest begins.
static char *readWord(char *at, char *&name, char *&value) {
  static char exclusion[] = "not";
  bool excludes = *at == '!';
  name = excludes ? exclusion : at;
  if (!excludes)
    while (*at && *at != '=' && !isSeparator(*at))
      ++at;
  if (!excludes && *at != '=') {
    value = nullptr;
    if (*at)
      *at++ = 0;
    return at;
  }
  *at++ = 0; // the = or the !
  value = at;
  char *quote = *at == '"' || *at == '\'' ? strchr(at + 1, *at) : nullptr;
  if (!quote)
    return endWord(at);
  ++value;
  *quote = 0;
  return quote + 1;
}

// Reads all options, or only `verbose`.
static void readWords(const char *text, bool verbosityAlone) {
  strcpy(options.text, text);
  for (char *at = options.text; *at;) {
    if (isSeparator(*at)) {
      ++at;
      continue;
    }
    char *name, *value;
    at = readWord(at, name, value);
    if (verbosityAlone) {
      uint64_t level;
      if (value && strcmp(name, "verbose") == 0 && readNumber(value, 2, level))
        options.verbose = level;
    } else if (!value) {
      complain("'", name, "' has no value");
    } else {
      readOption(name, value);
    }
  }
}

static void setDefaults() {
  options.counted.option = "count";
  options.timed.option = "time";
  options.printed.option = "print";
  options.recorded.option = "record";
  options.skipped.option = "skip";
  options.excluded.option = "not";
  options.top = options.width = options.uprobes = kUsual;
  options.verbose = 1;
}

void readOptions(const char *text) {
  setDefaults();
  if (strlen(text) >= sizeof options.text) {
    verbosity = static_cast<int>(options.verbose);
    complain("longer than 4095 bytes, so all of it is ignored");
    return;
  }
  // The verbosity comes first, wherever it is, as it decides which mistakes
  // are reported.
  readWords(text, true);
  verbosity = static_cast<int>(options.verbose);
  readWords(text, false);
  // A level that was refused has left options.verbose as it was.
  verbosity = static_cast<int>(options.verbose);
}

void printHelp() {
  Printout out(standardError());
  out.put("libtprt ", tprt_version_string(),
          ". TPRT_OPTIONS takes name=value, separated by spaces or "
          "commas:\n");
  for (const Option &o : kOptions) {
    if (!o.help)
      continue;
    out.put("  ", o.name, "=");
    out.put(o.argument);
    out.pad(29 - strlen(o.name) - strlen(o.argument) - 2);
    out.put(o.help, "\n");
  }
  out.put(
      "A GLOB is a name with *, ? and [a-z], or module!name; in C++ as in "
      "ns::f(int).\npoint:GLOB takes points alone, where a function has the "
      "same name.\nQuote what has spaces. docs: tprt(7).\n");
  out.flush();
}

} // namespace tprt
