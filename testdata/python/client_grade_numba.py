"""Candidates in numba: their arrays have __cuda_array_interface__."""
import pathlib
import tempfile

from ptxvm.grading import Grader

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
CANDIDATE = """
from numba import cuda


@cuda.jit
def scale(x, n, out):
    i = cuda.grid(1)
    if i < n:
        out[i] = 3 * x[i]


def run(x, n, out):
    scale[(n + 127) // 128, 128](x, n, out)
"""

with tempfile.TemporaryDirectory() as folder, Grader() as grader:
    for text, verdict in ((CANDIDATE, "ok"), (CANDIDATE.replace("3 *", "2 *"), "wrong"), (CANDIDATE.replace("if i < n", "if i <= n"), "fault")):
        candidate = pathlib.Path(folder) / "candidate.py"
        candidate.write_text(text)
        told = grader.grade(candidate, GRADE / "scale.py", timeout=120, trials=2)
        assert told.verdict == verdict, told
print("PASSED")
