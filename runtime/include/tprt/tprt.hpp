// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ classes over the C functions of tprt.h and duration.h. Probes detach
// themselves, a handler may be any callable, and a selector is built by calls
// with names. Header only, C++17. Nothing here needs exceptions, and only `new`
// throws one. The statuses are those of tprt.h. What tprt.h and duration.h say
// of thread-safety and of what a handler may do holds here, too.
//
//   tprt::Probe probe(tprt::select("parse_*"),
//                     [](const tprt::Event &event) { /* ... */ });
//   if (!probe)
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

// Which sites a probe is for. Each call adds a restriction. The strings must
// stay valid as long as the selector is used.
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
  // `set`: values of enum tprt_kind_set.
  Selector &kinds(uint32_t set) {
    return value.kinds = set, *this;
  }
  Selector &exits() { return kinds(TPRT_KIND_SET_EXIT); }
  Selector &both() { return kinds(TPRT_KIND_SET_ALL); }
  // `set`: values of enum tprt_select_flags.
  Selector &flags(uint32_t set) {
    return value.flags = set, *this;
  }
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

// The sites that a selector finds, in order of address within each module. The
// list is empty if there are none, or if the search failed; tprt_error_string()
// then says why.
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

// A hit, as a handler sees it. Valid until the handler returns.
class Event {
public:
  Event(const tprt_event *hit, const tprt_regs *saved)
      : event(hit), registers(saved) {}
  const tprt_site *site() const { return event->site; }
  bool isEntry() const { return event->kind == TPRT_KIND_ENTRY; }
  // Every kind but an entry: at points and single instructions it is true, too.
  bool isExit() const { return !isEntry(); }
  bool isTailExit() const { return event->kind == TPRT_KIND_TAIL_EXIT; }
  const tprt_regs &regs() const { return *registers; }
  // At an entry: the integer argument number `index`.
  uint64_t argument(unsigned index) const {
    return tprt_regs_argument(registers, index);
  }
  // At an exit by return: the integer result.
  uint64_t result() const { return tprt_regs_result(registers); }
  // The registers, to be changed. nullptr unless the probe was attached with
  // TPRT_HANDLER_CHANGES_REGS.
  tprt_regs *change() const { return tprt_regs_change(event, registers); }
  void *vectors() const { return tprt_regs_vectors(event, registers); }
  uint64_t time() const { return tprt_event_time(event); }

private:
  const tprt_event *event;
  const tprt_regs *registers;
};

// What Probe and DurationProbe have in common. Such an object is attached from
// its constructor to its destructor. The destructor detaches the C probe and
// waits until no thread is in the handler. The object can be moved.
//
// Inside a handler, or without memory, a probe cannot be detached. Then the
// destructor leaves the C probe and the callable behind: the probe stays
// attached, and the callable stays where it is. A later constructor, destructor
// or detach() of any object of the same class detaches the probe and destroys
// the callable, on the thread that it runs on, if it can detach.
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

  // Whether the object is attached: to one site at least, or waiting for sites.
  explicit operator bool() const { return handle != nullptr; }
  tprt_status status() const { return attached; }
  const tprt_result &result() const { return outcome; }
  // Why status() is not TPRT_STATUS_OK.
  const std::string &error() const { return text; }
  Handle *get() const { return handle; }

  // Detaches as the C function does, and returns its status. Where nothing is
  // attached, the status is TPRT_STATUS_OK. After any status except
  // TPRT_STATUS_OK and TPRT_STATUS_INVALID_ARGUMENT the object keeps the probe
  // and its handler, and the call may be repeated.
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
  // Holds the handler, if there is one, and lives as long as hits may come.
  struct Callable {
    virtual ~Callable() = default;
    // Both are set once this callable is left behind: its probe, and the next
    // callable in the list.
    Handle *handle = nullptr;
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

  // `began`: the status of the attach that filled `handle` and `outcome`.
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
  // TPRT_STATUS_INVALID_ARGUMENT means that the program has detached the probe
  // by the C function.
  static bool isGone(tprt_status detached) {
    return detached == TPRT_STATUS_OK ||
           detached == TPRT_STATUS_INVALID_ARGUMENT;
  }

  // The list of callables that were left behind. It takes no lock and no
  // memory, as a destructor may run inside a handler. The release in
  // leaveBehind() pairs with the acquire in detachLeftBehind().
  // Hidden, because a symbol that all libraries of a process share (GNU_UNIQUE)
  // would keep each library with it loaded for good.
  __attribute__((visibility("hidden"))) inline static std::atomic<Callable *> leftBehind{nullptr};

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

// An action that is attached: call a handler, count, or redirect.
class Probe : public Attached<tprt_probe, tprt_probe_detach> {
public:
  Probe() = default;

  // Calls handler(const Event &) at each hit. `flags`: values of enum
  // tprt_handler_flags. `every`: see tprt_action.
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
  // Runs `replacement` in place of the functions. It must have their type.
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

// A call that has ended, as a handler of DurationProbe sees it. Valid until the
// handler returns.
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

// Measures how long calls take, from entry to exit. status() is
// TPRT_STATUS_PARTIAL where functions have no exit sled.
class DurationProbe : public Attached<tprt_duration_probe, tprt_duration_probe_detach> {
public:
  DurationProbe() = default;

  // Calls handler(const Duration &) when a call has ended. `flags`: those of
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

  // How many calls the calling thread has open; see tprt_duration_probe_depth().
  uint32_t depth() const { return tprt_duration_probe_depth(handle); }
};

} // namespace tprt

#endif
