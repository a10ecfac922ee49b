"""How many verdicts a minute two processors give, by what each takes of them; beside them pytest on the same kernel.

    python testdata/python/grade_speed.py [N]

A kernel is new where its text has not been seen before; the sandbox keeps no cache, so that one that has been is compiled again, too.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import ptxvm
from ptxvm.grading import Grader

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
SOFTMAX = (GRADE / "softmax_triton.py").read_text()
TESTS = (
    SOFTMAX
    + '''

import pytest
import torch


@pytest.mark.parametrize("number", range({count}))
@pytest.mark.parametrize("n", (257, 1, 128, 31, 1009, 257, 257))
def test_softmax(n, number):
    x = torch.randn(5, n, device="cuda")
    out = torch.empty_like(x)
    run(x, out)
    torch.testing.assert_close(out, torch.softmax(x, -1))
'''
)


def processors():
    """The seconds that this process, and those that it has waited for, had of processors."""
    return sum(u.ru_utime + u.ru_stime for u in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


def graded(folder, count, **options):
    """The seconds of processors of a verdict, without the start of the warm parent; and the most memory of one beyond its parent's."""
    took = []
    for some in (1, count + 1):  # the start is in both
        before = processors()
        with Grader() as grader:
            for number in range(some):
                candidate = folder / "softmax.py"
                candidate.write_text(SOFTMAX.replace("tl.exp(v", f"tl.exp({number}.0 + v - {number}.0"))
                verdict = grader.grade(candidate, GRADE / "softmax.py", timeout=300, **options)
                assert verdict, verdict
        took.append(processors() - before)
    return (took[1] - took[0]) / count


def tested(folder, count):
    """The seconds of processors of pytest for as many launches as a verdict has."""
    took = []
    for some in (1, count + 1):
        (folder / "test_softmax.py").write_text(TESTS.format(count=some))
        before = processors()
        done = subprocess.run([ptxvm.binary(), "pytest", "--", "-q", "-p", "no:cacheprovider", str(folder)], stdout=subprocess.PIPE, text=True)
        assert done.returncode == 0, done.stdout
        took.append(processors() - before)
    return (took[1] - took[0]) / count, took[0]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for sanitize in "", "mem,race,sync":
            one = graded(folder, count, sanitize=sanitize)
            print(json.dumps({"what": f"a new kernel in Triton, {sanitize or 'bounds'}", "seconds": round(one, 3), "a minute on two": round(120 / one)}), flush=True)
        one, start = tested(folder, max(count // 10, 1))
        print(json.dumps({"what": "pytest, the same seven launches against torch.softmax", "seconds": round(one, 3), "start": round(start, 1), "load": os.getloadavg()[0]}), flush=True)


main()
