#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Keeps one emulated machine (scripts/machine.sh): starts qemu and a virtiofsd for each
# shared folder, and ends them when the owner ends, the time is up, or SIGTERM arrives. If
# the keeper itself is killed, the kernel kills its children (PR_SET_PDEATHSIG, prctl(2)).
#
# usage: keeper.py --state FOLDER --owner PID --seconds N --boot-seconds N --initrd FILE
#                  --virtiofsd FILE [--share FOLDER]... --bus NAME --megabytes N -- QEMU [ARGUMENT]...
# It prints "ready" once the machine accepts commands, or else what went wrong, closes its
# output, and stays. While it lives, it holds a lock on FOLDER/lock. FOLDER also gets:
#   pid     its own process          port, token   how the client reaches the agent
#   console what the kernel prints   log           what the emulator prints
import argparse
import ctypes
import fcntl
import os
import secrets
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time

from initrd import archive

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


class Failure(Exception):
    pass


def parse():
    parser = argparse.ArgumentParser()
    for name in ("state", "initrd", "virtiofsd", "bus"):
        parser.add_argument("--" + name, required=True)
    for name in ("owner", "seconds", "boot-seconds", "megabytes"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--share", action="append", default=[])
    parser.add_argument("qemu", nargs="+")
    return parser.parse_args()


class Machine:
    def __init__(self, options):
        self.options = options
        self.children = []
        self.log = open(self.path("log"), "wb")

    def path(self, name):
        return os.path.join(self.options.state, name)

    def spawn(self, command):
        keeper = os.getpid()

        def tie():
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            if os.getppid() != keeper:  # it died before the call
                os._exit(1)

        self.children.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, preexec_fn=tie))

    def write(self, name, text):
        """Appears at once and whole, readable by this user alone."""
        with open(os.open(self.path(name + ".new"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        os.rename(self.path(name + ".new"), self.path(name))

    def write_initrd(self):
        """The common file system, and after it what only this start knows."""
        token = secrets.token_hex(16)
        self.write("token", token + "\n")
        shares = "".join(f"share{number} {path}\n" for number, path in enumerate(self.options.share))
        files = (("token", token + "\n"), ("shares", shares), ("date", f"{int(time.time())}\n"))
        extra = archive([(f"machine/{name}", stat.S_IFREG | 0o600, text.encode()) for name, text in files])
        with open(os.open(self.path("initrd"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with open(self.options.initrd, "rb") as common:
                shutil.copyfileobj(common, file)
            file.write(b"\0" * (-file.tell() % 4) + extra)

    def share(self):
        """Starts a virtiofsd for each shared folder; returns qemu's arguments for them."""
        arguments = []
        for number, path in enumerate(self.options.share):
            # A socket's path is short, unix(7); the state folder's may be long.
            name = self.path(f"share{number}")
            os.path.exists(name) and os.remove(name)
            self.spawn([self.options.virtiofsd, f"--socket-path={name}", "-o", f"source={path}", "-o", "sandbox=chroot", "-o", "cache=auto",
                        "-o", "timeout=0", "-o", "flock", "-o", "posix_lock", "-o", "xattr", "-o", "log_level=err"])
            self.wait(lambda: os.path.exists(name), 60, f"virtiofsd does not share {path}")
            arguments += ["-chardev", f"socket,id=share{number},path={name}",
                          "-device", f"vhost-user-fs-{self.options.bus},chardev=share{number},tag=share{number}"]
        return arguments

    def boot(self):
        self.write_initrd()
        shares = self.share()
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        with open(self.path("console"), "wb"):
            pass
        # romfile: the network card needs no program to boot from.
        bus, size = self.options.bus, self.options.megabytes
        self.spawn(self.options.qemu + [
            "-m", str(size), "-object", f"memory-backend-memfd,id=ram,size={size}M,share=on", "-machine", "memory-backend=ram",
            "-initrd", self.path("initrd"), "-chardev", f"file,id=console,path={self.path('console')}", "-serial", "chardev:console",
            "-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{port}-10.0.2.15:7", "-device", f"virtio-net-{bus},netdev=net{',romfile=' if bus == 'pci' else ''}",
        ] + shares)
        self.wait(lambda: b"agent: ready" in self.read("console"), self.options.boot_seconds, "the kernel does not come up")
        self.write("port", f"{port}\n")

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def wait(self, done, seconds, failure):
        end = time.monotonic() + seconds
        while not done():
            ended = [child for child in self.children if child.poll() is not None]
            if ended or time.monotonic() > end:
                why = f"{ended[0].args[0]} ended" if ended else f"not within {seconds} s"
                tail = b"\n".join((self.read("console") if os.path.exists(self.path("console")) else b"").splitlines()[-5:] +
                                  self.read("log").splitlines()[-5:])
                raise Failure(f"{failure}: {why}\n{tail.decode(errors='replace')}".rstrip())
            self.pause(0.05)

    def pause(self, seconds):
        """Waits. Raises Failure at once if the owner has ended, SystemExit at SIGTERM."""
        if select.select([self.owner], [], [], seconds)[0]:
            raise Failure("the process that the machine was started for has ended")

    def stay(self):
        """Until the owner or one of the emulator's programs ends, or the time is up."""
        poll = select.poll()
        for file in [self.owner] + [os.pidfd_open(child.pid) for child in self.children]:
            poll.register(file, select.POLLIN)
        poll.poll(self.options.seconds * 1000)

    def end(self):
        for name in ("port", "token", "pid", "initrd"):
            os.path.exists(self.path(name)) and os.remove(self.path(name))
        for child in reversed(self.children):
            child.terminate()
        for child in self.children:
            try:
                child.wait(5)
            except subprocess.TimeoutExpired:
                child.kill()
                child.wait()

    def run(self):
        try:
            self.owner = os.pidfd_open(self.options.owner)
        except ProcessLookupError:
            raise Failure(f"there is no process {self.options.owner}, which is to own the machine")
        self.write("pid", f"{os.getpid()}\n")
        self.boot()
        print("ready", flush=True)
        null = os.open(os.devnull, os.O_RDWR)
        for file in (0, 1, 2):
            os.dup2(null, file)
        self.stay()


def main():
    options = parse()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of the terminal; it is for the command
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    lock = os.open(os.path.join(options.state, "lock"), os.O_RDWR | os.O_CREAT, 0o600)
    os.set_inheritable(lock, False)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        print("another")  # has started it meanwhile
        return
    machine = Machine(options)
    try:
        machine.run()
    except Failure as failure:
        print(failure, flush=True)
    finally:
        machine.end()


main()
