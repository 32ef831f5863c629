# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attaches to all functions of libraries that nobody prepared: for how many entries and
returns there is a jump (code_entry_coverage, code_return_coverage), and what the first
attach takes (code_attach_us_per_function). Also turns single instructions on, one after
the other: for how many there is a jump (code_instruction_coverage)."""

import statistics

from toolchain import sized

# Libraries of Debian's packages that the project's set-up installs. A missing library
# is left out.
LIBRARIES = ("libc.so.6", *sized(("libstdc++.so.6", "libsqlite3.so.0", "libpython3.11.so.1.0"), ()))
ROUNDS = sized(5, 1)


def measure(tools):
    path = tools.path("code", "cover")
    program = tools.link([tools.compile("cover.c", f"{path}.o")], path, libraries=["tprt", "-ldl"])
    path = tools.path("code", "cover_instructions")
    inner = tools.link([tools.compile("cover_instructions.c", f"{path}.o")], path, libraries=["tprt", "-ldl"])
    results, times, shares = {}, [], []

    def attach_time(rounds, name):
        return statistics.median(each[name] for each in rounds)

    worst = {"entry": 1.0, "return": 1.0}
    for library in LIBRARIES:
        rounds = [tools.run_numbers([program, library]) for _ in range(ROUNDS)]
        if not rounds[0]:
            continue
        short = library.split(".")[0].replace("+", "x")
        for kind in worst:
            share = rounds[0][f"{kind}_coverage"]
            results[f"code_{kind}_coverage_{short}"] = share
            worst[kind] = min(worst[kind], share)
        times.append(attach_time(rounds, "attach_us_per_function"))
        results[f"code_attach_us_per_function_{short}"] = times[-1]
        results[f"code_attach_ms_{short}"] = attach_time(rounds, "attach_ms")
        rounds = [tools.run_numbers([program, library, "entries"]) for _ in range(ROUNDS)]
        results[f"code_attach_entries_us_per_function_{short}"] = attach_time(rounds, "attach_us_per_function")
        results[f"code_attach_entries_ms_{short}"] = attach_time(rounds, "attach_ms")
        shares.append(tools.run_numbers([inner, library])["instruction_coverage"])
        results[f"code_instruction_coverage_{short}"] = shares[-1]
    if times:
        results["code_entry_coverage"] = worst["entry"]
        results["code_return_coverage"] = worst["return"]
        results["code_instruction_coverage"] = min(shares)
        results["code_attach_us_per_function"] = max(times)
    return results
