// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes TPRT_OPTIONS. Every text must be accepted or reported as a mistake,
// and all strings must point into the runtime's copy of the text. The messages
// are written to standard error, which fuzz.sh discards. The file includes
// option_values.cpp, because its functions cannot be called from another file.
#include "options/option_values.cpp"

#include <string>

static void check(const char *text) {
  if (text < tprt::options.text ||
      text >= tprt::options.text + sizeof tprt::options.text)
    abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  std::string text(reinterpret_cast<const char *>(data), bytes);
  tprt::options = {};
  tprt::readOptions(text.c_str());
  for (const tprt::Patterns *patterns :
       {&tprt::options.counted, &tprt::options.timed, &tprt::options.excluded})
    for (size_t i = 0; i < patterns->count; ++i)
      check(patterns->globs[i]);
  if (tprt::options.output)
    check(tprt::options.output);
  return 0;
}
