# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Asks the questions of docs/howto/questions.md about examples/orders.cpp, and compares the
# answers with what that program is known to do.
# usage: questions.py PAGE TPCTL FOLDER
# FOLDER has the programs orders, with sleds, and plain, without.
import os
import re
import shlex
import subprocess
import sys


def row(number, *rest):
    """A row of a table that begins with this number, and has the rest further on."""
    return rf"(?m)^ *{number} " + "".join(rf".*{text}" for text in rest)


# What must be in the output of each command: regular expressions, or how many lines match
# one. A program in the first place replaces ./orders.
ANSWERS = {
    "count '*'": [row(60, r"parse\("), row(60, r"render\("), row(70, r"prepare\("), row(60, "order_sold")],
    "count '*' --interval 1s": [row(60, r"parse\("), row(60, "order_sold")],
    "count parse --by thread": [(2, "^ *30 ")],
    "count parse --by process --children": [row(60, r"\d+ parse\(")],
    "count '@orders.cpp:80'": ["./plain", row(3, r"render\(")],
    "count 'handle+*'": ["./plain", row(60, r"handle\(.*\+0x")],
    "count --callees-of handle --learn 100ms": ["./orders 40", row("[0-9,]+", r"parse\("), row("[0-9,]+", r"render\(")],
    "count '/^(parse|price)/'": [row(60, r"parse\("), row(60, r"price\("), (0, "render")],
    "count '/^(parse|price)/' --format json": [r'"function":"parse.*"hits":60}.*"function":"price.*"hits":60}'],
    "count prepare --by line": [row(60, r"orders\.cpp:78"), row(10, r"orders\.cpp:99")],
    "count parse --children": [row(60, r"parse\(")],
    "hist render": ["60 calls"],
    "hist render --by thread": [r"(?s)30 calls.*30 calls"],
    "hist prepare --by caller": [r"(?m)render\(.*\n  60 calls", r"(?m)keep\(.*\n  10 calls"],
    "hist render --heat --interval 10ms": [r"(?m)\| +\d+$"],
    "trace render --min 2ms": ["60 calls, [0-9]+ of them ≥ 2 ms"],
    "record '*' --when 'render > 2ms' -o slow.tp": [r"render\(.* took [0-9.]+ ms"],
    "trace slow.tp -F render --last 1s": [r"[0-9.]+ ms .*render\("],
    "top '*'": [row("[0-9,]+", " 60 ", r"render\(")],
    "top render --by 'order->mode'": [row("[0-9,]+", " 57 ", "Fast$"), row("[0-9,]+", " 3 ", "Slow$")],
    "hist render --if 'order->mode == Mode::Slow'": ["3 calls"],
    "hist render --by 'order->mode'": [r"= Fast\n  57 calls", r"= Slow\n  3 calls"],
    "count render --if 'duration > 2ms' --by thread": [r"(?m)^ +[0-9]+ .* \d+$"],
    "hist 'libc!read' --of 'duration / count'": ["54 calls"],
    # Calls of two threads at one time have two lines each, one where they begin.
    "trace parse -n 5": [(5, r"parse\("), "[3-5] calls"],
    "trace parse --every 10": [(6, r" [num]?s +}? *parse\(")],
    "trace '*' --rate 1000": [r"parse\("],
    "trace '*' --depth 2": [r"  +handle\(", (0, r"parse\(")],
    "record '*' -o orders.tp": ["none lost"],
    "graph orders.tp": [row(".*", " 60 .*handle")],
    "view orders.tp": ["orders.tp.html"],
    "diff orders.tp orders.tp": [r"60 +60 .*parse\("],
    "trace order_sold": ["order_sold: number=59 price=29.500000"],
    "list 'usdt:*' --args": [r"usdt:libstdcxx:throw\(unsigned long arg0, unsigned long arg1\)"],
    "export orders.tp --format csv": [(60, "parse")],
    "trace parse --args 4": [r"parse\(text=0x[0-9a-f]+, size=5000, order=0x[0-9a-f]+, mode=Fast\).* = 11"],
    "trace parse --print 'str(text)'": [r'str\(text\)="GET /item/3"'],
    "trace 'libc!open' --if 'result < 0' --print 'str(path), errno'": [(6, r'"/etc/no-such-file", errno=2$')],
    "record --code 'libc!open' --if 'result < 0' --values 'str(path), errno' -o opens.tp": ["6 events"],
    "trace opens.tp": [(6, r'"/etc/no-such-file", errno=2$')],
    "trace 'libc!open' 'libc!read' 'libc!close' --args 3": [r"open\(path=0x[0-9a-f]+, flags=0.* = 3", r"read\(fd=3, buf=.*count=16\) = 16"],
    "count price --by count": [row(60, " 2$")],
    "count parse --by 'str(text)'": [(4, "^ +15 .*GET /item/[0-3]$")],
    "hist parse --of result": [r"60 calls, total 588", r"below 0 +6"],
    "count 'libc!read' --of result --by 'thread, fd'": [r"(?m) 64 +\d+ +3$"],
    "count render --of 'order->size'": [row(60, " 153,000 ", " 2,550 ")],
    "trace parse --if 'size > 4K' --print size": [(30, "size=5000$"), (0, "size=100$")],
    "trace 'libc!open' --if 'str(path) =~ \"*/no-*\"' --print 'str(path)'": [(6, 'no-such-file"'), (0, 'passwd"')],
    "count parse --by size": [row(30, " 100$"), row(30, " 5000$")],
    "count render --by 'order->number / 10'": [(6, "^ +10 .* [0-5]$")],
    "count parse --by mode": [row(57, " Fast$"), row(3, " Slow$")],
    "count render --by 'order->user'": [row(40, " alice$"), row(20, " bob$")],
    "count price --if 'base > 10.5'": [row(17, r"price\(")],
    "count price --of result": [row(60, " 885 ", " 29.5 ")],
    "count 'libc!open' --if 'result < 0' --by errno": [row(6, " 2$")],
    "hist handle --of shop::stock": ["60 calls", "min 940"],
    "count render --by '*(int *)arg0 / 10'": [(6, "^ +10 .* [0-5]$")],
    "count 'libc!malloc' --if 'size > 1K' --by caller --of size": [row(30, " 90,000 ", r"prepare\(")],
    "hist 'libc!malloc' --of size": [r"2K \.\. 4K +31"],
    "trace sqlite3_prepare_v2 --print 'str(sql)' -- sqlite3 :memory: 'SELECT 1; SELECT 2'": [r'"SELECT 1;', r'"SELECT 2"'],
    "count prepare --by 'stack(3)'": [row(60, r"render\("), row(10, r"keep\("), (2, r"^ +work\(\) *$")],
    "count 'libc!malloc' --in render": [row(60, "malloc$")],
    "trace render --if 'duration > 2ms' --print 'stack(8)'": [r"stack\(8\)=\[handle\(Order\*\) < work\(\) < "],
    "hist --since 'enqueue:order' 'dequeue:order'": [r"60 calls, total [0-9.]+ [num]?s, "],
    "count --since 'enqueue:order' 'dequeue:order' --by 'order->number % 2'": [row(30, " 0$"), row(30, " 1$")],
    "trace parse --stop-if 'result < 0' --print 'str(text), result'": [
        r'str\(text\)="GET /item/[02]", result=-1\n', (0, "note: 60 calls")],
    "trace parse --if 'result < 0' --print 'str(text)' --hits 3": [(3, '"GET /item/[02]"$')],
    "trace parse --print 'args, result'": [
        (6, r'text="GET /item/\d", size=\d+, order=0x[0-9a-f]+, mode=(Fast|Slow), result=-1$'), (54, "result=11$")],
    "trace 'libc!read' --print 'buf(buf, 8), result'": [(30, '="[^"]{8,}", result=16$'), (24, ', result=64$')],
    "count parse --by 'entry(order->mode), order->mode'": [row(57, "Fast +Fast$"), row(3, "Fast +Slow$")],
    "trace dequeue --print 'entry(shop::stock), shop::stock'": [
        r"=1000, shop::stock=999\n", r"=941, shop::stock=940\n", (60, "shop::stock=9[0-9]{2}$")],
    "count 'libc!__cxa_atexit' --by 'sym(arg0)'": [row(1, r"std::vector<void\*.*>::~vector\(\)")],
    "count 'libc!malloc' --in render --of size --by 'stack(3)'": [
        row(60, " 93,000 ", r"prepare\("), (1, r"^ +render\(Order\*\) *$")],
    "count --since 'libc!malloc:result' 'libc!free:ptr' --open --of size --by 'stack(3)'": [
        row(10, " 7,770 ", r"prepare\("), (1, r"^ +keep\(int\) *$")],
    "trace 'libc!free' --if ptr --print 'ptr, stack(4)'": [
        (60, r" ptr=0x[0-9a-f]+, stack\(4\)=\[(render\(Order\*\) < )?handle\(Order\*\) < work\(\)")],
    "count '@orders.cpp:87' --by text": ["./plain", (4, "^ +15 .*GET /item/[0-3]$")],
    "trace '@orders.cpp:80' --print 'order->number, order->mode'": [
        "./plain", (3, "order->number=(0|20|40), order->mode=Slow$")],
    "count point:order_sold --if 'price > 20' --by 'number / 10'": [row(9, " 4$"), row(10, " 5$")],
    "count point:order_sold --of price": [row(60, " 885 ", " 29.5 ")],
    "hist point:order_sold --of number": ["60 calls, total 1,770"],
    "count render --by 'order->mode' --dry-run": [r"at the beginning of each call, about \d+ ns", "key r0"],
    "run no-file.c --unsafe": [(1, r"^ +\d+  \d$"), row(60, " 0$")],
}


def answers(text, answer):
    """Whether a command's output has the answer."""
    if isinstance(answer, tuple):
        count, pattern = answer
        return sum(bool(re.search(pattern, line)) for line in text.splitlines()) == count
    return re.search(answer, text) is not None


def commands(page):
    """The commands of the page's tables, with the lines' numbers."""
    with open(page, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.startswith("| ") or "`" not in line:
                continue
            for command in re.findall(r"`([^`]+)`", line.rsplit(" | ", 1)[1]):
                yield number, command.replace(r"\|", "|")


def bare(command):
    """What a shell would not leave alone, because it is not in quotes."""
    return re.findall(r"[^ ]*[!<>()|&;*?$][^ ]*", re.sub(r"'[^']*'", "''", command))


def save_files(page, folder):
    """Writes the files that the page says how to save."""
    with open(page, encoding="utf-8") as text:
        for name, content in re.findall(r"<!-- test: save=(\S+) -->\n```\w+\n(.*?)```", text.read(), re.DOTALL):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(content)


def ask(tpctl, folder, command):
    """What a command prints, and the answers that are not in it."""
    wanted = list(ANSWERS[command])
    program = wanted.pop(0) if str(wanted[0]).startswith("./") else "./orders"
    arguments = shlex.split(command)
    if "--" not in arguments and not any(word.endswith(".tp") for word in arguments if "-o" not in arguments):
        arguments += ["--", *program.split()]
    if arguments[0] == "top":
        arguments.insert(1, "--batch")
    done = subprocess.run([tpctl, *arguments], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace")
    return done, [answer for answer in wanted if not answers(done.stdout, answer)]


def main():
    page, tpctl, folder = sys.argv[1:]
    save_files(page, folder)
    first = {}
    for number, command in commands(page):
        first.setdefault(command, number)
    asked = [(number, command) for command, number in first.items()]
    unknown = [f"{page}:{number}: no answer is known: {command}" for number, command in asked if command not in ANSWERS]
    unused = [f"not in {page}: {command}" for command in ANSWERS.keys() - {command for _, command in asked}]
    unquoted = [f"{page}:{number}: needs quotes: {word}" for number, command in asked for word in bare(command)]
    for text in unknown + unused + unquoted:
        print(text)
    wrong = len(unknown) + len(unused) + len(unquoted)
    for number, command in asked:
        if command not in ANSWERS:
            continue
        done, missing = ask(tpctl, folder, command)
        for answer in missing:
            print(f"{os.path.basename(page)}:{number}: {command}\nthe answer lacks {answer}:\n{done.stdout}")
        if done.returncode:
            print(f"{os.path.basename(page)}:{number}: {command}\nhas status {done.returncode}:\n{done.stdout}")
        wrong += bool(missing or done.returncode)
    print("as expected" if not wrong else f"{wrong} are wrong")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main())
