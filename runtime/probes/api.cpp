// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The exported calls that take or fill structures. Each first checks the
// caller's layout, because a program keeps the sizes with which it was
// compiled, and may run with a later library.
#include "probes/api.h"
#include "threads/status.h"
#include "threads/thread_block.h"

namespace tprt {

// Version 0.2 was the first whose callers pass a layout.
static constexpr uint32_t kFirstVersion = 0x000200;

// The sizes of that version. A caller's structures must not be shorter.
static constexpr size_t kFirstSelector = 56, kFirstAction = 40;
static_assert(sizeof(tprt_selector) >= kFirstSelector &&
              sizeof(tprt_action) >= kFirstAction);

// Patch releases of one version have the same structures.
static constexpr uint32_t withoutPatch(uint32_t version) {
  return version >> 8;
}

Caller callerOf(const tprt_layout *layout) {
  if (!layout || layout->version < kFirstVersion)
    return Caller::Earlier;
  if (withoutPatch(layout->version) > withoutPatch(TPRT_VERSION))
    return Caller::Later;
  // A structure of an earlier version is never longer than ours.
  bool fits = layout->selector >= kFirstSelector &&
              layout->action >= kFirstAction &&
              layout->selector <= sizeof(tprt_selector) &&
              layout->action <= sizeof(tprt_action) &&
              layout->result <= sizeof(tprt_result) &&
              layout->site_info <= sizeof(tprt_site_info) &&
              layout->stats <= sizeof(tprt_stats);
  return fits ? Caller::Known : Caller::Earlier;
}

tprt_status refuseCaller(const tprt_layout *layout) {
  switch (callerOf(layout)) {
  case Caller::Known:
    return TPRT_STATUS_OK;
  case Caller::Later:
    return fail(TPRT_STATUS_UNSUPPORTED,
                "the caller was compiled with tprt.h of version %u.%u, and "
                "this libtprt is %s: use a libtprt of that version or a later "
                "one, or compile the caller with this libtprt's header",
                layout->version >> 16, layout->version >> 8 & 255,
                tprt_version_string());
  case Caller::Earlier:
    break;
  }
  return fail(TPRT_STATUS_INVALID_ARGUMENT,
              "the caller's tprt_layout has a version that this libtprt (%s) "
              "does not know: call the functions of tprt.h, or pass what "
              "tprt_layout_here() returns",
              tprt_version_string());
}

void copyStructure(void *to, size_t toBytes, const void *from,
                   size_t fromBytes) {
  auto *out = static_cast<char *>(to);
  const auto *in = static_cast<const char *>(from);
  for (size_t i = 0; i < toBytes; ++i) {
    out[i] = i < fromBytes ? in[i] : 0;
    // This keeps the compiler from calling memcpy, which uses vector registers:
    // a handler may have promised not to use them.
    __asm__ volatile("" ::: "memory");
  }
}

} // namespace tprt

using namespace tprt;

tprt_status tprt_probe_attach_sized(const tprt_layout *layout,
                                    const tprt_selector *selector,
                                    const tprt_action *action,
                                    tprt_probe **probe, tprt_result *result) {
  if (probe)
    *probe = nullptr;
  tprt_status status = refuseCaller(layout);
  if (status != TPRT_STATUS_OK)
    return status;
  Taken<tprt_selector> sites(selector, layout->selector);
  Taken<tprt_action> what(action, layout->action);
  tprt_result out{};
  status = attach(sites.get(), what.get(), probe, out, insideHandler());
  if (result)
    copyStructure(result, layout->result, &out, sizeof out);
  return status;
}

tprt_status tprt_site_visit_sized(const tprt_layout *layout,
                                  const tprt_selector *selector,
                                  tprt_site_visitor visit, void *data) {
  tprt_status status = refuseCaller(layout);
  if (status != TPRT_STATUS_OK)
    return status;
  return visitSites(Taken<tprt_selector>(selector, layout->selector).get(),
                    visit, data, insideHandler());
}

// Handlers may call the next two functions; in a handler, their failure has no
// text.

tprt_status tprt_site_describe_sized(const tprt_layout *layout,
                                     const tprt_site *site,
                                     tprt_site_info *info) {
  if (callerOf(layout) != Caller::Known)
    return insideHandler() ? TPRT_STATUS_UNSUPPORTED : refuseCaller(layout);
  if (!info)
    return insideHandler() ? TPRT_STATUS_INVALID_ARGUMENT
                           : fail(TPRT_STATUS_INVALID_ARGUMENT,
                                  "the pointer for the site's data is null");
  tprt_site_info out; // cleared without memset, which uses vector registers
  copyStructure(&out, sizeof out, nullptr, 0);
  tprt_status status = describeSite(site, out, stackOfCaller());
  if (out.sled) // else `site` is not a site, and `out` is empty
    copyStructure(info, layout->site_info, &out, sizeof out);
  return status;
}

tprt_status tprt_stats_read_sized(const tprt_layout *layout,
                                  tprt_stats *stats) {
  if (callerOf(layout) != Caller::Known)
    return insideHandler() ? TPRT_STATUS_UNSUPPORTED : refuseCaller(layout);
  if (!stats)
    return insideHandler() ? TPRT_STATUS_INVALID_ARGUMENT
                           : fail(TPRT_STATUS_INVALID_ARGUMENT,
                                  "the pointer for the statistics is null");
  const bool inside = insideHandler();
  tprt_stats out{};
  if (!inside)
    readStats(out);
  copyStructure(stats, layout->stats, &out, sizeof out);
  return inside ? TPRT_STATUS_IN_HANDLER : TPRT_STATUS_OK;
}
