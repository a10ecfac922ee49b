"""Public suites of Triton kernels on ptxvm, as their authors ship them in source packages: which tests pass, fail, are refused.

    python testdata/python/suites.py [--sample N] [--seed S] [--only TEXT] [--keep DIR] [--for SECONDS] [SUITE…]

It takes a Python with torch and pytest (`.ci/python DIR torch` makes DIR-torch) and the command ptxvm, which $PTXVM may name. What the
suites need beside goes to DIR, as does all else. The tests of each file come in an order that the seed draws, one of each file in turn;
--sample takes the first N of each file, 0 all. Each test runs in a process of its own, with limits of time and memory, and has a line in
DIR/SUITE/results.jsonl as soon as it has ended: the same command goes on where another one was stopped. What did not pass is printed with
its reason. Ends with 1 if a test failed.
"""
import argparse
import collections
import dataclasses
import itertools
import json
import os
import pathlib
import random
import re
import resource
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent

#: The variable that names the file of results, for the plug-in of pytest that this file is, too.
RESULTS = "PTXVM_SUITES_RESULTS"

#: Which tests run in one process of pytest: collecting them takes time, and memory that is kept.
BATCH = 200


@dataclasses.dataclass
class Suite:
    """A source package with tests.

    sources: folders that Python imports from; needs: what pip installs beside, with options; left: files of tests that are of other things.
    """

    requirement: str
    tests: list[str]
    sources: list[str]
    needs: list[str]
    left: str = ""


SUITES = {
    "liger": Suite(
        "liger-kernel==0.8.5",
        ["test/transformers", "test/chunked_loss"],
        ["src", "."],
        ["transformers==5.24.0"],
        # Of models of the Hub, of other compilers of kernels (CuTe, cuTile), of training in several processes.
        left=r"test_auto_model|test_monkey_patch|test_trainer_integration|test_transformers|test_tiled_mlp|cute|cutile",
    ),
    "conch": Suite("conch-triton-kernels==1.3", ["tests"], ["."], ["--no-deps", "einops==0.8.2"]),
    "adasplash": Suite("adasplash==0.2.2", ["tests"], ["."], ["--no-deps", "entmax==1.3"], left="test_public_api"),
    "flash-colsum": Suite("flash-colsum==0.1.0", ["tests"], ["."], [], left="test_benchmarks"),
}

#: What an error says where PyTorch, or one of NVIDIA's libraries, cannot run here; no kernel has computed then.
REFUSED = re.compile(r"has no CPU kernel|machine code without PTX|no PTX|CUBLAS_STATUS|not supported \(801\)|cannot make a tensor in a graph")

#: What one says that took more time, or memory, than it may.
STOPPED = re.compile(r"the test ran longer than|the test's process was ended by signal 9")

VERDICTS = ("passed", "failed", "refused", "stopped", "skipped")

_phases = collections.defaultdict(list)  # of tests that have not ended, their reports


def pytest_runtest_logreport(report):
    """A line for each test, in the process that pytest has been started as."""
    _phases[report.nodeid].append(report)
    if report.when != "teardown" or RESULTS not in os.environ:
        return
    phases = _phases.pop(report.nodeid)
    verdict, reason = outcome(phases)
    line = {"test": report.nodeid, "verdict": verdict, "reason": reason, "seconds": round(sum(one.duration for one in phases), 2)}
    with open(os.environ[RESULTS], "a") as file:
        file.write(json.dumps(line) + "\n")


def outcome(phases):
    """What became of a test, and why."""
    for report in phases:
        if report.failed:
            crash = getattr(report.longrepr, "reprcrash", None)
            text = crash.message if crash else report.longreprtext
            words = {"refused": REFUSED, "stopped": STOPPED}
            verdict = next((one for one, said in words.items() if said.search(report.longreprtext)), "failed")
            return verdict, " ".join(line.strip() for line in text.splitlines() if line.strip())[:300]
    for report in phases:
        if report.skipped:
            return "skipped", str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)[:300]
    return "passed", ""


def fetched(suite, folder):
    """The unpacked source package."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    if not (folder / "fetched").exists():
        subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", folder, suite.requirement], check=True)
        if suite.needs:
            subprocess.run([*pip, "install", "--upgrade", "--target", folder / "needs", *suite.needs], check=True)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as file:
            file.extractall(folder / "source", filter="data")
        (folder / "fetched").touch()
    return next((folder / "source").iterdir())


def pytest(suite, folder, root, *words):
    """Pytest on ptxvm in the package's folder, begun in a group of processes of its own."""
    import ptxvm

    path = os.pathsep.join([*(str(root / one) for one in suite.sources), str(folder / "needs"), str(HERE)])
    environment = {**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "TRITON_CACHE_DIR": str(folder / "triton"), RESULTS: str(folder / "results.jsonl")}
    command = [ptxvm.binary(), "exec", sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True)


def collected(suite, folder, root):
    """All tests, by file; once."""
    kept = folder / "collected.json"
    if not kept.exists():
        told = pytest(suite, folder, root, "--collect-only", "-q", "--continue-on-collection-errors", *suite.tests).communicate()[0]
        found = collections.defaultdict(list)
        for line in told.splitlines():
            if line.startswith("ERROR"):
                print("not collected:", line)
            elif "::" in line and not (suite.left and re.search(suite.left, line)):
                found[line.split("::")[0]].append(line)
        if not found:
            raise SystemExit(f"no test of {suite.requirement} can be collected:\n{told[-3000:]}")
        kept.write_text(json.dumps(found))
    return json.loads(kept.read_text())


def drawn(found, sample, seed):
    """The tests to run: of each file the first ones of an order that the seed draws, one of each file in turn."""
    draw = random.Random(seed)
    shuffled = [draw.sample(names, len(names)) for names in found.values()]
    rounds = itertools.zip_longest(*(names[: sample or None] for names in shuffled))
    return [name for names in rounds for name in names if name]


def results(folder):
    """The lines of all tests that have ended, by their names."""
    file = folder / "results.jsonl"
    lines = map(json.loads, file.read_text().splitlines()) if file.exists() else []
    return {line["test"]: line for line in lines}


def descendants(pid):
    """The processes below one, with their memory in bytes."""
    parents, memory = {}, {}
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(entry.name)], memory[int(entry.name)] = int(words[1]), int(words[21]) * resource.getpagesize()
    below = {pid}
    while more := {one for one, parent in parents.items() if parent in below} - below:
        below |= more
    return {one: memory[one] for one in below - {pid} if one in memory}


def watch(process, memory, ended):
    """End processes that hold more memory than they may: the test says that it was ended by signal 9."""
    while not ended.wait(0.2):
        for pid, held in descendants(process.pid).items():
            if held > memory:
                print(f"process {pid} holds {held >> 20} MiB, and is ended", flush=True)
                os.kill(pid, signal.SIGKILL)


def run(suite, folder, root, names, asked, until):
    """Run tests until a time."""
    (folder / "chosen").write_text("\n".join(names))
    process = pytest(suite, folder, root, "-q", "-rN", "--tb=short", "-p", "suites", f"--ptxvm-timeout={asked.timeout}", f"@{folder / 'chosen'}")
    ended = threading.Event()
    watcher = threading.Thread(target=watch, args=(process, asked.memory << 20, ended))
    watcher.start()
    try:
        told = process.communicate(timeout=max(until - time.monotonic(), 0) if until else None)[0]
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        os.killpg(process.pid, signal.SIGKILL)
        told = process.communicate()[0]
    ended.set()
    watcher.join()
    with open(folder / "log", "a") as file:
        file.write(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--sample", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="tests whose names have this in them")
    parser.add_argument("--again", action="store_true", help="run what did not pass again")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a test")
    parser.add_argument("--memory", type=int, default=6144, help="MiB for a process of a test")
    parser.add_argument("--for", dest="seconds", type=float, help="stop after so many seconds")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path)
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds if asked.seconds else None
    failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.suites or SUITES:
            folder = (asked.keep or pathlib.Path(temporary)).absolute() / name
            folder.mkdir(parents=True, exist_ok=True)
            failed += judged(name, SUITES[name], folder, asked, until)
    return 1 if failed else 0


def judged(name, suite, folder, asked, until):
    """Run a suite, print what came of it, and return how many tests failed."""
    root = fetched(suite, folder)
    found = collected(suite, folder, root)
    chosen = [test for test in drawn(found, asked.sample, asked.seed) if asked.only in test]
    before = results(folder)
    left = [test for test in chosen if test not in before or asked.again and before[test]["verdict"] != "passed"]
    for start in range(0, len(left), BATCH):
        if until is None or time.monotonic() < until:
            run(suite, folder, root, left[start : start + BATCH], asked, until)
    done = [line for test, line in results(folder).items() if test in set(chosen)]
    for line in done:
        if line["verdict"] != "passed":
            print(f"{line['verdict']}: {name}: {line['test']}: {line['reason']}", flush=True)
    counted = collections.Counter(line["verdict"] for line in done)
    counts = ", ".join(f"{counted[one]} {one}" for one in VERDICTS)
    took = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{name} ({suite.requirement}): {counts}; {len(done)} of {len(chosen)} tests, of {sum(map(len, found.values()))}; "
          f"{took.ru_utime + took.ru_stime:.0f} s of processors so far", flush=True)
    return counted["failed"]


if __name__ == "__main__":
    sys.exit(main())
