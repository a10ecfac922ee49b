"""The warm parent: has what candidates import, and no CUDA yet; forks a child for each job. `ptxvm exec python -m ptxvm.grading.parent`.

Jobs and answers are lines of JSON on the handles that the judge gave. Behind a fork are three processes: one that asks for namespaces,
the first of them, which ends all others when it ends, and the candidate's.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import Any

from . import child, sandbox, warm
from .verdict import no_number

_LEFT = 0.02  # seconds between two looks at the memory of a child


def main() -> None:
    os.setpgid(0, 0)  # Ctrl-C is the judge's
    sandbox.die_with_parent()
    warm.begin()
    jobs, answers = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(jobs) as lines, os.fdopen(answers, "w") as to:
        print(json.dumps({"ready": os.getpid()}), file=to, flush=True)
        for line in lines:
            print(json.dumps(run(json.loads(line), (jobs, answers))), file=to, flush=True)


def run(job: dict[str, Any], private: Iterable[int]) -> dict[str, Any]:
    """Run a job in a child; what came of it: status or signal, what it told, what ptxvm reported, the layers of its sandbox."""
    results = os.open(os.path.join(job["folder"], "results"), os.O_CREAT | os.O_EXCL | os.O_RDWR)
    pipes = {name: os.pipe() for name in ("told", "reports", "guard", "printed")}
    pid = os.fork()
    if not pid:
        for handle in [*private, *(ends[0] for ends in pipes.values())]:
            os.close(handle)
        _guard(job, {name: ends[1] for name, ends in pipes.items()}, results)
    os.close(results)
    for ends in pipes.values():
        os.close(ends[1])
    heard, why, peak = _listen(pid, {name: ends[0] for name, ends in pipes.items()}, job)
    os.waitpid(pid, 0)
    guard = [json.loads(line) for line in heard["guard"].splitlines()]
    return {
        "told": list(_objects(heard["told"])),
        "reports": list(_objects(heard["reports"])),
        "printed": heard["printed"].decode(errors="replace")[-4000:],
        "layers": guard[0] if guard else {"has": [], "missing": ["all: the child did not begin"]},
        "status": guard[1] if len(guard) > 1 else None,
        "why": why,
        "peak": peak,
    }


def _objects(text: bytes) -> Iterable[dict[str, Any]]:
    """The objects of lines that a candidate may have written, too: what is none is left out."""
    for line in text.splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            if isinstance(one := json.loads(line, parse_constant=no_number), dict):
                yield one


def _listen(pid: int, handles: dict[str, int], job: dict[str, Any]) -> tuple[dict[str, bytes], str, int]:
    """Read what comes until all have closed their ends; ends the child that takes too long, or too much memory."""
    heard, open_, why, peak = dict.fromkeys(handles, b""), {h: n for n, h in handles.items()}, "", 0
    until = time.monotonic() + job["timeout"]
    while open_:
        for handle in select.select(list(open_), [], [], _LEFT)[0]:
            part = os.read(handle, 1 << 16)
            if not part:
                os.close(handle)
                del open_[handle]
            elif len(heard[open_[handle]]) < 4 << 20:  # a candidate that prints without end is not kept
                heard[open_[handle]] += part
        peak = max(peak, _memory(pid, job["memory"]))
        late = time.monotonic() > until
        if not why and (late or peak > job["memory"]):
            why = "timeout" if late else "memory"
            _end(pid)
            until = time.monotonic() + 2
        elif why and late:
            break  # a process that has left its group, where there are no namespaces
    for handle in open_:
        os.close(handle)
    return heard, why, peak


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _memory(pid: int, most: int) -> int:
    """The bytes that a process and all below it take, at least to within those that they share, if that is not more than `most`.

    What the kernel counts in passing has pages as a process's own that it has inherited and not changed; only where that is too much
    it is asked to count each page by its part.
    """
    total = _below(pid, _resident)
    return total if total <= most else _below(pid, _part)


def _below(pid: int, count: Callable[[int], int]) -> int:
    """The sum over a process and all below it; one that has ended has nothing."""
    total = 0
    try:
        total = count(pid)
        for task in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{task}/children") as file:
                total += sum(_below(int(one), count) for one in file.read().split())
    except (OSError, IndexError):
        pass
    return total


def _resident(pid: int) -> int:
    with open(f"/proc/{pid}/statm") as file:
        fields = file.read().split()
    return (int(fields[1]) - int(fields[2])) * os.sysconf("SC_PAGESIZE")


def _part(pid: int) -> int:
    try:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            return sum(int(line.split()[1]) << 10 for line in file if line.startswith("Pss_Anon:"))
    except PermissionError:
        return _resident(pid)


def _guard(job: dict[str, Any], handles: dict[str, int], results: int) -> None:
    """The first process behind a fork; it never returns."""
    try:
        os.setpgid(0, 0)
        sandbox.die_with_parent()
        layers = sandbox.Layers()
        scratch = os.path.join(job["folder"], "scratch")
        sandbox.separate(layers, scratch)
        first = os.fork()
        if not first:
            sandbox.die_with_parent()
            _first(job, handles, results, layers, scratch)
        for handle in handles.values():
            os.close(handle)
        os.waitpid(first, 0)
    finally:
        os._exit(0)


def _first(job: dict[str, Any], handles: dict[str, int], results: int, layers: sandbox.Layers, scratch: str) -> None:
    """Number 1 of its namespace: waits for the candidate's process, and ends all others by ending."""
    guard = handles.pop("guard")
    candidate = os.fork()
    if not candidate:
        sandbox.die_with_parent()
        _candidate(job, handles, results, layers, scratch, guard)
    for handle in (*handles.values(), results):
        os.close(handle)
    while True:
        pid, status = os.wait()
        if pid == candidate:
            break
    signalled = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    os.write(guard, json.dumps({"signal": signalled, "exit": 0 if signalled else os.WEXITSTATUS(status)}).encode() + b"\n")
    os._exit(0)


def _candidate(job: dict[str, Any], handles: dict[str, int], results: int, layers: sandbox.Layers, scratch: str, guard: int) -> None:
    """The process of the candidate; it never returns."""
    status = 1
    try:
        null = os.open(os.devnull, os.O_RDONLY)
        for old, new in ((null, 0), (handles["printed"], 1), (handles["printed"], 2)):
            os.dup2(old, new)
        os.environ.update(job["environment"], PTXVM_REPORT=f"/proc/self/fd/{handles['reports']}", PTXVM_QUIET="1")
        os.environ["PTXVM_STATS"] = "sectors" if job["environment"]["PTXVM_SANITIZE"] else "1"  # sanitizers are told of accesses in any case
        os.environ.update(TMPDIR=scratch, HOME=scratch, NUMBA_CACHE_DIR=scratch)
        os.environ.update(TRITON_CACHE_DIR=os.path.join(scratch, "triton"), TORCH_EXTENSIONS_DIR=os.path.join(scratch, "extensions"))
        tempfile.tempdir = None
        os.chdir(scratch)
        sandbox.limit(int(job["timeout"]) + 1)
        sandbox.confine(layers, _readable(job), scratch)
        os.write(guard, json.dumps({"has": layers.has, "missing": layers.missing}).encode() + b"\n")
        os.close(guard)
        if job["confined"] and layers.missing:
            return
        libc = ctypes.CDLL(None)
        libc.on_exit(libc._exit, None)  # runs behind ptxvm's handler, and in place of all that libraries clean up, with threads or without
        status = child.serve(job, handles["told"], results)
        libc.exit(status)  # has ptxvm write what kernels have executed; Python's own end is the parent's
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _readable(job: dict[str, Any]) -> list[str]:
    """What programs and libraries need, installed packages, and the candidate's own folder; no home, no other job, not the reference."""
    own = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    paths = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/alternatives", "/proc", "/sys/devices/system/cpu", job["folder"], own]
    paths += [sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(), os.environ["PTXVM_EXEC"], os.environ.get("PTXVM", "")]
    paths += [os.environ.get("CUDA_HOME", ""), os.environ.get("CUDA_PATH", "")]  # the compiler of load_inline
    return [path for path in (*paths, *_packages()) if path]


def _packages() -> list[str]:
    """Where packages lie that are not the interpreter's own: the user's, those of other folders that are imported already."""
    folders = [path for path in sys.path if os.path.basename(path) in ("site-packages", "dist-packages")]
    imported = [path for name, module in list(sys.modules.items()) if "." not in name for path in getattr(module, "__path__", ())]
    return [path for path in dict.fromkeys(folders + imported) if not path.startswith(sys.prefix + os.sep)]


if __name__ == "__main__":
    main()
