# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Asks bpftrace and tpctl the same questions about Debian's programs, those of bcc's tools
# (funccount, argdist, opensnoop and so on), and compares the numbers. Each is asked in a run
# of its own, because a uprobe and a jump cannot be at one instruction.
# usage: bpftrace.py TPCTL FOLDER [QUESTION...]
import collections
import csv
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys

SQL = ("CREATE TABLE t(a,b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<50) "
       "INSERT INTO t SELECT i, i*i FROM n; SELECT count(*), sum(b) FROM t; SELECT a FROM t WHERE b > 2400;")
SQLITE = ["sqlite3", ":memory:", SQL]
SQLITE_CALLS = ("sqlite3_prepare_v2", "sqlite3_step", "sqlite3_finalize", "sqlite3_column_text")


def own(folder, path, name):
    """A copy of a file. The kernel puts a uprobe into each process that has the file: tests beside this one, too."""
    os.makedirs(os.path.join(folder, "own"), exist_ok=True)
    return shutil.copy(path, os.path.join(folder, "own", name))


def library(folder, program, name):
    """The path of a copy of a library that a program has."""
    lines = subprocess.run(["ldd", shutil.which(program)], stdout=subprocess.PIPE, text=True, check=True).stdout
    path = re.search(rf"{re.escape(name)}\S* => (\S+)", lines)[1]
    return own(folder, path, os.path.basename(path))


def by_function(path):
    return " ".join(f'uprobe:{path}:{name} /ON/ {{ @["{name}"] = count(); }}' for name in SQLITE_CALLS)


def kept(path, function, argument, key):
    """A key of the argument at the entry and of the result."""
    return (f"uprobe:{path}:{function} /ON/ {{ @was[tid] = {argument}; }} "
            f"uretprobe:{path}:{function} /ON && @was[tid]/ {{ @[{key}] = count(); delete(@was[tid]); }}")


class Question:
    def __init__(self, name, command, script, arguments, keyboard=""):
        self.name, self.command, self.arguments, self.keyboard = name, command, arguments, keyboard
        comm = os.path.basename(command[0])[:15]
        self.script = script.replace("ON", f'pid == cpid && comm == "{comm}"')


def questions(folder):
    sqlite, libc = library(folder, "sqlite3", "libsqlite3.so"), library(folder, "cat", "libc.so")
    bash, ssl = own(folder, shutil.which("bash"), "bash"), library(folder, "openssl", "libssl.so")
    return [
        Question("funccount", SQLITE, by_function(sqlite), ["count", *SQLITE_CALLS]),
        Question("argdist", SQLITE, f"uprobe:{libc}:malloc /ON/ {{ @[arg0] = count(); }}",
                 ["count", "libc!malloc", "--by", "size"]),
        Question("argdist of results", SQLITE, f"uretprobe:{sqlite}:sqlite3_step /ON/ {{ @[retval] = count(); }}",
                 ["count", "sqlite3_step", "--by", "result"]),
        Question("funclatency", SQLITE, kept(sqlite, "sqlite3_column_text", "nsecs", "nsecs > @was[tid]"),
                 ["count", "--traps", "sqlite3_column_text", "--by", "duration > 0"]),
        Question("dbslower", SQLITE, f"uprobe:{sqlite}:sqlite3_prepare_v2 /ON/ {{ @[str(arg1, 40)] = count(); }}",
                 ["count", "sqlite3_prepare_v2", "--by", "str(sql, 40)"]),
        Question("opensnoop", ["cat", "/etc/hostname", "/no/such/file"],
                 f"uprobe:{libc}:open /ON/ {{ @was[tid] = arg0; }} uretprobe:{libc}:open /ON && @was[tid]/ "
                 "{ @[str(@was[tid]), (int32)retval < 0] = count(); delete(@was[tid]); }",
                 ["count", "libc!open", "--by", "str(path), result < 0"]),
        Question("bashreadline", [bash, "--norc", "--noprofile", "-i"],
                 f"uretprobe:{bash}:readline /ON/ {{ @[str(retval)] = count(); }}",
                 ["count", "readline", "--by", "str(result)"], keyboard="true\necho one\necho one\nexit\n"),
        Question("gethostlatency", ["getent", "ahosts", "localhost"],
                 f"uprobe:{libc}:getaddrinfo /ON/ {{ @[str(arg0)] = count(); }}",
                 ["count", "libc!getaddrinfo", "--by", "str(arg0)"]),
        Question("sslsniff", ["openssl", "s_client", "-connect", "127.0.0.1:PORT"],
                 f"uprobe:{ssl}:SSL_write /ON/ {{ @[arg2] = count(); }}",
                 ["count", "SSL_write", "--by", "(int)arg2"]),
    ]


def run(command, keyboard, typed):
    """What a command prints to standard output. `keyboard` is typed at a terminal, or comes from a file."""
    if not typed:
        return subprocess.run(command, input=keyboard, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False).stdout
    process, terminal = pty.fork()
    if not process:
        os.execvp(command[0], command)
    os.write(terminal, keyboard.encode())
    output = b""
    try:
        while data := os.read(terminal, 4096):
            output += data
    except OSError:
        pass
    os.waitpid(process, 0)
    return output.decode(errors="replace").replace("\r\n", "\n")


def by_bpftrace(question, folder):
    """The counts by key. bpftrace splits its command at spaces, and wants a program: a script has the words."""
    script, results = os.path.join(folder, "command.sh"), os.path.join(folder, "bpftrace.json")
    with open(script, "w", encoding="utf-8") as file:
        file.write(f"LD_LIBRARY_PATH={folder}/own exec " + shlex.join(question.command) + "\n")
    command = ["bpftrace", "-f", "json", "-o", results, "-e", question.script, "-c", "/bin/sh " + script]
    run(command, question.keyboard, typed=question.name == "bashreadline")
    counts = collections.Counter()
    with open(results, encoding="utf-8") as lines:
        for line in lines:
            if line.startswith('{"type": "map"'):
                for name, rows in json.loads(line)["data"].items():
                    counts.update(rows if name == "@" else {})
    return counts


def by_tpctl(question, tpctl, folder):
    results = os.path.join(folder, "tpctl.csv")
    command = ["env", f"LD_LIBRARY_PATH={folder}/own", tpctl, *question.arguments, "--format", "csv", "-o", results, "--", *question.command]
    run(command, question.keyboard, typed=question.name == "bashreadline")
    counts = collections.Counter()
    with open(results, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            hits = int(row.pop("hits"))
            for name in ("seconds", "pid", "module"):
                row.pop(name, None)
            counts[",".join(row.values()).removesuffix("...")] += hits
    return counts


def serve(folder):
    """Starts a server of TLS for one connection. Returns the process and its port."""
    key, certificate = (os.path.join(folder, name) for name in ("key.pem", "certificate.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=test", "-keyout", key,
                    "-out", certificate], stderr=subprocess.DEVNULL, check=True)
    server = subprocess.Popen(["openssl", "s_server", "-accept", "127.0.0.1:0", "-key", key, "-cert", certificate,
                               "-naccept", "2"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True)
    for line in server.stdout:
        if line.startswith("ACCEPT "):
            return server, line.rsplit(":", 1)[1].strip()
    raise SystemExit("openssl s_server does not listen")


def main():
    tpctl, folder, *names = sys.argv[1:]
    probe = subprocess.run(["bpftrace", "-e", 'BEGIN { printf("runs"); exit(); }'], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True, check=False)
    if "runs" not in probe.stdout:
        print("bpftrace does not run here")
        return
    right = wrong = 0
    for question in questions(folder):
        if names and question.name not in names:
            continue
        server = None
        if question.name == "sslsniff":
            server, port = serve(folder)
            question.command[-1] = "127.0.0.1:" + port
            question.keyboard = "a line for the server\n"
        theirs, ours = by_bpftrace(question, folder), by_tpctl(question, tpctl, folder)
        if server:
            server.stdin.close()
            server.wait()
        same = bool(ours) and ours == theirs
        right, wrong = right + same, wrong + (not same)
        print(f"{question.name}: {'the same' if same else 'not the same'}, {len(ours)} keys, {sum(ours.values())} hits")
        for key in sorted(ours.keys() | theirs.keys(), key=str) if not same else []:
            print(f"  {key!r}: bpftrace {theirs[key]}, tpctl {ours[key]}")
    print(f"{right} answers are the same, {wrong} are not")


if __name__ == "__main__":
    main()
