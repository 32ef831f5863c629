#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""unprepared.py python|redis|nginx|tools PRELOAD WORK [--all] [TEST...]: runs a program from Debian's packages twice.
The first time it is untouched. The second time, "under fire", it has PRELOAD as its LD_PRELOAD: a thread
attaches to all functions of the program and of its libraries, and detaches, at random every few
milliseconds (toggler.c). Both times the program has to do the same. Its packages are fetched, not
installed. The toggler writes to WORK/NAME.log.

  python   twenty files of CPython's own suite, or those named, as test_json; --all: all of them, which takes
           an hour or more. Each test in them that passes has to pass under fire. A file with one that does not is run
           again, three times, because some tests are about time.
  redis    10 pipelines of 2,000 commands, scripts, children of fork that write the data, and a restart
  nginx    files of many sizes over many connections, while the master starts new workers each second
  tools    a long script for bash (broad.bash); sort, gzip, xz, bzip2, tar, sed, awk, perl and others with a
           file of 250,000 lines, 5 million with --all. What was packed has to be the same when unpacked.

Exits with 0; 1: a difference or a fault; 77: the packages cannot be had."""

import glob
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import xml.etree.ElementTree

PACKAGES = {
    "python": ["libpython3.11-testsuite"],
    "redis": ["redis-server", "redis-tools", "liblzf1", "libjemalloc2", "liblua5.1-0", "lua-bitop", "lua-cjson",
              "libhiredis0.14", "libatomic1"],
    "nginx": ["nginx", "nginx-common"],
    "tools": [],  # every Debian has them
}


def say(text):
    print(f"== {time.strftime('%T')} {text}", flush=True)


def fetch(name, work):
    """Unpacks the packages. Returns the folder that stands for /."""
    root = os.path.join(work, name + ".root")
    if os.path.isdir(root) or not PACKAGES[name]:
        return root
    downloads = os.path.join(work, name + ".packages")
    os.makedirs(downloads, exist_ok=True)
    run = subprocess.run(["apt-get", "download", "-qq", *PACKAGES[name]], cwd=downloads, capture_output=True, text=True)
    if run.returncode:
        say(f"{name}: its packages cannot be fetched:\n{run.stderr.strip()}")
        sys.exit(77)
    for package in glob.glob(downloads + "/*.deb"):
        subprocess.run(["dpkg", "-x", package, root + ".new"], check=True)
    os.rename(root + ".new", root)
    return root


def fire(preload, log):
    """The environment of the run under fire."""
    return {"LD_PRELOAD": preload, "TP_TOGGLER_CODE": "1", "TP_TOGGLER_LOG": log, "TPRT_VERBOSE": "0",
            "TP_TOGGLER_SEED": str(random.randrange(1 << 30))}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def connect(port, seconds=60):
    end = time.time() + seconds
    while True:
        try:
            connection = socket.create_connection(("127.0.0.1", port), timeout=60)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection
        except ConnectionRefusedError:
            if time.time() > end:
                raise
            time.sleep(0.05)


# --- CPython -----------------------------------------------------------------

PYTHON_TESTS = """test_builtin test_json test_re test_dict test_list test_set test_struct test_exceptions test_generators test_gc
    test_import test_zlib test_hashlib test_mmap test_select test_thread test_threading test_queue test_signal test_fork1""".split()

# Tests that cannot pass during the toggling, with the reason.
PYTHON_DIFFERENT = {
    # A child lists all of its descriptors, which include some of libtprt
    # (docs/reference/runtime-limits.md).
    "test.test_subprocess.POSIXProcessTestCase.test_pass_fds_redirected",
    # Each of five children counts its descriptors right after its start, during the first attach.
    "test.test_multiprocessing_spawn.WithProcessesTestProcess.test_child_fd_inflation",
    # The process must use less than 20 ms of processor time in a sleep of 100 ms, but the toggler uses more.
    "test.test_time.TimeTestCase.test_process_time",
}


def python_home(root, work):
    """A folder like /usr with Debian's interpreter and library as they are, and the tests. Tests start
    interpreters that ignore the environment, and these need the tests, too."""
    home = os.path.join(work, "python.home")
    if not os.path.isdir(home):
        shutil.rmtree(home + ".new", ignore_errors=True)
        shutil.copytree("/usr/lib/python3.11", home + ".new/lib/python3.11", symlinks=True)
        shutil.copytree(root + "/usr/lib/python3.11", home + ".new/lib/python3.11", dirs_exist_ok=True)
        os.mkdir(home + ".new/bin")
        shutil.copy2("/usr/bin/python3.11", home + ".new/bin/python3.11")
        os.symlink("python3.11", home + ".new/bin/python3")
        os.rename(home + ".new", home)
    return home


def python_results(home, files, environment, output):
    """The end of each file of tests, and that of each test in it, by its name."""
    ends = {}
    with tempfile.TemporaryDirectory() as place, open(output, "w+") as file:
        # A virtual machine may be unable to reach itself by its own address: a test of vsock then
        # waits forever.
        command = [home + "/bin/python3", "-m", "test", "-j2", "--timeout", "1800", "--ignore", "*VSOCK*",
                   "--junit-xml", place + "/results", *files]
        subprocess.run(command, cwd=place, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT,
                       env={**os.environ, **environment})
        file.seek(0)
        for line in file:
            if found := re.match(r"[0-9:]+ .*?\[ *\d+(?:/\d+)+\] (\w+)(.*)", line):
                name, rest = found.groups()
                ends[name] = ("failed" if "failed" in rest or "crashed" in rest or "timed out" in rest
                              else "skipped" if "skipped" in rest or "denied" in rest else "passed")
        if os.path.exists(place + "/results"):
            for case in xml.etree.ElementTree.parse(place + "/results").iter("testcase"):
                if name := case.get("name"):  # what fails before a class's first test has no name
                    ends[name] = next((part.tag for part in case if part.tag in ("skipped", "failure", "error")), "passed")
    return ends


def python_file(name):
    """The file of a test: test_json of test.test_json.test_dump.TestPyDump.test_dump."""
    found = re.search(r"\btest\.(test_\w+)\.", name)
    return found[1] if found else name


def judge_python(root, preload, work, log, options):
    home = python_home(root, work)
    chosen = [option for option in options if option.startswith("test_")]
    say("python: untouched")
    plain = python_results(home, chosen or ([] if "--all" in options else PYTHON_TESTS), {}, f"{work}/python.plain.out")
    files = [name for name in plain if re.fullmatch(r"test_\w+", name)]
    passed = [name for name, end in plain.items() if end == "passed" and name not in files]
    say(f"python: {len(files)} files, {len(passed)} tests pass; under fire")
    touched, again = {}, files
    for attempt in range(4):
        touched.update(python_results(home, again, fire(preload, log), f"{work}/python.{attempt}.out"))
        different = [name for name, end in plain.items() if end == "passed" and touched.get(name) != "passed"
                     and name not in PYTHON_DIFFERENT | {python_file(one) for one in PYTHON_DIFFERENT}]
        again = sorted({python_file(name) for name in different} & set(files))
        if not again:
            break
        say(f"python: not as untouched: {' '.join(different[:10])}")
    return [f"{name} does not pass" for name in different] or ([] if passed else ["no test was run"])


# --- Redis -------------------------------------------------------------------


class Redis:
    """A server on a port of its own, and a connection to it (the protocol RESP2)."""

    def __init__(self, root, place, environment):
        self.port = free_port()
        library = root + "/usr/lib/x86_64-linux-gnu"
        self.server = subprocess.Popen(
            [root + "/usr/bin/redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--dir", place,
             "--save", "", "--appendonly", "yes", "--io-threads", "2", "--enable-debug-command", "yes"],
            env={**os.environ, **environment, "LD_LIBRARY_PATH": library}, stdout=subprocess.DEVNULL)
        self.file = connect(self.port).makefile("rwb")

    def send(self, *words):
        self.file.write(b"*%d\r\n" % len(words))
        for word in words:
            word = word if isinstance(word, bytes) else str(word).encode()
            self.file.write(b"$%d\r\n%s\r\n" % (len(word), word))

    def answer(self):
        line = self.file.readline()
        if line[:1] == b"$":
            length = int(line[1:])
            return None if length < 0 else self.file.read(length + 2)[:-2]
        if line[:1] == b"*":
            return [self.answer() for _ in range(int(line[1:]))]
        return line[:-2]

    def ask(self, *words):
        self.send(*words)
        self.file.flush()
        return self.answer()

    def stop(self):
        self.send("SHUTDOWN", "NOSAVE")
        self.file.flush()
        return self.server.wait(60)


def redis_transcript(root, environment, rounds):
    """All answers that do not depend on the time."""
    answers = []
    chance = random.Random(7)
    with tempfile.TemporaryDirectory() as place:
        redis = Redis(root, place, environment)
        for one in range(rounds):
            for _ in range(2000):  # a pipeline
                key, value = f"k{chance.randrange(5000)}", "v" * chance.randrange(300)
                redis.send(*chance.choice([
                    ("SET", key, value), ("GET", key), ("APPEND", "a" + key, value), ("HSET", "h", key, value),
                    ("ZADD", "z", chance.random(), key), ("LPUSH", "l", value), ("SADD", "s", key), ("INCR", "n"),
                    ("ZRANGEBYSCORE", "z", 0.4, 0.41), ("LTRIM", "l", 0, 50), ("PFADD", "p", key)]))
            redis.file.flush()
            answers += [redis.answer() for _ in range(2000)]
            answers.append(redis.ask("EVAL", "local t = 0 for i = 1, 2000 do t = t + tonumber(redis.call('INCRBY', KEYS[1], i)) end return tostring(t)", 1, "e"))
            answers.append(redis.ask("EVAL", "return redis.call('NOTHING')", 0))
            answers.append(redis.ask("SORT", "s", "ALPHA", "LIMIT", 0, 20))
            if one % 5 == 4:  # children of fork write the data
                redis.ask("BGSAVE")
                while b"rdb_bgsave_in_progress:1" in redis.ask("INFO", "persistence"):
                    time.sleep(0.05)
                answers.append(b"rdb_last_bgsave_status:ok" in redis.ask("INFO", "persistence"))
                answers.append(redis.ask("DEBUG", "RELOAD"))
        answers.append(redis.ask("DEBUG", "DIGEST"))
        answers.append(redis.stop())
        redis = Redis(root, place, environment)
        while redis.ask("PING") != b"+PONG":
            time.sleep(0.05)
        answers.append(redis.ask("DEBUG", "DIGEST"))
        answers.append(redis.stop())
    return answers


def judge_redis(root, preload, work, log, options):
    rounds = 1000 if "--all" in options else 10
    plain = redis_transcript(root, {}, rounds)
    say(f"redis: {len(plain)} answers; under fire")
    touched = redis_transcript(root, fire(preload, log), rounds)
    return [f"answer {i}: {before!r} untouched, {after!r} under fire"
            for i, (before, after) in enumerate(zip(plain, touched)) if before != after][:5]


# --- nginx -------------------------------------------------------------------


def nginx_bodies(root, environment, requests):
    """Fetches files in four threads. Returns what differs from the files, and how many were fetched."""
    faults, fetched = [], [0] * 4
    with tempfile.TemporaryDirectory() as place:
        chance, port = random.Random(7), free_port()
        os.chmod(place, 0o755)
        for folder in ("logs", "html", "temp"):
            os.mkdir(f"{place}/{folder}")
        files = {f"f{i}": chance.randbytes(chance.choice([0, 1, 100, 5000, 300000])) for i in range(40)}
        for name, data in files.items():
            with open(f"{place}/html/{name}", "wb") as file:
                file.write(data)
        paths = "".join(f"{kind}_temp_path {place}/temp/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        with open(f"{place}/nginx.conf", "w") as file:
            user = "user root;" if os.geteuid() == 0 else ""  # else workers could not write to the log
            file.write(f"""{user} daemon off; worker_processes 2; pid {place}/logs/pid; error_log {place}/logs/error.log;
env LD_PRELOAD; env TP_TOGGLER_CODE; env TP_TOGGLER_LOG; env TP_TOGGLER_SEED; env TP_TOGGLER_CHILDREN; env TPRT_VERBOSE;
events {{ worker_connections 256; }}
http {{ access_log {place}/logs/access.log; {paths} gzip on; gzip_types *; gzip_min_length 1000; sendfile on;
server {{ listen 127.0.0.1:{port}; root {place}/html; location /again/ {{ proxy_pass http://127.0.0.1:{port}/; }} }} }}""")
        server = subprocess.Popen([root + "/usr/sbin/nginx", "-p", place, "-c", place + "/nginx.conf"],
                                  env={**os.environ, **environment}, stderr=subprocess.DEVNULL)
        connect(port).close()

        def fetch_some(which):
            names = random.Random(which)
            for _ in range(requests // 4):
                name = names.choice(list(files))
                path = names.choice(["/", "/again/"]) + name
                try:
                    with connect(port) as connection:
                        connection.sendall(f"GET {path} HTTP/1.0\r\n\r\n".encode())
                        answer = b"".join(iter(lambda: connection.recv(65536), b""))
                    head, _, body = answer.partition(b"\r\n\r\n")
                    if b" 200 " not in head[:16] or body != files[name]:
                        faults.append(f"{path}: {head[:60]!r}, {len(body)} bytes, not {len(files[name])}")
                    fetched[which] += 1
                except OSError as error:
                    faults.append(f"{path}: {error}")

        threads = [threading.Thread(target=fetch_some, args=(i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(1)
            server.send_signal(signal.SIGHUP)  # new workers; the old ones end when they have answered
        server.send_signal(signal.SIGQUIT)
        if server.wait(60):
            faults.append(f"the master ended with {server.returncode}")
        with open(f"{place}/logs/error.log") as file:
            faults += [line.strip() for line in file if re.search(r"\[(alert|crit|emerg)\]|exited on signal", line)]
    return faults, sum(fetched)


def judge_nginx(root, preload, work, log, options):
    requests = 100000 if "--all" in options else 2000
    faults, fetched = nginx_bodies(root, {}, requests)
    say(f"nginx: {fetched} answers; under fire")
    if faults:
        return ["untouched: " + fault for fault in faults[:5]]
    return nginx_bodies(root, {**fire(preload, log), "TP_TOGGLER_CHILDREN": "1"}, requests)[0][:5]


# --- bash, and programs that read and write much -----------------------------

# bash runs each program, and is toggled itself. `text` is a file of lines.
TOOLS = {
    "bash": "bash {broad} {rounds}",
    "sort": "sort -n --parallel=2 -S 4M text | sha256sum; sort -u -k 2,2 -k 1,1nr text | sha256sum",
    "gzip": "gzip -9 -n -c text >one; gzip -dc one | cmp - text; sha256sum one",
    "xz": "xz -3 -T2 --block-size=1MiB -c text >one; xz -dc one | cmp - text; sha256sum one",
    "bzip2": "bzip2 -c text >one; bzip2 -dc one | cmp - text; sha256sum one",
    "tar": "tar -c --mtime=@0 text | tar -x -O | cmp - text; split -l 50000 text part.; cat part.* | cmp - text; rm part.*",
    "text": """grep -c '7.*e' text; sed -E 's/([0-9]+) (.)/\\2<\\1>/g' text | sha256sum; tr a-m A-M <text | md5sum; cut -c 3-9 text | uniq | wc
               awk '{{ sum += $1; ++seen[length($2)] }} END {{ for (i = 0; i < 99; ++i) print i, seen[i]; print sum }}' text""",
    "perl": """perl -ne 'chomp; my ($n, $w) = split / /; $h{{$w =~ s/[aeiou]+/-/gr}} += $n; END {{ print map {{ "$_ $h{{$_}}\\n" }} sort keys %h }}' text \\
               | sha256sum""",
}


def judge_tools(root, preload, work, log, options):
    lines, rounds = (5000000, 200) if "--all" in options else (250000, 3)
    chance, different = random.Random(7), []
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=chance.randint(1, 30))) for _ in range(20000)]
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/text", "w") as file:
            file.writelines(f"{chance.randrange(1 << 30)} {chance.choice(words)}\n" for _ in range(lines))
        for name, command in TOOLS.items():
            if not shutil.which(name) and name != "text":
                say(f"tools: {name} is not here")
                continue
            command = command.format(broad=os.path.join(os.path.dirname(os.path.abspath(__file__)), "broad.bash"), rounds=rounds)
            plain, touched = (
                subprocess.run(["bash", "-c", "set -o pipefail; " + command], cwd=place, stdin=subprocess.DEVNULL,
                               capture_output=True, env={**os.environ, "LC_ALL": "C", **environment})
                for environment in ({}, fire(preload, log)))
            if (plain.returncode, plain.stdout, plain.stderr) != (touched.returncode, touched.stdout, touched.stderr):
                different.append(f"{name} ended with {plain.returncode} untouched, {touched.returncode} under fire")
                for when, run in (("plain", plain), ("fire", touched)):
                    with open(f"{work}/tools.{name}.{when}", "wb") as file:
                        file.write(run.stdout + run.stderr)
            say(f"tools: {name}: {len(plain.stdout.splitlines())} lines")
    return different


def main():
    name, preload, work, *options = sys.argv[1:]
    os.makedirs(work, exist_ok=True)
    work = os.path.abspath(work)
    log = os.path.join(work, name + ".log")
    root = fetch(name, work)
    if os.path.exists(log):
        os.remove(log)
    began = time.time()
    judge = {"python": judge_python, "redis": judge_redis, "nginx": judge_nginx, "tools": judge_tools}[name]
    faults = judge(root, preload, work, log, options)
    lines = []
    if os.path.exists(log):
        with open(log) as file:
            lines = file.read().splitlines()
    if not lines:
        faults.append("the toggler wrote nothing")
    faults += [f"{len([line for line in lines if ' 0 faults' not in line])} processes had faults, as: {line}"
               for line in [line for line in lines if " 0 faults" not in line][:1]]
    sums = [sum(int(line.split()[at]) for line in lines) for at in (0, 2, 4)]
    for fault in faults:
        say(f"FAILED {name}: {fault}")
    if not faults:
        say(f"same    {name}: {sums[0]} probes, {sums[1]} hits, {sums[2]} counted in {len(lines)} processes, 0 faults; "
            f"{time.time() - began:.0f} s")
    sys.exit(bool(faults))


main()
