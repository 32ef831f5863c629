// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The macro for functions of libtppass.so that libtp.so and tp-select call. All
// other functions are hidden.

#ifndef TP_EXPORT_H
#define TP_EXPORT_H

#define TP_EXPORT __attribute__((visibility("default")))

#endif
