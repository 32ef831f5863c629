# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""view-data.py PAGE NAME: prints the data that `tpctl view` has stored in a page under a name."""

import base64
import re
import sys
import zlib

with open(sys.argv[1], encoding="utf-8") as file:
    found = re.search(f'<script type="text/plain" id="data-{sys.argv[2]}">(.*?)</script>',
                      file.read(), re.DOTALL)
if not found:
    sys.exit(f"no {sys.argv[2]}")
data = found[1]
print(data if data.startswith(("{", "[")) else zlib.decompress(base64.b64decode(data)).decode())
