// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TPRT_OPTIONS=gdb=1. gdb finds neither names nor unwind tables for stubs, the
// copies of instructions and islands, as these are in no file. So a small ELF
// image in memory has both, and is announced by gdb's interface for compilers
// at run time (GDB manual, "JIT Compilation Interface"): a list of images, and
// a function at which gdb sets a breakpoint.
//
// There is one image. It is made anew when a batch has made stubs or islands,
// and when a module has gone. Called under the runtime's lock.
#include "options/gdb_jit.h"
#include "base/os_memory.h"
#include "options/option_values.h"
#include "options/site_facts.h"
#include "sites/arch.h"
#include "text/pc_map.h"
#include "threads/lock.h"

#include <elf.h>
#include <string.h>

// The names and types are gdb's. JIT compilers define the same names. A program
// that is linked with libtprt.a may contain such a compiler, so our definitions
// are weak there, and gdb and libtprt use the compiler's. In libtprt.so they
// are ours alone: gdb finds them in each module, but no reference of another
// module is bound to a version that is not the default one.
#ifdef TPRT_VERSIONED
#define TPRT_FOR_GDB __attribute__((visibility("protected")))
__asm__(
    ".symver __jit_debug_descriptor, __jit_debug_descriptor@TPRT_2, remove");
__asm__(".symver __jit_debug_register_code, "
        "__jit_debug_register_code@TPRT_2, remove");
#else
#define TPRT_FOR_GDB __attribute__((weak, visibility("default")))
#endif
extern "C" {
struct jit_code_entry {
  jit_code_entry *next_entry, *prev_entry;
  const char *symfile_addr;
  uint64_t symfile_size;
};
struct jit_descriptor {
  uint32_t version, action_flag;
  jit_code_entry *relevant_entry, *first_entry;
};
extern jit_descriptor __jit_debug_descriptor;
TPRT_FOR_GDB jit_descriptor __jit_debug_descriptor = {1, 0, nullptr, nullptr};
void __jit_debug_register_code();
TPRT_FOR_GDB __attribute__((noinline)) void __jit_debug_register_code() {
  __asm__ volatile("" ::: "memory");
}
}

namespace tprt {

namespace {
// DWARF 5, 7.24.
enum Dwarf : uint8_t {
  kSaved = 0x80, // and a register
  kInRegister = 0x09,
  kDefineFrame = 0x0c,
  kFrameOffset = 0x0e,
  kValueIs = 0x16,
  kAddress = 0x03
};

struct __attribute__((packed)) CommonEntry {
  uint32_t length = sizeof(CommonEntry) - 4, id = 0;
  uint8_t version = 1, augmentation = 0, codeFactor = 1, dataFactor = 0x78;
  uint8_t returnColumn = kDebugReturn;
  uint8_t rules[3] = {kDefineFrame, kDebugStack, 0};
};
static_assert(sizeof(CommonEntry) == 16);

// The stack pointer of the program is that of the thread and `below` bytes
// more, and the program continues in front of `resume`.
struct __attribute__((packed)) FrameEntry {
  uint32_t length = sizeof(FrameEntry) - 4, toCommon;
  uint64_t start, bytes;
  uint8_t frame[3] = {kFrameOffset};
  uint8_t value[4] = {kValueIs, kDebugReturn, 9, kAddress};
  uint64_t resume;
  // Zero is a rule that does nothing.
  uint8_t saved[kDebugSaves ? 9 : 1] = {};

  FrameEntry(const PcRun &run, size_t at)
      : toCommon(static_cast<uint32_t>(at + 4)), start(run.start),
        bytes(run.end - run.start), resume(run.resume) {
    frame[1] = static_cast<uint8_t>(0x80 | (run.below & 0x7f)); // LEB128
    frame[2] = static_cast<uint8_t>(run.below >> 7);
    if (!run.resume) {
      // Called by a stub: the return address is in a register.
      const uint8_t link[4] = {kInRegister, kDebugReturn, kDebugLink};
      memset(value, 0, sizeof value);
      memcpy(saved, link, kDebugSaves ? sizeof link : 0);
    } else if (kDebugSaves && run.below) {
      auto words = static_cast<uint8_t>(run.below / 8);
      const uint8_t rules[4] = {static_cast<uint8_t>(kSaved | kDebugSaved[0]),
                                words,
                                static_cast<uint8_t>(kSaved | kDebugSaved[1]),
                                static_cast<uint8_t>(words - 1)};
      memcpy(saved, rules, kDebugSaves ? sizeof rules : 0);
    }
  }
};
static_assert(sizeof(FrameEntry) == (kDebugSaves ? 48 : 40));

// What the image has, in this order.
struct Sizes {
  size_t frames = 0, symbols = 0, text = 1, sections = 0;

  size_t sectionsAt() const { return sizeof(Elf64_Ehdr); }
  // Those of code, and .eh_frame, .symtab, .strtab.
  size_t allSections() const { return 1 + sections + 3; }
  size_t framesAt() const {
    return sectionsAt() + allSections() * sizeof(Elf64_Shdr);
  }
  size_t frameBytes() const {
    return sizeof(CommonEntry) + frames * sizeof(FrameEntry) + 8;
  }
  size_t symbolsAt() const { return framesAt() + frameBytes(); }
  size_t symbolBytes() const { return (1 + symbols) * sizeof(Elf64_Sym); }
  size_t textAt() const { return symbolsAt() + symbolBytes(); }
  size_t bytes() const { return textAt() + text; }
};

// Walks over all runs, once to count and once to write.
struct Image {
  Sizes sizes; // What was seen.
  Sizes whole; // What there is; only while `out` is set.
  uint8_t *out = nullptr;
  uint64_t section = 0;
  const tprt_site *site = nullptr;
  uint64_t siteStart = 0;

  template <class T> T &at(size_t offset, size_t index) {
    return *reinterpret_cast<T *>(out + offset + index * sizeof(T));
  }
  void add(const PcRun &run);
  size_t addText(const char *text);
  void addSection(const char *name, const Elf64_Shdr &header, size_t index);
};
} // namespace

// ".text" is the name of all sections of code.
static constexpr char kPrefix[] = "tprt_stub_of_", kHeader[] = "tprt_stubs",
                      kText[] = ".text", kFrames[] = ".eh_frame",
                      kSymbols[] = ".symtab", kStrings[] = ".strtab";

size_t Image::addText(const char *text) {
  size_t bytes = strlen(text) + 1, from = sizes.text;
  if (out)
    memcpy(out + whole.textAt() + from, text, bytes);
  sizes.text += bytes;
  return from;
}

void Image::addSection(const char *name, const Elf64_Shdr &header,
                       size_t index) {
  auto nameAt = static_cast<uint32_t>(addText(name));
  if (!out)
    return;
  auto &to = at<Elf64_Shdr>(whole.sectionsAt(), index);
  to = header;
  to.sh_name = nameAt;
}

void Image::add(const PcRun &run) {
  constexpr size_t kMostSections = 0xfe00; // numbers from 0xff00 on are special
  if (run.firstOfAll && run.firstOfAll != section) {
    if (sizes.sections == kMostSections)
      return;
    section = run.firstOfAll;
    Elf64_Shdr header{};
    header.sh_type = SHT_NOBITS;
    header.sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    header.sh_addr = section;
    header.sh_size = run.endOfAll - section;
    header.sh_addralign = 1;
    addSection(kText, header, ++sizes.sections);
  }
  size_t frameAt = sizeof(CommonEntry) + sizes.frames++ * sizeof(FrameEntry);
  if (out) {
    const FrameEntry frame(run, frameAt);
    memcpy(out + whole.framesAt() + frameAt, &frame, sizeof frame);
  }
  if (!run.firstOfAll)
    return;
  // The runs of one stub have one symbol.
  bool goesOn = site == run.site && siteStart == run.start;
  site = run.site;
  siteStart = run.end;
  if (goesOn) {
    if (out)
      at<Elf64_Sym>(whole.symbolsAt(), sizes.symbols).st_size +=
          run.end - run.start;
    return;
  }
  size_t name = addText(run.resume ? kPrefix : kHeader);
  if (run.resume) {
    SiteFacts facts = lookAt(run.site);
    --sizes.text; // the name continues
    addText(facts.name ? facts.name : "code");
  }
  ++sizes.symbols;
  if (!out)
    return;
  auto &symbol = at<Elf64_Sym>(whole.symbolsAt(), sizes.symbols);
  symbol.st_name = static_cast<uint32_t>(name);
  symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
  symbol.st_shndx = static_cast<uint16_t>(sizes.sections);
  symbol.st_value = run.start;
  symbol.st_size = run.end - run.start;
}

static void visit(Image &image) {
  visitPcMap([](const PcRun &run,
                void *data) { static_cast<Image *>(data)->add(run); },
             &image);
}

static void writeRest(Image &image) {
  const Sizes &whole = image.whole;
  const auto base = reinterpret_cast<uint64_t>(image.out);
  const auto last = static_cast<uint16_t>(whole.allSections() - 1);
  Elf64_Ehdr head{};
  memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_ident[EI_VERSION] = EV_CURRENT;
  head.e_type = ET_EXEC;
  head.e_machine = kDebugMachine;
  head.e_version = EV_CURRENT;
  head.e_shoff = whole.sectionsAt();
  head.e_ehsize = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<uint16_t>(last + 1);
  head.e_shstrndx = last;
  memcpy(image.out, &head, sizeof head);
  const CommonEntry common;
  memcpy(image.out + whole.framesAt(), &common, sizeof common);
  Elf64_Shdr frames{};
  frames.sh_type = SHT_PROGBITS;
  frames.sh_flags = SHF_ALLOC;
  frames.sh_offset = whole.framesAt();
  frames.sh_addr = base + frames.sh_offset;
  frames.sh_size = whole.frameBytes() - 4; // four zero bytes end it
  frames.sh_addralign = 8;
  image.addSection(kFrames, frames, last - 2u);
  Elf64_Shdr symbols{};
  symbols.sh_type = SHT_SYMTAB;
  symbols.sh_offset = whole.symbolsAt();
  symbols.sh_size = whole.symbolBytes();
  symbols.sh_link = last;
  symbols.sh_info = static_cast<uint32_t>(1 + whole.symbols); // all are local
  symbols.sh_addralign = 8;
  symbols.sh_entsize = sizeof(Elf64_Sym);
  image.addSection(kSymbols, symbols, last - 1u);
  Elf64_Shdr strings{};
  strings.sh_type = SHT_STRTAB;
  strings.sh_offset = whole.textAt();
  strings.sh_size = whole.text;
  strings.sh_addralign = 1;
  image.addSection(kStrings, strings, last);
}

// The present image; its pages are mapped as long as gdb may read them.
static jit_code_entry entry;

static void announce(uint32_t action) {
  __jit_debug_descriptor.relevant_entry = &entry;
  __jit_debug_descriptor.action_flag = action;
  __jit_debug_register_code();
  __jit_debug_descriptor.action_flag = 0;
}

static void takeBack() {
  if (!entry.symfile_addr)
    return;
  if (entry.prev_entry)
    entry.prev_entry->next_entry = entry.next_entry;
  else
    __jit_debug_descriptor.first_entry = entry.next_entry;
  if (entry.next_entry)
    entry.next_entry->prev_entry = entry.prev_entry;
  announce(2); // JIT_UNREGISTER_FN
  freePages(const_cast<char *>(entry.symfile_addr), entry.symfile_size);
  entry = {};
}

static void make() {
  takeBack();
  Image counted;
  visit(counted);
  if (!counted.sizes.frames)
    return;
  counted.addText(kFrames);
  counted.addText(kSymbols);
  counted.addText(kStrings);
  Image image;
  image.whole = counted.sizes;
  image.out = static_cast<uint8_t *>(allocatePages(image.whole.bytes()));
  if (!image.out)
    return;
  visit(image);
  writeRest(image);
  entry = {__jit_debug_descriptor.first_entry, nullptr,
           reinterpret_cast<const char *>(image.out), image.whole.bytes()};
  if (entry.next_entry)
    entry.next_entry->prev_entry = &entry;
  __jit_debug_descriptor.first_entry = &entry;
  announce(1); // JIT_REGISTER_FN
}

void tellDebuggers() {
  Lock lock;
  pcMapChanged = make;
}

} // namespace tprt
