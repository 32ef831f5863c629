// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Command.h.

#include "Command.h"

#include <cstring>

using namespace tp;

bool tp::startsWith(const std::string &Text, const char *Prefix) {
  return Text.compare(0, std::strlen(Prefix), Prefix) == 0;
}

std::string tp::baseName(const std::string &Path) {
  return Path.substr(Path.rfind('/') + 1);
}

unsigned tp::countValues(const std::string &Arg) {
  enum Match { Exact, Prefix };
  static const struct {
    const char *Name;
    Match How;
    unsigned Values;
  } Options[] = {
#define VALUE_OPTION(NAME, HOW, VALUES) {NAME, HOW, VALUES},
#include "ValueOptions.def"
#undef VALUE_OPTION
  };
  for (const auto &O : Options)
    if (O.How == Exact ? Arg == O.Name : startsWith(Arg, O.Name))
      return O.Values;
  return 0;
}

static bool isOneOf(const std::string &Text,
                    std::initializer_list<const char *> Names) {
  for (const char *Name : Names)
    if (Text == Name)
      return true;
  return false;
}

/// The part of the file's name after its last dot.
static std::string nameEnd(const std::string &File) {
  std::string Name = baseName(File);
  size_t Dot = Name.rfind('.');
  return Dot == std::string::npos ? "" : Name.substr(Dot + 1);
}

static bool isGiven(const std::string &Language) {
  return !Language.empty() && Language != "none";
}

static bool isHeader(const std::string &File, const std::string &Language) {
  if (isGiven(Language))
    return Language.find("-header") != std::string::npos;
  return isOneOf(nameEnd(File), {"h", "H", "hh", "hp", "hpp", "hxx"});
}

static bool isIR(const std::string &File, const std::string &Language) {
  return isGiven(Language) ? Language == "ir"
                           : isOneOf(nameEnd(File), {"ll", "bc"});
}

/// Whether clang preprocesses the file. clang treats a file with an unknown
/// ending as an input of the linker.
static bool isSource(const std::string &File, const std::string &Language) {
  if (isGiven(Language))
    return Language.find("cpp-output") == std::string::npos &&
           !isOneOf(Language, {"assembler", "ir", "ast", "pcm"});
  return File == "-" ||
         isOneOf(nameEnd(File),
                 {"c",   "cc",  "cp",  "cpp",  "cxx",  "c++",  "C",
                  "CC",  "CPP", "CXX", "C++",  "h",    "H",    "hh",
                  "hp",  "hpp", "hxx", "h++",  "tcc",  "m",    "mm",
                  "M",   "S",   "sx",  "cppm", "ccm",  "cxxm", "c++m",
                  "ixx", "cu",  "hip", "cl",   "clcpp"});
}

namespace {

/// Reads a command's arguments in order, each with its values.
class Reader {
  Command C;
  std::string Language;

  void addInput(const std::string &File) {
    C.HasInput = true;
    C.HasLinkInput |= !isHeader(File, Language);
    C.HasIR |= isIR(File, Language);
    C.HasSource |= isSource(File, Language);
    std::string Name = baseName(File);
    C.NamesRuntime |= Name == "libtprt.a" || Name == "libtprt.so";
    C.NamesArchive |= Name == "libtprt.a";
  }

  void addLibrary(const std::string &Name) {
    C.HasInput = C.HasLinkInput = true;
    C.NamesRuntime |= isOneOf(Name, {"tprt", ":libtprt.a", ":libtprt.so"});
    C.NamesArchive |= Name == ":libtprt.a";
  }

  /// One word of a -Wl, option, or the value of -Xlinker.
  void addLinkerWord(const std::string &Word) {
    C.HasInput = C.HasLinkInput = true;
    C.Relocatable |= isOneOf(Word, {"-r", "--relocatable", "-i"});
    if (startsWith(Word, "-l"))
      addLibrary(Word.substr(2));
  }

  void addLinkerWords(const std::string &List) {
    for (size_t Begin = 0; Begin <= List.size();) {
      size_t End = std::min(List.find(',', Begin), List.size());
      addLinkerWord(List.substr(Begin, End - Begin));
      Begin = End + 1;
    }
  }

  bool readStage(const std::string &Arg) {
    if (!isOneOf(Arg, {"-c",
                       "--compile",
                       "-S",
                       "--assemble",
                       "-E",
                       "--preprocess",
                       "-M",
                       "--dependencies",
                       "-MM",
                       "--user-dependencies",
                       "-fsyntax-only",
                       "--precompile",
                       "--analyze",
                       "-emit-ast",
                       "-extract-api",
                       "-verify-pch",
                       "-module-file-info",
                       "-emit-interface-stubs",
                       "-rewrite-objc",
                       "-rewrite-legacy-objc"}))
      return false;
    C.StopsBeforeLink = true;
    return true;
  }

  bool readLinkMode(const std::string &Arg) {
    if (Arg == "-r")
      C.Relocatable = true;
    else if (isOneOf(Arg, {"-shared", "--shared"}))
      C.Shared = true;
    else if (isOneOf(Arg, {"-static", "--static", "-static-pie"}))
      C.Static = true;
    else if (isOneOf(Arg, {"-nostdlib", "--no-standard-libraries",
                           "-nodefaultlibs", "-nolibc"}))
      C.NoDefaultLibs = true;
    else if (isOneOf(Arg,
                     {"-nostdinc", "--no-standard-includes", "-nostdlibinc"}))
      C.NoStandardIncludes = true;
    else if (isOneOf(Arg, {"-m32", "-mx32", "-m16"}))
      C.ThirtyTwoBit = true;
    else if (Arg == "-m64")
      C.ThirtyTwoBit = false;
    else if (Arg == "-flto" || startsWith(Arg, "-flto="))
      C.LTO = true;
    else if (Arg == "-fno-lto")
      C.LTO = false;
    else
      return false;
    return true;
  }

  bool readJoined(const std::string &Arg) {
    static const size_t TargetLength = std::strlen("--target=");
    if (startsWith(Arg, "-fuse-ld="))
      C.UseLd = Arg.substr(std::strlen("-fuse-ld="));
    else if (startsWith(Arg, "--ld-path="))
      C.LdPath = Arg.substr(std::strlen("--ld-path="));
    else if (startsWith(Arg, "--target="))
      C.Target = Arg.substr(TargetLength);
    else if (startsWith(Arg, "--driver-mode="))
      C.ForeignMode =
          !isOneOf(Arg.substr(std::strlen("--driver-mode=")), {"gcc", "g++"});
    else if (startsWith(Arg, "-fplugin="))
      C.NamesPlugin |= baseName(Arg.substr(9)) == "libtp.so";
    else if (startsWith(Arg, "-Wl,"))
      addLinkerWords(Arg.substr(4));
    else if (startsWith(Arg, "-l"))
      addLibrary(Arg.substr(2));
    else if (startsWith(Arg, "-x"))
      Language = Arg.substr(2);
    else if (startsWith(Arg, "--language="))
      Language = Arg.substr(std::strlen("--language="));
    else if (startsWith(Arg, "-isystem"))
      C.SystemIncludes.push_back(Arg.substr(std::strlen("-isystem")));
    else if (startsWith(Arg, "-B"))
      C.Prefixes.push_back(Arg.substr(2));
    else
      return false;
    return true;
  }

public:
  void readOption(const std::string &Arg) {
    readStage(Arg) || readLinkMode(Arg) || readJoined(Arg);
  }

  void readOptionWithValue(const std::string &Arg, const std::string &Value) {
    if (isOneOf(Arg, {"-x", "--language"}))
      Language = Value;
    else if (isOneOf(Arg, {"-Xlinker", "--for-linker"}))
      addLinkerWord(Value);
    else if (isOneOf(Arg, {"-l", "-Zlinker-input"}))
      addLibrary(Value);
    else if (Arg == "-target")
      C.Target = Value;
    else if (Arg == "-isystem")
      C.SystemIncludes.push_back(Value);
    else if (Arg == "-B" || Arg == "--prefix")
      C.Prefixes.push_back(Value);
  }

  void readFile(const std::string &File) { addInput(File); }

  Command take() { return std::move(C); }
};

} // namespace

Command tp::readCommand(const std::vector<std::string> &Args) {
  if (!Args.empty() && startsWith(Args[0], "-cc1")) {
    Command C;
    C.IsInternal = true;
    return C;
  }
  Reader R;
  bool OnlyFiles = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    const std::string &Arg = Args[I];
    if (OnlyFiles || Arg == "-" || Arg.empty() || Arg[0] != '-') {
      R.readFile(Arg);
    } else if (Arg == "--") {
      OnlyFiles = true;
    } else if (unsigned Values = countValues(Arg)) {
      R.readOptionWithValue(Arg, I + 1 < Args.size() ? Args[I + 1] : "");
      I += Values;
    } else {
      R.readOption(Arg);
    }
  }
  return R.take();
}
