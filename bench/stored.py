# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how many bytes an event takes in a recording that was closed and packed, of
programs that people run: stored_event_bytes is that of the worst. Every function is
recorded, with entries and exits. The programs are the example interpreter; Lua; and
SQLite's own speedtest1, if their sources were given."""

import json
import os
import tempfile

import off

from toolchain import sized

# How much of each program is recorded.
MOST = sized("64M", "1M")
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples")
SPEEDTEST = ("speedtest1.c", os.path.join("..", "sqlite3", "test", "speedtest1.c"))


def speedtest_source(sqlite):
    """SQLite's benchmark next to the amalgamation or in the source tree; None without."""
    for name in SPEEDTEST if sqlite else ():
        path = os.path.join(os.path.dirname(sqlite), name)
        if os.path.exists(path):
            return path
    return None


def programs(tools, lua, sqlite, folder):
    """Name, sources, flags and arguments."""
    yield ("minilang", [os.path.join(tools.src, "record_script.c"),
                        os.path.join(EXAMPLES, "minilang.c"),
                        os.path.join(EXAMPLES, "workload_minilang.c")],
           ["-I", EXAMPLES], [os.path.join(EXAMPLES, "demo.ml")])
    if off.lua_sources(lua):
        script = os.path.join(folder, "script.lua")
        with open(script, "w") as out:
            out.write(off.LUA_SCRIPT)
        yield "lua", off.lua_sources(lua), off.LUA_FLAGS, [script]
    speedtest = speedtest_source(sqlite)
    if speedtest:
        yield ("sqlite", [sqlite, speedtest],
               ["-w", "-DSQLITE_THREADSAFE=0", "-I", os.path.dirname(sqlite)],
               ["--size", "2", os.path.join(folder, "speedtest.db")])


def bytes_per_event(tools, tpctl, program, arguments, path):
    tools.run(["env", f"TPRT_OPTIONS=record={path}:*,mode=full,size={MOST},verbose=0",
               program, *arguments])
    tools.call([tpctl, "pack", path])
    events = json.loads(tools.call([tpctl, "report", "--format=json", path]))["events"]
    return os.path.getsize(path) / events, events


def measure(tools, tpctl, lua, sqlite, say):
    results = {}
    memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        for name, sources, flags, arguments in programs(tools, lua, sqlite, folder):
            objects = [tools.compile(source, tools.path("stored", name, os.path.basename(source) + ".o"),
                                     "tp_exit", flags) for source in sources]
            program = tools.link(objects, tools.path("stored", f"{name}-program"), "tp_exit", ["tprt", "-ldl"])
            size, events = bytes_per_event(tools, tpctl, program, arguments,
                                           os.path.join(folder, f"{name}.tp"))
            results[f"stored_event_bytes_{name}"] = size
            say(f"  {name}: {size:.2f} bytes an event, of {events} events")
    results["stored_event_bytes"] = max(results.values())
    return results
