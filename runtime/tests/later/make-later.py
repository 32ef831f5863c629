#!/usr/bin/env python3
"""Makes the sources in which a later libtprt, version 0.99, differs from this one.

Programs that were compiled with this version's headers must run with later libraries,
whose structures have grown. As there is no later library yet, the build makes one: from
the sources of this one, with the files that this script writes in front of them. In them
each structure that a caller hands over has two more members at its end:

 - a call fails whose structures have `later` set. It must be 0 where the caller's
   structure is too short to have it, whatever lies after that structure;
 - structures that the library fills have 77 in `later`. It must not be written where the
   caller's structure is too short to have it.

usage: make-later.py RUNTIME OUT
"""
import re
import sys
from pathlib import Path

runtime, out = Path(sys.argv[1]), Path(sys.argv[2])

MEMBERS = "  uint64_t later;\n  const void *later_address;\n"
REFUSE = 'return fail(TPRT_STATUS_INVALID_ARGUMENT, "a member of version 0.99 is set");\n'


def grown(*names):
    return [(rf"(typedef struct {name} {{\n(?:.*\n)*?)(}} {name};)", rf"\1{MEMBERS}\2") for name in names]


def after(line, added):
    return (rf"({re.escape(line)}\n)", rf"\1{added}")


EDITS = {
    "include/tprt/tprt.h": [
        (r"(#define TPRT_VERSION_MINOR) \d+", r"\1 99"),
        *grown("tprt_selector", "tprt_action", "tprt_result", "tprt_site_info", "tprt_stats"),
    ],
    "include/tprt/duration.h": grown("tprt_duration"),
    "include/tprt/record.h": grown("tprt_recording_options", "tprt_recording_values", "tprt_recording_figures"),
    "probes/api.cpp": [
        after("  Taken<tprt_action> what(action, layout->action);",
              "  if ((selector && sites.get()->later) || (action && what.get()->later))\n    " + REFUSE),
        after("  tprt_result out{};", "  out.later = 77;\n"),
        (r"  return visitSites\(Taken<tprt_selector>\(selector, layout->selector\)",
         "  if (selector && Taken<tprt_selector>(selector, layout->selector).get()->later)\n    " + REFUSE + r"\g<0>"),
        after("  copyStructure(&out, sizeof out, nullptr, 0);", "  out.later = 77;\n"),
        after("  tprt_stats out{};", "  out.later = 77;\n"),
    ],
    "timing/duration_probe.cpp": [
        after("  Taken<tprt_selector> which(selector, layout->selector);",
              "  if (selector && which.get()->later)\n    " + REFUSE + "  out.later = 77;\n"),
    ],
    "record/recording_calls.cpp": [
        after("  Taken<tprt_recording_options> taken(options, bytes);",
              "  if (options && taken.get()->later)\n    " + REFUSE),
        after("  Taken<tprt_recording_values> what(values, bytes);",
              "  if ((selector && which.get()->later) || (values && what.get()->later))\n    " + REFUSE),
        after("  copyStructure(&out, sizeof out, nullptr, 0);", "  out.later = 77;\n"),
    ],
}

for name, edits in EDITS.items():
    text = (runtime / name).read_text()
    for pattern, replacement in edits:
        text, count = re.subn(pattern, replacement, text)
        if count != 1:
            sys.exit(f"make-later.py: {name} has {count} places that match {pattern!r}, and should have 1")
    file = out / name
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text() != text:  # what has not changed is not built again
        file.write_text(text)
