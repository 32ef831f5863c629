// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes the formats of points. The input is a byte for the style, a byte for
// the number of arguments, nine bytes per argument (type and word), and the
// format. No memory outside of the format and the strings may be read. A text
// that is cut must have the same beginning and the same reported length as the
// complete text.
#include "points/values.h"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

using namespace tprt;

namespace {
struct Input {
  const uint8_t *data;
  size_t bytes;

  uint8_t byte() {
    if (!bytes)
      return 0;
    --bytes;
    return *data++;
  }
  uint64_t word() {
    uint64_t all = 0;
    for (int i = 0; i < 8; ++i)
      all = all << 8 | byte();
    return all;
  }
};

// The arguments. AddressSanitizer detects a read of one byte beyond each
// string.
struct Arguments {
  explicit Arguments(Input &input) {
    unsigned count = input.byte() % (TPRT_MOST_ARGUMENTS + 1);
    for (unsigned i = 0; i < count; ++i)
      add("bcahstijlmfdpzv"[input.byte() % 15], input.word());
  }
  void add(char type, uint64_t word) {
    // Words below 4096 are not changed: no string can have such an address.
    if (type == 'z' && word >= 4096)
      word = reinterpret_cast<uint64_t>(keep(word, true));
    if (type == 'v') {
      views.emplace_back(new tprt_characters{keep(word, false), word % 3000});
      word = reinterpret_cast<uint64_t>(views.back().get());
    }
    types += type;
    words.push_back(word);
  }
  const char *keep(uint64_t seed, bool terminated) {
    size_t size = seed % 3000;
    texts.emplace_back(new char[size + terminated]);
    char *text = texts.back().get();
    for (size_t i = 0; i < size; ++i)
      text[i] = static_cast<char>((seed >> i % 57) | 1);
    if (terminated)
      text[size] = 0;
    return text;
  }

  std::string types;
  std::vector<uint64_t> words;
  std::vector<std::unique_ptr<char[]>> texts;
  std::vector<std::unique_ptr<tprt_characters>> views;
};
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  Input input{data, bytes};
  uint8_t style = input.byte() % 3;
  Arguments arguments(input);
  std::unique_ptr<char[]> format(new char[input.bytes + 1]);
  memcpy(format.get(), input.data, input.bytes);
  format[input.bytes] = 0;
  Values values{arguments.types.c_str(),
                static_cast<unsigned>(arguments.types.size()),
                arguments.words.data()};
  static char large[4096];
  Text whole(large, sizeof large);
  formatValues(whole, style, format.get(), values);
  for (size_t room : {0, 1, 7, 100}) {
    std::unique_ptr<char[]> out(new char[room]);
    Text cut(out.get(), room);
    formatValues(cut, style, format.get(), values);
    if (cut.size() != whole.size() || memcmp(out.get(), large, cut.stored()))
      abort();
  }
  for (unsigned i = 0; i < values.count; ++i)
    if (detail::isStringType(values.types[i]))
      readCharacters(values.types[i], values.words[i],
                     boundOf(style, format.get(), values, i));
  return 0;
}
