// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writing to mapped code. A TextWriter opens one module's code for a batch of
// stores and restores the code's protection at the end (CodeWriter, os_text.h).
// The caller decides what is stored, in which order, and with which barriers
// (batch.h). Used under the runtime's lock.
#ifndef TPRT_TEXT_TEXT_WRITER_H
#define TPRT_TEXT_TEXT_WRITER_H

#include "base/os_text.h"
#include "modules/module.h"
#include "sites/arch.h"

#include <string.h>

namespace tprt {

// A mask of the site's own bytes in the toggled word: `bytes` bytes from the
// address `from` on. A store of fewer than eight bytes writes only the site's
// bytes.
inline uint64_t maskOf(const Toggle &toggle, uint64_t from,
                       uint32_t bytes = 5) {
  return toggle.bytes == 8
             ? ((uint64_t{1} << bytes * 8) - 1) << (from - toggle.address) * 8
             : UINT64_MAX;
}

struct TextWriter : CodeWriter {
  const Module *module;

  // A writer for all sleds from the sled of `first` to the sled of `last`.
  static TextWriter of(const Module *module, const tprt_site &first,
                       const tprt_site &last) {
    uint64_t end = extentOf(last, module->origin).end,
             after = module->origin + last.sledAt +
                     (module->isCode ? kReachedBefore : kReachedAfter);
    return {{module,
             false,
             {},
             0,
             module->origin + first.sledAt - kReachedBefore,
             end > after ? end : after},
            module};
  }
  // Called before open() with the approximate number of sites that the batch
  // will write.
  void expect(size_t count) { stores = count; }
  // Whether store() can write more than one byte at once. The kernel does not
  // promise that a write to /proc/self/mem is atomic, so single bytes are
  // written there.
  bool storesWords() const { return writable; }

  // Stores 1, 2, 4 or 8 bytes at a naturally aligned address; see
  // storesWords().
  bool store(uint64_t address, uint64_t value, unsigned bytes) const;
  // The same for a loop, where storesWords().
  static void storeWord(uint64_t address, uint64_t value, unsigned bytes) {
    switch (bytes) {
    case 1:
      storeOnce<uint8_t>(address, value);
      break;
    case 2:
      storeOnce<uint16_t>(address, value);
      break;
    case 4:
      storeOnce<uint32_t>(address, value);
      break;
    case 8:
      storeOnce<uint64_t>(address, value);
    }
    publishCode(address, bytes);
  }
  // Stores those bytes of the aligned word at `address` that `mask` covers, by
  // one store. The other bytes belong to the function. A uprobe may have been
  // set or removed there since the word was read. The exchange is one access to
  // an aligned quadword, so other cores see the word either before or after the
  // exchange (AMD APM vol. 2, 7.6.1).
  TPRT_CODE_ACCESS static void storePart(uint64_t address, uint64_t value,
                                         uint64_t mask) {
#ifdef TPRT_THREAD_SANITIZER // it cannot exchange code
    static_cast<void>(mask);
    storeOnce<uint64_t>(address, value);
#else
    auto *word = reinterpret_cast<uint64_t *>(address);
    uint64_t now = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &now,
                                        (now & ~mask) | (value & mask), false,
                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    }
#endif
    publishCode(address, 8);
  }
  // Makes the store of a toggle (arch.h) that was planned right before, in this
  // direction. The store is one aligned access, so other cores execute either
  // the old or the new instruction (AMD APM vol. 2, 7.6.1; Arm ARM B2.2.5).
  // `mask` is maskOf() of the bytes that the site changes. Opens the code. If
  // storesWords() is false, single bytes are stored in steps, each of which
  // leaves one valid instruction (planSteps()). Returns TPRT_REFUSAL_NONE, or
  // the reason for the refusal.
  tprt_refusal toggle(const tprt_site &site, const Toggle &toggle, Direction to,
                      uint64_t mask);
  // The same for a loop, where storesWords().
  static void toggleWord(const Toggle &toggle, Direction to, uint64_t mask) {
    uint64_t value = to == Direction::On ? toggle.on : toggle.off;
    if (toggle.bytes == 8) [[unlikely]]
      storePart(toggle.address, value, mask);
    else
      storeWord(toggle.address, value, toggle.bytes);
  }
  // Exchanges eight bytes, some of which may belong to other code. Called only
  // if storesWords() is true. Returns false if the bytes are no longer `was`.
  TPRT_CODE_ACCESS bool exchange(uint64_t address, uint64_t was,
                                 uint64_t value) const {
#ifdef TPRT_THREAD_SANITIZER
    bool done = was != value;
    storeOnce<uint64_t>(address, value);
#else
    bool done = __atomic_compare_exchange_n(
        reinterpret_cast<uint64_t *>(address), &was, value, false,
        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
#endif
    publishCode(address, 8);
    return done;
  }
  // Stores four or five bytes that no thread can execute now, in any order.
  // fillWord() does the same in a loop if storesWords().
  bool fill(uint64_t address, uint64_t code, unsigned bytes) {
    if (!writable)
      return writePublished(address, code, bytes);
    fillWord(address, code, bytes);
    return true;
  }
  TPRT_CODE_ACCESS static void fillWord(uint64_t address, uint64_t code,
                                        unsigned bytes) {
    auto low = static_cast<uint32_t>(code);
    memcpy(reinterpret_cast<void *>(address), &low, sizeof low);
    if (bytes > 4)
      storeOnce<uint8_t>(address + 4, code >> 32);
    publishCode(address, bytes);
  }

private:
  // Stores by one access.
  template <class T>
  TPRT_CODE_ACCESS static void storeOnce(uint64_t address, uint64_t value) {
    __atomic_store_n(reinterpret_cast<T *>(address), static_cast<T>(value),
                     __ATOMIC_RELEASE);
  }
  bool storeSteps(const tprt_site &site, const Toggle &toggle,
                  Direction to) const;
  // Writes by writeMemory(), and publishes the written code.
  bool writePublished(uint64_t address, uint64_t value, unsigned bytes) const;
};

// Whether the last makeExecutable() failed for a reason other than lack of
// memory.
extern bool isExecutableForbidden TPRT_HIDDEN;
// Makes freshly filled pages executable and no longer writable.
bool makeExecutable(uint64_t address, size_t bytes);

} // namespace tprt

#endif
