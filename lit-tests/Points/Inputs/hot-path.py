#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hot-path.py FILE [FUNCTION=MORE...]

Compares the hot paths of each pair of functions with_NAME and without_NAME of a shared library. The hot path is the
code that a function's entry reaches while all static branches are closed. With statements it may not push more
registers, move the stack pointer or have more instructions in its loops. The hot path may have two more
instructions outside of loops, because a register allocator may move a value or a compiler may copy a return.
Nops do not count. A function named on the command line may have MORE additional instructions. Prints the
functions that exceed these limits, with the code of both versions.
"""

import re
import subprocess
import sys

NOPS = {"nop", "nopl", "nopw", "xchgw", "data16", "cs"}
# Instructions that end a path; jumps, whose operand is a target; and unconditional jumps.
ENDS = {"ret", "retq", "ud2", "brk", "hlt", "udf"}
ALWAYS = {"jmp", "b"}
JUMP = re.compile(r"j[a-z]+$|b$|b\.[a-z]+$|cbn?z$|tbn?z$")
FRAME = re.compile(r"push|sub[ql]?\s.*%?rsp$|add.*,\s*%rsp$|stp\s|sub\s+sp,")


def functions(file):
    """Name: list of (address, mnemonic, operands)."""
    text = subprocess.run(["llvm-objdump", "-d", "--no-show-raw-insn", file], check=True, stdout=subprocess.PIPE, text=True).stdout
    found, name = {}, None
    for line in text.splitlines():
        head = re.match(r"[0-9a-f]+ <(\w+)>:", line)
        if head:
            name = head[1]
            found[name] = []
        elif name and (code := re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*(.*)", line)):
            found[name].append((int(code[1], 16), code[2], re.sub(r"\s+", " ", code[3].split("//")[0].strip())))
    return found


def successors(code):
    """For each instruction, the indices of its possible successors while all static branches are closed."""
    index = {address: i for i, (address, _, _) in enumerate(code)}
    for i, (_, name, operands) in enumerate(code):
        after = []
        if JUMP.match(name) and (target := re.search(r"0x([0-9a-f]+)(?: <|$)", operands)):
            after += [index[int(target[1], 16)]] if int(target[1], 16) in index else []
        if name not in ENDS and name not in ALWAYS and i + 1 < len(code):
            after.append(i + 1)
        yield after


def reached(edges, start):
    """The indices that are reachable from those of `start`."""
    seen, todo = set(), list(start)
    while todo:
        i = todo.pop()
        if i not in seen:
            seen.add(i)
            todo += edges[i]
    return seen


def hot_path(code):
    """The instructions that the first one reaches, and those of them in loops, without nops."""
    edges = list(successors(code))
    hot = [i for i in sorted(reached(edges, [0])) if code[i][1] not in NOPS]
    return [code[i] for i in hot], [code[i] for i in hot if i in reached(edges, edges[i])]


def show(code):
    return "".join(f"    {address:x}: {name} {operands}\n" for address, name, operands in code)


def frames(code):
    return sum(bool(FRAME.match(f"{name} {operands}")) for _, name, operands in code)


def main():
    code = functions(sys.argv[1])
    more = {name: int(number) for name, number in (word.split("=") for word in sys.argv[2:])}
    names = sorted(name[5:] for name in code if name.startswith("with_"))
    failed = not names
    for name in names:
        (hot, loops), (hot_before, loops_before) = hot_path(code["with_" + name]), hot_path(code["without_" + name])
        allowed = more.get(name, 0)
        if (frames(hot) > frames(hot_before) + allowed or len(loops) > len(loops_before) + allowed
                or len(hot) > len(hot_before) + allowed + 2):
            failed = True
            print(f"{name}: {len(hot)} instructions instead of {len(hot_before)}, in loops {len(loops)} instead of "
                  f"{len(loops_before)}\n{show(hot)}  instead of\n{show(hot_before)}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
