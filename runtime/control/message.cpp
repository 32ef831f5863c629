// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See message.h.
#include "control/message.h"

#include <stdarg.h>
#include <stdio.h>

namespace tprt {

tprt_status refuse(Answer &answer, tprt_status status, const char *format,
                   ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  answer.cutTo(sizeof(tprt_control_head));
  answer.putText(*text ? text : tprt_status_string(status));
  return status;
}

} // namespace tprt
