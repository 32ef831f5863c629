# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Waits for SIGINT and ends with code 5.
import sys
import time

try:
    print("waits", flush=True)
    time.sleep(60)
except KeyboardInterrupt:
    print("cleans up", flush=True)
    sys.exit(5)
