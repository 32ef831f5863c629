// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The data that recording stubs and the recorder share; see record_hook.h.
#include "actions/record_hook.h"

// `used`, because the stubs' assembly refers to it.
__attribute__((used)) thread_local tprt::RecordCursor __tprt_record = {
    0, tprt::kNoEpoch};

namespace tprt {

const Recorder *recorder;

} // namespace tprt
