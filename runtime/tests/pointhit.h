// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of tests of points: artificial hits, and a destination for
// printed lines.
#ifndef TPRT_TESTS_POINTHIT_H
#define TPRT_TESTS_POINTHIT_H

#include "points/descriptor.h"
#include "tprt/point.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace test {

using namespace tprt;

// A point's site with a descriptor, and the registers of a hit.
class Hit {
public:
  Hit(uint8_t style, const std::string &types, const std::string &format,
      std::vector<uint64_t> words)
      : memory(1024), words(std::move(words)) {
    char *at = reinterpret_cast<char *>(memory.data());
    tprt_descriptor head{};
    head.version = TPRT_DESCRIPTOR_VERSION;
    head.style = style;
    head.argument_count = static_cast<uint8_t>(types.size());
    head.name_bytes = 5;
    head.format_bytes = static_cast<uint16_t>(format.size() + 1);
    head.file_bytes = 4;
    std::string whole(reinterpret_cast<char *>(&head), sizeof head);
    whole += types + '\0' + "name" + '\0' + format + '\0' + "a.c" + '\0';
    EXPECT_LE(whole.size(), memory.size() * 8);
    memcpy(at, whole.data(), whole.size());
    places[kPlace].set(*reinterpret_cast<tprt_descriptor *>(at));
    site.event = {&site, TPRT_KIND_POINT, 0};
    if (siteCount <= kPlace)
      siteCount = kPlace + 1;
    before = pointSites;
    pointSites = places;
    setRegisters();
  }
  ~Hit() { pointSites = before; }
  Hit(const Hit &) = delete;
  Hit &operator=(const Hit &) = delete;

  const tprt_event *event() const { return &site.event; }
  // A site of the first page that no module has.
  static constexpr size_t kPlace = 100;
  tprt_site &site = reserveSites() ? sites[kPlace] : *sites;
  tprt_regs regs{};

private:
  void setRegisters() {
#if defined(__x86_64__)
    uint64_t *first = &regs.rdi;
#else
    uint64_t *first = regs.x;
#endif
    for (size_t i = 0; i < words.size() && i < TPRT_ARGUMENT_REGISTERS; ++i)
      first[i] = words[i];
    if (words.size() > TPRT_ARGUMENT_REGISTERS)
      first[TPRT_ARGUMENT_REGISTERS] =
          reinterpret_cast<uint64_t>(&words[TPRT_ARGUMENT_REGISTERS]);
  }

  std::vector<uint64_t> memory;
  std::vector<uint64_t> words;
  PointSite places[kPlace + 1] = {};
  PointSite *before;
};

inline uint64_t word(const void *address) {
  return reinterpret_cast<uint64_t>(address);
}

inline uint64_t bitsOf(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline std::string textOf(const Hit &hit) {
  char out[4096];
  size_t size = tprt_point_format(hit.event(), &hit.regs, out, sizeof out);
  EXPECT_EQ(strlen(out), size);
  return out;
}

// A pair of sockets that keeps the boundaries of writes.
struct Pair {
  Pair() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, ends), 0);
  }
  ~Pair() {
    close(ends[0]);
    closeReader();
  }
  void closeReader() {
    if (ends[1] >= 0)
      close(ends[1]);
    ends[1] = -1;
  }
  // The text of one write, or "" if there was none.
  std::string read() {
    char out[8192];
    ssize_t bytes = ::read(ends[1], out, sizeof out);
    return {out, bytes < 0 ? 0 : static_cast<size_t>(bytes)};
  }
  int ends[2];
};

} // namespace test

#endif
