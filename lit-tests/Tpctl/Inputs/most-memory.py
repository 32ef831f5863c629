# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# most-memory.py MB COMMAND...: runs a command, and fails if its peak memory was higher.
import resource
import subprocess
import sys

subprocess.run(sys.argv[2:], check=True)
taken = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
if taken > int(sys.argv[1]):
    sys.exit(f"{sys.argv[2:]} took {taken:.0f} MB")
