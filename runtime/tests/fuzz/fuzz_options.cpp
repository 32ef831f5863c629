// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fuzzes TPRT_OPTIONS: any text is taken or complained of, and what was taken
// points into the copy that the runtime made. Includes the file for its parser,
// which has no name outside.
#include "optional/options.cpp"

#include <string>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  std::string text(reinterpret_cast<const char *>(data), bytes);
  tprt::options = {};
  tprt::parseOptions(text.c_str());
  for (size_t i = 0; i < tprt::options.counts; ++i)
    if (tprt::options.count[i] < tprt::options.text ||
        tprt::options.count[i] >=
            tprt::options.text + sizeof tprt::options.text)
      abort();
  return 0;
}
