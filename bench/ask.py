# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures calls with expressions of tpctl count and hist, next to handlers that do the same:
ask_false_over_handler_ns, ask_key_over_hand_ns, ask_sum_over_hand_ns, ask_string_ns,
ask_heap_string_ns and ask_frame_ns; and pairs of calls, ask_pair_ns, ask_pair_open_ns and ask_pair_many_ns."""

from toolchain import sized

CALLS = sized(2_000_000, 2_000)
HEAP_CALLS = sized(20_000, 200)  # A read of a string on the heap is a system call.
ROUNDS = sized(15, 1)
FRAMES = 32  # Of a stack, beyond that of one frame.

# What tpctl is asked, and the calls of a round.
ASKED = {
    "false": (["count", "--if", "arg0 < 0"], CALLS),
    "key": (["count", "--by", "arg0"], CALLS),
    "sum": (["count", "--by", "arg0", "--of", "arg2"], CALLS),
    "histogram": (["hist", "--by", "arg0", "--of", "arg2"], CALLS),
    "result": (["hist", "--by", "arg0", "--of", "(int)result"], CALLS),
    "string": (["count", "--by", "str(arg1)"], CALLS),
}


# The same of pairs of calls, of which so many are open at a time.
PAIRS = {
    "pair": (["hist", "--since", "asked:arg0", "answered:arg0"], 16),
    "pair_open": (["count", "--since", "asked:arg0", "answered:arg0", "--open", "--of", "arg2"], 16),
    "pair_many": (["hist", "--since", "asked:arg0", "answered:arg0"], sized(200_000, 200)),
}


def measure(tools, tpctl):
    path = tools.path("ask", "ask")
    handlers = tools.compile("ask_handler.c", f"{path}_handler.o", flags=["-mgeneral-regs-only"])
    program = tools.link([tools.compile("ask.c", f"{path}.o", "tp_exit"), handlers], path, "tp_exit", ["tprt"])

    def ns(calls, *mode, asked=None):
        command = [program, str(calls), str(ROUNDS), *mode]
        if asked:
            verb, *options = asked
            functions = [] if "--since" in options else ["asked"]
            command = [tpctl, verb, *functions, *options, "-o", f"{path}.table", "--", *command]
        return tools.run_numbers(command)["ns"]

    results = {f"ask_{name}_total_ns": ns(calls, asked=asked) for name, (asked, calls) in ASKED.items()}
    results["ask_heap_string_total_ns"] = ns(HEAP_CALLS, "heap", asked=ASKED["string"][0])
    few, many = (ns(CALLS // 10, "deep", asked=["count", "--by", f"stack({frames})"]) for frames in (1, 1 + FRAMES))
    results["ask_frame_ns"] = (many - few) / FRAMES
    results |= {"ask_plain_ns": ns(CALLS), "ask_handler_ns": ns(CALLS, "empty"),
                "ask_hand_key_ns": ns(CALLS, "count"), "ask_hand_sum_ns": ns(CALLS, "sum")}
    for name, (asked, open_ones) in PAIRS.items():
        mode = ["pairs", str(open_ones)]
        results[f"ask_{name}_ns"] = ns(CALLS, *mode, asked=asked) - ns(CALLS, *mode)
    results["ask_false_over_handler_ns"] = results["ask_false_total_ns"] - results["ask_handler_ns"]
    results["ask_key_over_hand_ns"] = results["ask_key_total_ns"] - results["ask_hand_key_ns"]
    results["ask_sum_over_hand_ns"] = results["ask_sum_total_ns"] - results["ask_hand_sum_ns"]
    for name in ("string", "heap_string"):
        results[f"ask_{name}_ns"] = results[f"ask_{name}_total_ns"] - results["ask_key_total_ns"]
    return results
