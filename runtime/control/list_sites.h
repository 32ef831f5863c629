// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LIST: the sites that a selection finds, page by page. On the work thread.
#ifndef TPRT_CONTROL_LIST_SITES_H
#define TPRT_CONTROL_LIST_SITES_H

#include "control/client.h"
#include "control/message.h"

namespace tprt {

tprt_status listSites(Client &client, Request &request, Answer &answer);

} // namespace tprt

#endif
