// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints one line per hit; see tprt_point_print() in tprt/point.h. Runs in
// hits: async-signal-safe, general registers only.
#include "base/os_file.h"
#include "base/printable.h"
#include "elf/symbols.h"
#include "points/arguments.h"
#include "points/line_buffer.h"

namespace tprt {

static constexpr uint64_t kSecond = 1'000'000'000;

static void writeDigits(Text &line, uint64_t number, uint64_t highest) {
  for (; highest; highest /= 10)
    line.put(static_cast<char>('0' + number / highest % 10));
}

static void writeTime(Text &line, uint64_t now) {
  uint64_t seconds = now / kSecond % 86'400;
  writeDigits(line, seconds / 3600, 10);
  line.put(':');
  writeDigits(line, seconds / 60 % 60, 10);
  line.put(':');
  writeDigits(line, seconds % 60, 10);
  line.put('.');
  writeDigits(line, now % kSecond / 1000, 100'000);
}

// Turns the text that begins at `from` into one printable line. Returns the end
// of the line.
static size_t joinLines(char *line, size_t from, size_t end) {
  while (end > from && (line[end - 1] == '\n' || line[end - 1] == '\r'))
    --end;
  for (size_t i = from; i < end;) {
    size_t bytes = printableBytes(line + i, line + end);
    if (!bytes)
      line[i] = line[i] == '\n' || line[i] == '\r' ? ' ' : '?';
    i += bytes ? bytes : 1;
  }
  return end;
}

static void writeNumber(Text &line, uint64_t number, unsigned base) {
  IntegerDigits digits(number, base, false);
  line.write(digits.begin(), digits.size());
}

// The time, the thread and a blank.
static void writeHead(Text &line) {
  writeTime(line, wallClockInHit());
  line.put(' ');
  writeNumber(line, threadIdInHit(), 10);
  line.put(' ');
}

// Ends the line, whose text begins at `begin`. Returns its length.
static size_t finish(char *out, const Text &line, size_t begin) {
  size_t end = line.stored();
  if (line.size() > end)
    copyBytes(out + end - (sizeof kCutMark - 1), kCutMark, sizeof kCutMark - 1);
  end = joinLines(out, begin, end);
  out[end] = '\n';
  return end + 1;
}

// noinline, so that the stack never holds the memory of this function and of
// the write below together.
[[gnu::noinline]] static size_t
makeLine(char *out, const tprt_descriptor &descriptor, const tprt_regs *regs) {
  HitWords hit(descriptor, regs);
  Text line(out, TPRT_LINE_LIMIT - 1);
  writeHead(line);
  size_t begin = line.stored();
  line.write(nameOf(descriptor), descriptor.name_bytes - 1u);
  line.put(':');
  line.put(' ');
  formatValues(line, descriptor.style, formatOf(descriptor),
               valuesOf(descriptor, hit.words));
  return finish(out, line, begin);
}

// The linked name. The symbols do not change after they are read, and the
// module remains loaded while a thread is in it.
static void writeFunction(Text &line, const tprt_site &site) {
  const char *name =
      __atomic_load_n(&site.module()->symbolsRead, __ATOMIC_ACQUIRE)
          ? nameOf(site)
          : nullptr;
  if (name)
    return line.write(name, boundedLength(name, TPRT_LINE_LIMIT));
  line.write("0x");
  writeNumber(line, reinterpret_cast<uint64_t>(site.function()), 16);
}

// A cold part that the compiler moved out of a function may lie before the
// function.
static void writeOffset(Text &line, const tprt_site &site) {
  auto function = reinterpret_cast<uint64_t>(site.function()),
       sled = reinterpret_cast<uint64_t>(site.sled());
  line.write(sled < function ? "-0x" : "+0x");
  writeNumber(line, sled < function ? function - sled : sled - function, 16);
}

[[gnu::noinline]] static size_t makeFunctionLine(char *out,
                                                 const tprt_event &event) {
  Text line(out, TPRT_LINE_LIMIT - 1);
  writeHead(line);
  size_t begin = line.stored();
  writeFunction(line, *event.site);
  if (event.kind == TPRT_KIND_INSTRUCTION)
    writeOffset(line, *event.site);
  if (event.kind == TPRT_KIND_ENTRY)
    line.write(": entered");
  else if (event.kind == TPRT_KIND_EXIT)
    line.write(": returns");
  else if (event.kind == TPRT_KIND_INSTRUCTION)
    line.write(": reached");
  else
    line.write(": leaves by a tail call");
  return finish(out, line, begin);
}

} // namespace tprt

using namespace tprt;

void tprt_point_print(const tprt_event *event, const tprt_regs *regs,
                      void *data) {
  constexpr int kStandardError = 2;
  auto *output = static_cast<tprt_point_output *>(data);
  bool whole = false;
  if (char *line = takeLine()) {
    const tprt_descriptor *descriptor = descriptorOf(event);
    size_t bytes = descriptor ? makeLine(line, *descriptor, regs)
                              : makeFunctionLine(line, *event);
    whole = writeOnce(output ? output->fd : kStandardError, line, bytes);
    giveLine(line);
  }
  if (!whole && output)
    __atomic_fetch_add(&output->lost, 1, __ATOMIC_RELAXED);
}
