// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See Image.h. The program's headers lead to its dynamic section, and that
// section leads to the loader's list of modules. Each module has a dynamic
// section with the tables in which the loader looks up names.

#include "Image.h"

#include "shared/Processes.h"
#include "llvm/Support/Path.h"
#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <link.h>
#include <map>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace tpctl {

static void closeFile(const int *File) {
  if (*File >= 0)
    close(*File);
  delete File;
}

TargetMemory::TargetMemory(pid_t Pid)
    : Pid(Pid),
      File(new int(open(procPath(Pid, "mem").c_str(), O_RDWR | O_CLOEXEC)),
           closeFile),
      Code(errno) {}

bool TargetMemory::read(uint64_t Address, void *To, size_t Bytes) const {
  auto *Next = static_cast<char *>(To);
  while (Bytes) {
    ssize_t Got = pread(*File, Next, Bytes, static_cast<off_t>(Address));
    if (Got < 0 && (errno == EINTR || errno == EAGAIN))
      continue;
    if (Got <= 0)
      return false;
    Next += Got;
    Address += static_cast<uint64_t>(Got);
    Bytes -= static_cast<size_t>(Got);
  }
  return true;
}

bool TargetMemory::isGone() const {
  if (*File < 0)
    return Code == ENOENT || Code == ESRCH;
  // For an unmapped address the kernel returns EIO. If the process has no
  // memory any more, it returns 0 bytes for any address.
  char Byte;
  return pread(*File, &Byte, 1, 0) == 0;
}

std::string TargetMemory::text(uint64_t Address, size_t Most) const {
  std::string Text;
  for (char Piece[64]; Text.size() < Most;) {
    // A read must not cross a page's end: the next page may be unmapped.
    size_t Bytes = std::min<size_t>(sizeof Piece, 4096 - Address % 4096);
    if (!read(Address, Piece, Bytes))
      break;
    size_t Length = strnlen(Piece, Bytes);
    Text.append(Piece, Length);
    if (Length < Bytes)
      break;
    Address += Bytes;
  }
  return Text;
}

bool TargetMemory::write(uint64_t Address, const void *From,
                         size_t Bytes) const {
  return pwrite(*File, From, Bytes, static_cast<off_t>(Address)) ==
         static_cast<ssize_t>(Bytes);
}

// --- a module ----------------------------------------------------------------

bool Module::readDynamic(const TargetMemory &Memory, uint64_t Dynamic) {
  uint64_t Shared = 0;
  bool HasShared = false;
  std::map<int64_t, uint64_t *> Wanted = {{DT_SYMTAB, &Symbols},
                                          {DT_STRTAB, &Strings},
                                          {DT_GNU_HASH, &Hash},
                                          {DT_HASH, &OldHash},
                                          {DT_VERSYM, &Versions}};
  for (unsigned I = 0; I < 1000; ++I) {
    ElfW(Dyn) Entry;
    if (!Memory.read(Dynamic + I * sizeof Entry, Entry))
      return false;
    if (Entry.d_tag == DT_NULL)
      break;
    if (Entry.d_tag == DT_SONAME) {
      Shared = Entry.d_un.d_val;
      HasShared = true;
    }
    // If this section is writable, the loader has already added the bias.
    if (auto It = Wanted.find(Entry.d_tag); It != Wanted.end())
      *It->second =
          Entry.d_un.d_ptr < Bias ? Entry.d_un.d_ptr + Bias : Entry.d_un.d_ptr;
  }
  if (HasShared && Strings)
    SharedName = Memory.text(Strings + Shared, 256);
  return Symbols && Strings;
}

bool Module::isSymbol(const TargetMemory &Memory, uint32_t Index,
                      StringRef Wanted, ElfW(Sym) & Symbol) const {
  uint16_t Version = 0;
  constexpr uint16_t Hidden = 0x8000; // not the default version
  return Memory.read(Symbols + Index * sizeof Symbol, Symbol) &&
         Symbol.st_shndx != SHN_UNDEF &&
         ELF64_ST_BIND(Symbol.st_info) != STB_LOCAL &&
         Memory.text(Strings + Symbol.st_name, Wanted.size() + 1) == Wanted &&
         (!Versions || (Memory.read(Versions + 2ull * Index, Version) &&
                        !(Version & Hidden)));
}

bool Module::findByOldHash(const TargetMemory &Memory, StringRef Wanted,
                           ElfW(Sym) & Symbol) const {
  uint32_t Counts[2]; // buckets, symbols
  if (!OldHash || !Memory.read(OldHash, Counts) || !Counts[0])
    return false;
  uint32_t Code = 0;
  for (char C : Wanted) {
    Code = (Code << 4) + static_cast<uint8_t>(C);
    Code = (Code ^ (Code >> 24 & 0xf0)) & 0x0fffffff;
  }
  auto Word = [&](uint64_t Index, uint32_t &To) {
    return Memory.read(OldHash + sizeof Counts + 4 * Index, To);
  };
  uint32_t Index = 0;
  bool Ok = Word(Code % Counts[0], Index);
  for (uint32_t Steps = 0; Ok && Index && Steps < Counts[1]; ++Steps) {
    if (isSymbol(Memory, Index, Wanted, Symbol))
      return true;
    Ok = Word(uint64_t{Counts[0]} + Index, Index);
  }
  return false;
}

bool Module::findSymbol(const TargetMemory &Memory, StringRef Wanted,
                        ElfW(Sym) & Symbol) const {
  uint32_t Head[4]; // buckets, first symbol, words of the filter, its shift
  if (!Hash)
    return findByOldHash(Memory, Wanted, Symbol);
  if (!Memory.read(Hash, Head) || !Head[0])
    return false;
  uint32_t Code = 5381;
  for (char C : Wanted)
    Code = Code * 33 + static_cast<uint8_t>(C);
  uint64_t Buckets = Hash + sizeof Head + 8ull * Head[2];
  uint64_t Chains = Buckets + 4ull * Head[0];
  uint32_t Index = 0;
  if (!Memory.read(Buckets + 4ull * (Code % Head[0]), Index) || Index < Head[1])
    return false;
  // The last word of a chain is odd.
  for (uint32_t Word = 0; !(Word & 1); ++Index) {
    if (!Memory.read(Chains + 4ull * (Index - Head[1]), Word))
      return false;
    if ((Word | 1) == (Code | 1) && isSymbol(Memory, Index, Wanted, Symbol))
      return true;
  }
  return false;
}

uint64_t Module::find(const TargetMemory &Memory, StringRef Wanted) const {
  ElfW(Sym) Symbol;
  return findSymbol(Memory, Wanted, Symbol) &&
                 ELF64_ST_TYPE(Symbol.st_info) == STT_FUNC
             ? Bias + Symbol.st_value
             : 0;
}

std::pair<uint64_t, uint64_t> Module::findVariable(const TargetMemory &Memory,
                                                   StringRef Wanted) const {
  ElfW(Sym) Symbol;
  if (!findSymbol(Memory, Wanted, Symbol) ||
      ELF64_ST_TYPE(Symbol.st_info) != STT_OBJECT)
    return {0, 0};
  return {Bias + Symbol.st_value, Symbol.st_size};
}

bool Module::contains(const TargetMemory &Memory, uint64_t Place) const {
  ElfW(Ehdr) File;
  if (!Memory.read(Bias, File) || memcmp(File.e_ident, ELFMAG, SELFMAG) != 0)
    return false;
  for (unsigned I = 0; I < File.e_phnum; ++I) {
    ElfW(Phdr) Header;
    if (!Memory.read(Bias + File.e_phoff + I * sizeof Header, Header))
      return false;
    if (Header.p_type == PT_LOAD &&
        Place - (Bias + Header.p_vaddr) < Header.p_memsz)
      return true;
  }
  return false;
}

bool Module::defines(const TargetMemory &Memory, StringRef Wanted) const {
  Module AnyVersion = *this;
  AnyVersion.Versions = 0;
  ElfW(Sym) Symbol;
  return AnyVersion.findSymbol(Memory, Wanted, Symbol);
}

// --- all modules -------------------------------------------------------------

namespace {
/// A value of the auxiliary vector that the kernel has passed to the program.
uint64_t auxiliary(pid_t Pid, uint64_t Type) {
  std::ifstream In(procPath(Pid, "auxv"), std::ios::binary);
  for (ElfW(auxv_t) Entry;
       In.read(reinterpret_cast<char *>(&Entry), sizeof Entry);)
    if (Entry.a_type == Type)
      return Entry.a_un.a_val;
  return 0;
}

Error isStatic(pid_t Pid) {
  return createStringError(
      "process " + Twine(Pid) +
      " runs a static program, which has no loader that could load libtprt: "
      "link it with libtprt (tp-clang does) and start it with "
      "TPRT_OPTIONS=control=1");
}

Error otherLibrary(pid_t Pid, StringRef What) {
  return createStringError("process " + Twine(Pid) + " " + What +
                           ": start it by tpctl VERB ... -- COMMAND, or link "
                           "it with libtprt");
}
} // namespace

Expected<uint64_t> Image::findDebug() {
  uint64_t Headers = auxiliary(Memory.Pid, AT_PHDR), Bias = 0, Dynamic = 0;
  uint64_t Count = auxiliary(Memory.Pid, AT_PHNUM);
  std::string Interpreter;
  for (uint64_t I = 0; I < std::min<uint64_t>(Count, 256); ++I) {
    ElfW(Phdr) Header;
    if (!Memory.read(Headers + I * sizeof Header, Header))
      break;
    if (Header.p_type == PT_PHDR)
      Bias = Headers - Header.p_vaddr;
    else if (Header.p_type == PT_DYNAMIC)
      Dynamic = Bias + Header.p_vaddr;
    else if (Header.p_type == PT_INTERP)
      Interpreter = Memory.text(Bias + Header.p_vaddr);
  }
  if (Interpreter.empty() || !Dynamic)
    return isStatic(Memory.Pid);
  if (sys::path::filename(Interpreter).starts_with("ld-musl"))
    Kind = CLibrary::Musl;
  for (unsigned I = 0; I < 1000; ++I) {
    ElfW(Dyn) Entry;
    if (!Memory.read(Dynamic + I * sizeof Entry, Entry) ||
        Entry.d_tag == DT_NULL)
      break;
    if (Entry.d_tag == DT_DEBUG && Entry.d_un.d_ptr)
      return Entry.d_un.d_ptr;
  }
  return 0;
}

/// Whether the list could be read.
template <typename Function> bool Image::visitModules(Function Visit) const {
  r_debug Head;
  if (!Memory.read(Debug, Head))
    return false;
  uint64_t Next = reinterpret_cast<uint64_t>(Head.r_map);
  for (unsigned I = 0; Next && I < 100000; ++I) {
    link_map Entry;
    if (!Memory.read(Next, Entry))
      break;
    Visit(Entry);
    Next = reinterpret_cast<uint64_t>(Entry.l_next);
  }
  return true;
}

constexpr StringLiteral ThreadsLibrary = "libpthread.so.0";

bool Image::hasThreads() const {
  return !Split || any_of(Parts, [](const Module *M) {
    return M->SharedName == ThreadsLibrary;
  });
}

Error Image::readModules() {
  r_debug Head;
  bool Read = visitModules([&](const link_map &Entry) {
    Biases.push_back(Entry.l_addr);
    Module M;
    M.Bias = Entry.l_addr;
    M.Name = Memory.text(reinterpret_cast<uint64_t>(Entry.l_name));
    // The kernel's own module (vdso) has no function that is needed here.
    if (M.readDynamic(Memory, reinterpret_cast<uint64_t>(Entry.l_ld)))
      Modules.push_back(std::move(M));
  });
  if (!Read || !Memory.read(Debug, Head))
    return createStringError("process " + Twine(Memory.Pid) +
                             ": its loader's list cannot be read");
  for (const Module &M : Modules) {
    if (!Library && M.SharedName == "libc.so.6")
      Library = &M;
    if (!Loader && M.Bias == reinterpret_cast<uint64_t>(Head.r_ldbase))
      Loader = &M;
    if (M.SharedName == ThreadsLibrary || M.SharedName == "libdl.so.2")
      Parts.push_back(&M);
  }
  if (Kind == CLibrary::Musl)
    Library = Loader; // one file is both
  return Error::success();
}

bool Image::isConsistent() const {
  r_debug Head;
  return Memory.read(Debug, Head) && Head.r_state == r_debug::RT_CONSISTENT;
}

bool Image::isCurrent() const {
  std::vector<uint64_t> Now;
  return visitModules(
             [&](const link_map &Entry) { Now.push_back(Entry.l_addr); }) &&
         Now == Biases;
}

uint64_t Image::find(StringRef Name) const {
  for (const Module &M : Modules)
    if (uint64_t Found = M.find(Memory, Name))
      return Found;
  return 0;
}

Expected<Image> Image::read(pid_t Pid) {
  constexpr auto Patience = std::chrono::seconds(2);
  auto Deadline = std::chrono::steady_clock::now() + Patience;
  for (;;) {
    bool Starts = false;
    auto I = readNow(Pid, Starts);
    if (!Starts || std::chrono::steady_clock::now() > Deadline)
      return I;
    consumeError(I.takeError());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// Sets `Starts` if a later call may give another result soon.
Expected<Image> Image::readNow(pid_t Pid, bool &Starts) {
  Image I(Pid);
  auto Debug = I.findDebug();
  if (!Debug && I.Memory.isGone()) {
    consumeError(Debug.takeError());
    char State = stateOf(Pid);
    Starts = State && State != 'Z' && State != 'X';
    return createStringError("process " + Twine(Pid) +
                             " has ended, or runs another program now");
  }
  if (!Debug)
    return Debug.takeError();
  I.Debug = *Debug;
  if (!I.Debug) {
    Starts = true;
    return createStringError("process " + Twine(Pid) +
                             " is about to start: try again");
  }
  Error E = I.readModules();
  Starts = !I.isConsistent() || !I.isCurrent();
  if (E)
    return E;
  Starts |= !I.Library || !I.Loader;
  if (!I.Library || !I.Loader)
    return otherLibrary(Pid, "has neither glibc (libc.so.6) nor musl");
  // Threads and the loader's functions are part of libc.so.6 since 2.34.
  I.Split = I.Kind == CLibrary::Glibc &&
            (!I.Library->find(I.Memory, "pthread_create") ||
             !I.Library->find(I.Memory, "dlopen"));
  return I;
}

} // namespace tpctl
