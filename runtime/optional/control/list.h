// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIST: the sites that a selection finds, page by page. On the work thread.
#ifndef TPRT_OPTIONAL_CONTROL_LIST_H
#define TPRT_OPTIONAL_CONTROL_LIST_H

#include "optional/control/control.h"
#include "optional/control/message.h"

namespace tprt {

tprt_status listSites(Client &client, Request &request, Answer &answer);

} // namespace tprt

#endif
