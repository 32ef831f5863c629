#!/bin/bash
# `make check`: runs all tests by ctest. Then it names the lit tests that failed, and
# those that need something missing on this machine, because ctest's list shows
# neither. The last lines are ctest's counts.
#
# usage: check.sh BUILD_FOLDER [ARGUMENT_OF_CTEST]...
set -euo pipefail

cd "${1:?usage: check.sh BUILD_FOLDER [ARGUMENT_OF_CTEST]...}"
rm -f lit-*.json
# The sockets of tested programs must not be in the folder that one test opens to all
# users.
XDG_RUNTIME_DIR=$(mktemp -d)
export XDG_RUNTIME_DIR
trap 'rm -rf "$XDG_RUNTIME_DIR"' EXIT
status=0
# One more test than processors, because the longest tests wait much: `packages` for
# downloads, and lit's for processes. Tests that load every processor run alone.
ctest -j "$(($(nproc) + 1))" --output-on-failure "${@:2}" | tee check.log || status=$?

echo
python3 - lit-*.json <<'END'
import json, os, re, sys

for name in filter(os.path.exists, sys.argv[1:]):
    tests = json.load(open(name))["tests"]
    suite = name.removesuffix(".json")
    for test in tests:
        if test["code"] in ("FAIL", "TIMEOUT", "XPASS", "UNRESOLVED"):
            print(f"{suite}: {test['code']}: {test['name'].split(' :: ')[-1]}")
    lacking = [test for test in tests if test["code"] == "UNSUPPORTED"]
    print(f"{suite}: {len(lacking)} tests lack something of this machine"
          + (":" if lacking else "."))
    for test in lacking:
        why = re.search(r"unavailable features: (.*)", test["output"])
        print(f"  {test['name'].split(' :: ')[-1]}: {why.group(1) if why else 'see its lit.local.cfg'}")
END
sed -n '/^The following tests FAILED/,/^Errors/p' check.log
grep -E '^[0-9]+% tests passed' check.log || true
exit "$status"
