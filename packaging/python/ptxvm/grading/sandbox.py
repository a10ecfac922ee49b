"""What a candidate may do to the machine: nothing but compute. Linux's own means, by their system calls.

A forked child cannot be put into bubblewrap, which starts programs: the child asks for the same namespaces itself, and lays
Landlock, seccomp and limits over itself. Each layer that the system refuses is named in `Layers.missing`.
"""

from __future__ import annotations

import ctypes
import dataclasses
import os
import platform
import resource
import struct
from collections.abc import Callable, Sequence

_LIBC = ctypes.CDLL(None, use_errno=True)

# From <sched.h>, <sys/prctl.h>, <sys/mount.h>.
_NEW_NS, _NEW_IPC, _NEW_USER, _NEW_PID, _NEW_NET = 0x00020000, 0x08000000, 0x10000000, 0x20000000, 0x40000000
_DIE_WITH_PARENT, _SECCOMP, _NO_NEW_PRIVILEGES = 1, 22, 38
_PRIVATE_TREE = 0x4000 | 0x40000  # MS_REC | MS_PRIVATE

# From <linux/landlock.h>: numbers of calls are those of every architecture.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_FILE_BITS = {1: 13, 2: 14, 3: 15, 5: 16}  # bits of rights that a version knows
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read a file, read a folder
_SCRATCH = (1 << 15) - 1  # all but to change devices
_DEVICE = 1 << 1 | 1 << 2

#: System calls that no kernel needs, by x86-64's numbers: other processes, file systems, the system itself.
_REFUSED = {
    "ptrace": 101, "syslog": 103, "pivot_root": 155, "chroot": 161, "mount": 165, "umount2": 166, "swapon": 167, "reboot": 169,
    "sethostname": 170, "init_module": 175, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272, "perf_event_open": 298,
    "setns": 308, "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "bpf": 321, "userfaultfd": 323,
    "io_uring_setup": 425, "io_uring_enter": 426, "open_tree": 428, "move_mount": 429, "fsopen": 430, "pidfd_getfd": 438, "socket": 41,
}  # fmt: skip


@dataclasses.dataclass
class Layers:
    """Which layers hold, and which the system refused, with its reason."""

    has: list[str] = dataclasses.field(default_factory=list)
    missing: list[str] = dataclasses.field(default_factory=list)

    def add(self, name: str, step: Callable[[], object]) -> bool:
        """Put a layer on by a step, and whether it holds: where the system refuses the step, the layer is missing, with the reason."""
        try:
            step()
        except OSError as error:
            self.missing.append(f"{name}: {error.strerror}")
            return False
        self.has.append(name)
        return True


def die_with_parent() -> None:
    """Have the kernel end this process with the one that forked it."""
    _checked(_LIBC.prctl(_DIE_WITH_PARENT, 9, 0, 0, 0))


def separate(layers: Layers, scratch: str) -> None:
    """Namespaces of its own for this process's children, and a file system of 256 MiB in memory at `scratch`. Call it with one thread."""
    user, group = os.geteuid(), os.getegid()

    def names() -> None:
        _checked(_LIBC.unshare(_NEW_USER | _NEW_NS | _NEW_IPC | _NEW_NET | _NEW_PID))
        for file, text in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
            with open(f"/proc/self/{file}", "w") as map_:
                map_.write(text)

    def files() -> None:
        _checked(_LIBC.mount(None, b"/", None, _PRIVATE_TREE, None))
        _checked(_LIBC.mount(b"tmpfs", os.fsencode(scratch), b"tmpfs", 0, b"size=256m,nr_inodes=20k"))

    if layers.add("namespaces", names):
        layers.add("scratch in memory", files)
    else:
        layers.missing.append("scratch in memory: it wants namespaces")


def limit(seconds: int) -> None:
    """Limits of the kernel: processor time, size of a file, files, processes, no dumps."""
    for what, most in (
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_FSIZE, 256 << 20),
        (resource.RLIMIT_NOFILE, 256),
        (resource.RLIMIT_NPROC, 256),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def confine(layers: Layers, readable: Sequence[str], scratch: str) -> None:
    """Let this process, and its children, read `readable` and change what is below `scratch`, and call no function of _REFUSED."""
    _checked(_LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    layers.add("landlock", lambda: _landlock(readable, scratch))
    layers.add("seccomp", _seccomp)


def _landlock(readable: Sequence[str], scratch: str) -> None:
    version = _checked(_LIBC.syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1))
    files = (1 << max(bits for since, bits in _FILE_BITS.items() if since <= version)) - 1
    rules = struct.pack("<QQQ", files, 3 if version >= 4 else 0, 3 if version >= 6 else 0)
    size = 24 if version >= 6 else 16 if version >= 4 else 8
    ruleset = _checked(_LIBC.syscall(_CREATE_RULESET, rules, ctypes.c_size_t(size), 0))
    devices = [f"/dev/{name}" for name in ("null", "zero", "random", "urandom")]
    allowed = [(path, _READ) for path in readable] + [(path, _DEVICE) for path in devices] + [(scratch, _SCRATCH)]
    for path, rights in allowed:
        if os.path.exists(path):
            _allow(ruleset, path, rights & files)
    _checked(_LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int) -> None:
    if not os.path.isdir(path):
        rights &= 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14
    handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        _checked(_LIBC.syscall(_ADD_RULE, ruleset, 1, struct.pack("<Qi", rights, handle), 0))
    finally:
        os.close(handle)


class _Program(ctypes.Structure):
    _fields_ = [("count", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def _seccomp() -> None:
    if platform.machine() != "x86_64":
        raise OSError(95, f"no list of calls for {platform.machine()}")
    load, equal, at_least, answer = 0x20, 0x15, 0x35, 0x06
    calls = sorted(_REFUSED.values())
    kill, refuse, allow = 0x80000000, 0x00050001, 0x7FFF0000
    code = [(load, 0, 0, 4), (equal, 1, 0, 0xC000003E), (answer, 0, 0, kill), (load, 0, 0, 0), (at_least, len(calls) + 1, 0, 0x40000000)]
    code += [(equal, len(calls) - i, 0, number) for i, number in enumerate(calls)]
    code += [(answer, 0, 0, allow), (answer, 0, 0, refuse)]
    text = b"".join(struct.pack("<HBBI", *line) for line in code)
    _checked(_LIBC.prctl(_SECCOMP, 2, ctypes.byref(_Program(len(code), text)), 0, 0))


def _checked(result: int) -> int:
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
