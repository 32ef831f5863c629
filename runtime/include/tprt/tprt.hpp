// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ over tprt.h and duration.h: probes and durations that detach themselves,
// handlers that are any callable, selectors by name. Header only, C++17; no
// exceptions needed, none thrown but by new. Statuses are those of tprt.h, and
// so are thread-safety and what a handler may do.
//
//   tprt::Probe probe(tprt::select("parse_*"), [](const tprt::Event &event) {
//   ... }); if (!probe)
//     std::fprintf(stderr, "%s\n", probe.error().c_str());
#ifndef TPRT_TPRT_HPP
#define TPRT_TPRT_HPP

#include "tprt/duration.h"
#include "tprt/tprt.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace tprt {

// What is known of a site; see tprt_site_describe().
inline tprt_site_info describe(const tprt_site *site) {
  tprt_site_info info{};
  tprt_site_describe(site, &info);
  return info;
}

// A selector, each call adding a restriction. Strings must outlive its use.
class Selector {
public:
  Selector &function(const char *pattern) {
    return value.function = pattern, *this;
  }
  Selector &module(const char *pattern) {
    return value.module = pattern, *this;
  }
  Selector &source(const char *pattern) {
    return value.source = pattern, *this;
  }
  Selector &address(const void *where) { return value.address = where, *this; }
  Selector &kinds(uint32_t set) {
    return value.kinds = set, *this;
  } // enum tprt_kind_set
  Selector &exits() { return kinds(TPRT_KIND_SET_EXIT); }
  Selector &both() { return kinds(TPRT_KIND_SET_ALL); }
  Selector &flags(uint32_t set) {
    return value.flags = set, *this;
  } // enum tprt_select_flags
  Selector &sites(const tprt_site *const *list, std::size_t count) {
    value.sites = list;
    value.site_count = count;
    return *this;
  }
#ifdef __cpp_lib_span
  Selector &sites(std::span<const tprt_site *const> list) {
    return sites(list.data(), list.size());
  }
#endif
  const tprt_selector *get() const { return &value; }

private:
  tprt_selector value{};
};

inline Selector select(const char *function = nullptr) {
  return Selector().function(function);
}
#ifdef __cpp_lib_span
inline Selector select(std::span<const tprt_site *const> list) {
  return Selector().sites(list).kinds(TPRT_KIND_SET_ALL);
}
#endif

// The sites that a selector finds, in order of address within each module.
// Empty: none, or tprt_error_string() says why.
inline std::vector<const tprt_site *> sites(const Selector &selector) {
  std::vector<const tprt_site *> found;
  tprt_site_visit(
      selector.get(),
      [](const tprt_site *site, void *to) {
        static_cast<std::vector<const tprt_site *> *>(to)->push_back(site);
        return 0;
      },
      &found);
  return found;
}

// A hit, as a handler sees it. Valid during the handler.
class Event {
public:
  Event(const tprt_event *hit, const tprt_regs *saved)
      : event(hit), registers(saved) {}
  const tprt_site *site() const { return event->site; }
  bool isEntry() const { return event->kind == TPRT_KIND_ENTRY; }
  bool isExit() const { return !isEntry(); }
  bool isTailExit() const { return event->kind == TPRT_KIND_TAIL_EXIT; }
  const tprt_regs &regs() const { return *registers; }
  // Integer argument `index` at an entry, the integer result at an exit by
  // return.
  uint64_t argument(unsigned index) const {
    return tprt_regs_argument(registers, index);
  }
  uint64_t result() const { return tprt_regs_result(registers); }
  // nullptr unless the probe was attached with TPRT_HANDLER_CHANGES_REGS.
  tprt_regs *change() const { return tprt_regs_change(event, registers); }
  void *vectors() const { return tprt_regs_vectors(event, registers); }
  uint64_t time() const { return tprt_event_time(event); }

private:
  const tprt_event *event;
  const tprt_regs *registers;
};

// What Probe and DurationProbe have in common: it is attached from its constructor
// to its destructor, which detaches it and waits until no thread is in the
// handler. Movable.
//
// Where it can't be detached (inside a handler, or without memory), it stays
// attached and the callable stays where it is: both are left behind, to be
// detached and destroyed by a later constructor, destructor or detach() of any
// object of that class that can, on its thread.
template <class Handle, tprt_status (*end)(Handle *, int)>
class Attached {
public:
  Attached() = default;
  Attached(Attached &&other) noexcept { swap(other); }
  Attached &operator=(Attached &&other) noexcept {
    Attached old(std::move(other));
    swap(old);
    return *this;
  }
  Attached(const Attached &) = delete;
  Attached &operator=(const Attached &) = delete;
  ~Attached() {
    detach();
    if (handle) {
      callable->handle = handle;
      leaveBehind(callable.release());
    }
  }

  // Attached, to some sites at least or waiting for them.
  explicit operator bool() const { return handle != nullptr; }
  tprt_status status() const { return attached; }
  const tprt_result &result() const { return outcome; }
  // Why status() is not TPRT_STATUS_OK.
  const std::string &error() const { return text; }
  Handle *get() const { return handle; }

  // As the C call that detaches. Where nothing is attached: TPRT_STATUS_OK.
  // After anything else than that it is kept, with its handler, and the call
  // may be repeated.
  tprt_status detach(int timeoutMs = -1) {
    if (!handle)
      return TPRT_STATUS_OK;
    tprt_status ended = end(handle, timeoutMs);
    if (isGone(ended)) {
      handle = nullptr;
      callable.reset();
      detachLeftBehind();
    }
    return ended;
  }

protected:
  // What must live as long as hits may come: the handler, or nothing.
  struct Callable {
    virtual ~Callable() = default;
    Handle *handle = nullptr; // of one that was left behind, and the next one
    Callable *next = nullptr;
  };
  template <class Handler>
  struct Kept : Callable {
    explicit Kept(Handler &&given) : handler(std::move(given)) {}
    Handler handler;
  };

  static void detachLeftBehind() {
    if (!leftBehind.load(std::memory_order_relaxed))
      return;
    Callable *list = leftBehind.exchange(nullptr, std::memory_order_acquire);
    while (Callable *one = list) {
      list = one->next;
      if (isGone(end(one->handle, 0)))
        delete one;
      else
        leaveBehind(one);
    }
  }

  // `began` is how the attach went that filled `handle` and `outcome`.
  void keep(tprt_status began, std::unique_ptr<Callable> kept) {
    attached = began;
    if (attached != TPRT_STATUS_OK)
      text =
          *tprt_error_string() ? tprt_error_string() : tprt_status_string(attached);
    if (handle)
      callable = std::move(kept);
  }

  Handle *handle = nullptr;
  tprt_result outcome{};

private:
  // INVALID_ARGUMENT: it was detached by the C call.
  static bool isGone(tprt_status detached) {
    return detached == TPRT_STATUS_OK ||
           detached == TPRT_STATUS_INVALID_ARGUMENT;
  }

  // Those left behind. Without a lock or memory, as it may be in a handler.
  inline static std::atomic<Callable *> leftBehind{nullptr};

  static void leaveBehind(Callable *one) {
    one->next = leftBehind.load(std::memory_order_relaxed);
    while (!leftBehind.compare_exchange_weak(
        one->next, one, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }

  void swap(Attached &other) noexcept {
    std::swap(handle, other.handle);
    std::swap(attached, other.attached);
    std::swap(outcome, other.outcome);
    std::swap(text, other.text);
    std::swap(callable, other.callable);
  }

  tprt_status attached = TPRT_STATUS_OK;
  std::string text;
  std::unique_ptr<Callable> callable;
};

// An attached action.
class Probe : public Attached<tprt_probe, tprt_probe_detach> {
public:
  Probe() = default;

  // Calls handler(const Event &) at each hit. `flags`: enum tprt_handler_flags.
  template <class Handler, class = std::enable_if_t<
                               std::is_invocable_v<Handler &, const Event &>>>
  Probe(const Selector &selector, Handler handler, uint32_t flags = 0,
        uint32_t every = 0) {
    auto kept = std::make_unique<Kept<Handler>>(std::move(handler));
    tprt_action action{};
    action.flags = flags;
    action.every = every;
    action.handler = [](const tprt_event *event, const tprt_regs *regs,
                        void *data) {
      static_cast<Kept<Handler> *>(data)->handler(Event(event, regs));
    };
    action.data = kept.get();
    attach(selector, action, std::move(kept));
  }
  Probe(const Selector &selector, const tprt_action &action) {
    attach(selector, action, std::make_unique<Callable>());
  }

  // Counts hits.
  static Probe counting(const Selector &selector) {
    tprt_action action{};
    action.kind = TPRT_ACTION_COUNT;
    return Probe(selector, action);
  }
  // Runs `replacement` in place of the functions. Of the functions' own type.
  template <class Function>
  static Probe redirecting(const Selector &selector, Function *replacement) {
    static_assert(std::is_function_v<Function>, "a replacement is a function");
    tprt_action action{};
    action.kind = TPRT_ACTION_REDIRECT;
    action.replacement = reinterpret_cast<const void *>(replacement);
    return Probe(selector, action);
  }

  uint64_t count() const { return tprt_probe_count(handle); }

private:
  void attach(const Selector &selector, const tprt_action &action,
              std::unique_ptr<Callable> kept) {
    detachLeftBehind();
    keep(tprt_probe_attach(selector.get(), &action, &handle, &outcome),
         std::move(kept));
  }
};

// A call that has ended, as a handler of DurationProbe sees it. Valid during the
// handler.
class Duration {
public:
  explicit Duration(const tprt_duration *ended) : call(ended) {}
  const tprt_site *entry() const { return call->entry; }
  uint64_t start() const { return call->start; }
  uint64_t ticks() const { return call->ticks; }
  uint64_t nanoseconds() const { return tprt_ticks_to_ns(call->ticks); }
  uint32_t depth() const { return call->depth; }
  bool isTail() const { return call->flags & TPRT_DURATION_TAIL; }
  bool isAbandoned() const { return call->flags & TPRT_DURATION_ABANDONED; }
  // Integer argument `index` at the entry; see tprt_duration_argument().
  uint64_t argument(unsigned index) const {
    return tprt_duration_argument(call, index);
  }

private:
  const tprt_duration *call;
};

// DurationProbe of calls: pairs of entries and exits. status() is
// TPRT_STATUS_PARTIAL where functions have no exit sled.
class DurationProbe : public Attached<tprt_duration_probe, tprt_duration_probe_detach> {
public:
  DurationProbe() = default;

  // Calls handler(const Duration &) when a call has ended. `flags` as of
  // tprt_duration_probe_attach().
  template <class Handler, class = std::enable_if_t<std::is_invocable_v<
                               Handler &, const Duration &>>>
  DurationProbe(const Selector &selector, Handler handler, uint32_t flags = 0) {
    detachLeftBehind();
    auto kept = std::make_unique<Kept<Handler>>(std::move(handler));
    tprt_duration_handler call = [](const tprt_duration *duration, void *data) {
      static_cast<Kept<Handler> *>(data)->handler(Duration(duration));
    };
    tprt_status began = tprt_duration_probe_attach(selector.get(), call, kept.get(),
                                                   flags, &handle, &outcome);
    keep(began, std::move(kept));
  }

  // Of the calling thread; see tprt_duration_probe_depth().
  uint32_t depth() const { return tprt_duration_probe_depth(handle); }
};

} // namespace tprt

#endif
