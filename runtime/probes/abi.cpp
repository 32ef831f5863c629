// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ABI between programs and libtprt.so. A change of a size or an offset
// breaks existing programs. So such a change must also update the value here,
// and increment the version in tprt.map, so that the loader can distinguish the
// two versions.
#include "tprt/duration.h"
#include "tprt/record.h"
#include "tprt/tprt.h"

namespace tprt {

static_assert(sizeof(tprt_selector) == 64 &&
              offsetof(tprt_selector, source) == 48 &&
              offsetof(tprt_selector, point) == 56);
static_assert(sizeof(tprt_action) == 40 && offsetof(tprt_action, every) == 32);
static_assert(sizeof(tprt_result) == 40 &&
              offsetof(tprt_result, first_refusal) == 32);
static_assert(sizeof(tprt_site_info) == 88 &&
              offsetof(tprt_site_info, refusal) == 40 &&
              offsetof(tprt_site_info, file) == 48 &&
              offsetof(tprt_site_info, descriptor) == 80);
static_assert(sizeof(tprt_event) == 16);
static_assert(sizeof(tprt_stats) == 48 &&
              offsetof(tprt_stats, stub_bytes) == 40);
// Only libtprt creates these structures, so members may be added at the end.
static_assert(sizeof(tprt_layout) == 16 && sizeof(tprt_duration) == 40 &&
              offsetof(tprt_duration, arguments) == 32);
static_assert(sizeof(tprt_record) == 12 && sizeof(tprt_note_desc) == 16 &&
              sizeof(tprt_branch_record) == 12 &&
              sizeof(tprt_point_sled_record) == 4 &&
              sizeof(tprt_descriptor) == 16);

static_assert(sizeof(tprt_recording_options) == 24 &&
              offsetof(tprt_recording_options, mode) == 16 &&
              sizeof(tprt_recording_values) == 16 &&
              sizeof(tprt_recording_figures) == 32);

// The numbers of enumerators are part of the ABI, too; new ones are only added
// at the end.
static_assert(TPRT_STATUS_OTHER_COPY == 13 && TPRT_STATUS_NO_FILE == 14 &&
              TPRT_REFUSAL_ACTION == 8 && TPRT_ACTION_REDIRECT == 2 &&
              TPRT_SELECT_PATCHABLE == 4 && TPRT_HANDLER_TIME == 4 &&
              TPRT_EVENT_CHANGES == 4 && TPRT_SITE_STATE_TRAP == 2 &&
              TPRT_DURATION_ABANDONED == 2);

} // namespace tprt
