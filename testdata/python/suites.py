"""Public suites of Triton kernels on ptxvm, as their authors ship them in source packages: which tests pass, fail, are refused.

    python testdata/python/suites.py [--sample N] [--seed S] [--only TEXT] [--keep DIR] [SUITE…]

It takes a Python with torch and pytest (`.ci/python DIR torch` makes DIR-torch) and the command ptxvm, which $PTXVM may name. What the
suites need beside goes to DIR, as does all else. Of each file of a suite N tests are drawn by the seed; 0 takes all. Each test runs in a
process of its own, and what failed is printed with its reason. Ends with 1 if a test failed.
"""
import argparse
import collections
import dataclasses
import os
import pathlib
import random
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree

import ptxvm


@dataclasses.dataclass
class Suite:
    """A source package with tests. sources: folders that Python imports from; left: files of tests that are of other things."""

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
    "conch": Suite("conch-triton-kernels==1.3", ["tests"], ["."], ["einops==0.8.2"]),
    "adasplash": Suite("adasplash==0.2.2", ["tests"], ["."], ["entmax==1.3"], left="test_public_api"),
    "flash-colsum": Suite("flash-colsum==0.1.0", ["tests"], ["."], [], left="test_benchmarks"),
}

#: What an error says where PyTorch, or one of NVIDIA's libraries, cannot run here; no kernel has computed then.
REFUSED = re.compile(r"has no CPU kernel|machine code without PTX|no PTX|CUBLAS_STATUS|not supported \(801\)|cannot make a tensor in a graph")


def fetched(suite: Suite, folder: pathlib.Path) -> pathlib.Path:
    """The unpacked source package."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    if not list(folder.glob("*.tar.gz")):
        subprocess.run([*pip, "download", "--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--dest", folder, suite.requirement], check=True)
        if suite.needs:
            subprocess.run([*pip, "install", "--target", folder / "needs", "--no-deps", *suite.needs], check=True)
        with tarfile.open(next(folder.glob("*.tar.gz"))) as file:
            file.extractall(folder, filter="data")
    return next(one for one in folder.iterdir() if one.is_dir() and one.name != "needs")


def pytest(suite: Suite, root: pathlib.Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on ptxvm in the package's folder."""
    path = os.pathsep.join([*(str(root / one) for one in suite.sources), str(root.parent / "needs")])
    environment = {**os.environ, "PYTHONPATH": path, "HF_HUB_OFFLINE": "1", "TRITON_CACHE_DIR": str(root.parent / "triton")}
    command = [ptxvm.binary(), "exec", sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def drawn(suite: Suite, root: pathlib.Path, sample: int, seed: int, only: str) -> tuple[list[str], int]:
    """The tests to run, and how many there are."""
    told = pytest(suite, root, "--collect-only", "-q", "--continue-on-collection-errors", *suite.tests).stdout
    for line in told.splitlines():
        if line.startswith("ERROR"):
            print("not collected:", line)
    found = collections.defaultdict(list)
    for line in told.splitlines():
        if "::" in line and not line.startswith("ERROR") and not (suite.left and re.search(suite.left, line)) and only in line:
            found[line.split("::")[0]].append(line)
    draw = random.Random(seed)
    chosen = [name for names in found.values() for name in (draw.sample(names, min(sample, len(names))) if sample else names)]
    return chosen, sum(map(len, found.values()))


def outcome(case: xml.etree.ElementTree.Element) -> tuple[str, str]:
    """What became of a test, and why."""
    for kind in ("failure", "error"):
        if (found := case.find(kind)) is not None:
            text = (found.get("message") or "") + "\n" + (found.text or "")
            reason = next((line for line in text.splitlines() if line.strip()), "")
            return ("refused" if REFUSED.search(text) else "failed"), reason[:300]
    if (found := case.find("skipped")) is not None:
        return "skipped", (found.get("message") or "")[:300]
    return "passed", ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=", ".join(SUITES))
    parser.add_argument("--sample", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="")
    parser.add_argument("--timeout", type=int, default=900, help="seconds for a test")
    parser.add_argument("--keep", metavar="DIR", type=pathlib.Path)
    asked = parser.parse_args()
    table: dict[str, collections.Counter[str]] = {}
    with tempfile.TemporaryDirectory() as temporary:
        for name in asked.suites or SUITES:
            suite, folder = SUITES[name], (asked.keep or pathlib.Path(temporary)).absolute() / name
            folder.mkdir(parents=True, exist_ok=True)
            root = fetched(suite, folder)
            chosen, all_ = drawn(suite, root, asked.sample, asked.seed, asked.only)
            (folder / "chosen").write_text("\n".join(chosen))
            done = pytest(suite, root, "-q", "-rN", "--tb=short", f"--ptxvm-timeout={asked.timeout}", f"--junit-xml={folder / 'results.xml'}", f"@{folder / 'chosen'}")
            (folder / "log").write_text(done.stdout)
            table[name] = counted = collections.Counter()
            for case in xml.etree.ElementTree.parse(folder / "results.xml").iter("testcase"):
                verdict, reason = outcome(case)
                counted[verdict] += 1
                if verdict != "passed":
                    print(f"{verdict}: {name}: {case.get('classname')}::{case.get('name')}: {reason}", flush=True)
            counts = ", ".join(f"{counted[one]} {one}" for one in ("passed", "failed", "refused", "skipped"))
            print(f"{name} ({suite.requirement}): {counts} of {len(chosen)} drawn from {all_} tests", flush=True)
    return 1 if any(counted["failed"] for counted in table.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
