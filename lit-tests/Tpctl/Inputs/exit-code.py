# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# exit-code.py CODE COMMAND...: fails if the command ends with another exit code.
import subprocess
import sys

code = subprocess.run(sys.argv[2:]).returncode
sys.exit(0 if code == int(sys.argv[1]) else f"exit code {code}")
