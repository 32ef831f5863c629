#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes the first file system of the emulated machine (scripts/machine.sh): busybox, the
# modules for qemu's devices, the agent and the script init.sh. The format is that of the
# kernel's Documentation/driver-api/early-userspace/buffer-format.rst, "newc".
#
# usage: initrd.py KERNEL_FOLDER BUSYBOX AGENT INIT_SCRIPT OUTPUT
import glob
import gzip
import lzma
import os
import re
import stat
import sys

MODULES = ["virtio_mmio", "virtio_pci", "virtio_blk", "virtio_net", "virtio_rng", "virtiofs", "ext4"]
TOOLS = ["sh", "mount", "insmod", "mkdir", "cp", "switch_root", "sleep", "echo"]


def archive(entries):
    """The bytes of an archive of (name, mode, content)."""
    result = b""
    for number, (name, mode, content) in enumerate([*entries, ("TRAILER!!!", 0, b"")], 1):
        path = name.encode() + b"\0"
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(path), 0)
        for part in (b"070701" + b"".join(b"%08x" % field for field in fields) + path, content):
            result += part + b"\0" * (-len(part) % 4)
    return result


def plain(name):
    """A module's name: - and _ are the same, as for modprobe(8)."""
    return name.replace("-", "_")


class Modules:
    def __init__(self, kernel):
        self.paths = {}
        for path in glob.glob(kernel + "/**/*.ko*", recursive=True):
            self.paths[plain(os.path.basename(path).split(".ko")[0])] = path
        self.builtin = set()
        for path in glob.glob(kernel + "/**/modules.builtin", recursive=True):
            with open(path) as lines:
                self.builtin |= {plain(os.path.basename(line.strip()).removesuffix(".ko")) for line in lines}
        self.ordered = {}  # name: content, each after those that it needs

    def add(self, name):
        name = plain(name)
        if name in self.ordered or name in self.builtin:
            return
        if name not in self.paths:
            sys.exit(f"initrd: the kernel has no module {name}, which the emulated machine needs")
        path = self.paths[name]
        with (lzma.open(path) if path.endswith(".xz") else open(path, "rb")) as file:
            content = file.read()
        for needed in re.findall(rb"\0depends=([^\0]+)", content):
            for other in needed.decode().split(","):
                self.add(other)
        # What a module asks for by name alone, such as a checksum of ext4.
        for needed in re.findall(rb"\0softdep=pre: ([^\0]+)", content):
            for other in needed.decode().split():
                if plain(other) in self.paths:
                    self.add(other)
        self.ordered[name] = content


def main(kernel, busybox, agent, script, output):
    modules = Modules(kernel)
    if "crc32c_generic" in modules.paths:
        modules.add("crc32c_generic")
    for name in MODULES:
        modules.add(name)

    def file(name, path):
        with open(path, "rb") as source:
            return name, stat.S_IFREG | 0o755, source.read()

    entries = [(name, stat.S_IFDIR | 0o755, b"") for name in ("bin", "dev", "proc", "sys", "modules", "newroot", "machine")]
    entries += [file("bin/busybox", busybox), file("init", script), file("machine/init.sh", script), file("machine/agent", agent)]
    entries += [("bin/" + tool, stat.S_IFLNK | 0o777, b"busybox") for tool in TOOLS]
    # Their names are in the order of loading.
    entries += [(f"modules/{number:03}-{name}.ko", stat.S_IFREG | 0o644, content)
                for number, (name, content) in enumerate(modules.ordered.items())]
    with open(output, "wb") as file:
        file.write(gzip.compress(archive(entries), 1))


if __name__ == "__main__":
    main(*sys.argv[1:])
