"""Candidates that use PyTorch: tensors as arguments, with strides; operators counted, and forbidden."""
import json
import pathlib
import tempfile

import jsonschema

from ptxvm.grading import Grader, schema

GRADE = pathlib.Path(__file__).resolve().parent.parent / "grade"
judged = jsonschema.Draft202012Validator(schema())

TRITON = """
import torch
import triton
import triton.language as tl


@triton.jit
def softmax(x, out, columns, sx, sy, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * sx + i * sy, mask=i < columns, other=-float("inf"))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * columns + i, e / tl.sum(e, axis=0), mask=i < columns)


def run(x, out):
    assert isinstance(x, torch.Tensor) and x.is_cuda and x.stride() == STRIDES(x), x.stride()
    rows, columns = x.shape
    softmax[(rows,)](x, out, columns, *x.stride(), BLOCK=triton.next_power_of_2(columns))
"""
OPERATORS = """
import torch


def run(x, out):
    torch.softmax(x, -1, out=out)
"""
COMPILED = """
import torch


@torch.compile
def softmax(x):
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def run(x, out):
    out.copy_(softmax(x))
"""
BESIDE = TRITON + """
    out.copy_(torch.softmax(x, -1))
"""


def graded(grader, folder, text, **options):
    candidate = pathlib.Path(folder) / "candidate.py"
    candidate.write_text(text)
    verdict = grader.grade(candidate, GRADE / "softmax.py", timeout=300, **options)
    judged.validate(json.loads(verdict.json()))
    return verdict


with tempfile.TemporaryDirectory() as folder, Grader() as grader:
    rows = TRITON.replace("STRIDES(x)", "(x.shape[1], 1)")
    verdict = graded(grader, folder, rows)
    assert verdict and verdict.launches[0]["launches"] == 7 and not verdict.operators, verdict.json()
    columns = {"arguments": [{"shape": [5, "n"], "strides": [1, 5]}], "sizes": [33, 100]}
    verdict = graded(grader, folder, TRITON.replace("STRIDES(x)", "(1, 5)"), inputs=columns, trials=2)
    assert verdict, verdict.json()
    verdict = graded(grader, folder, OPERATORS, trials=1)
    assert verdict.verdict == "cheat" and verdict.message == "no kernel was launched", verdict.json()
    assert [one["calls"] for one in verdict.operators if "softmax" in one["operator"]] == [3], verdict.operators
    verdict = graded(grader, folder, BESIDE.replace("STRIDES(x)", "(x.shape[1], 1)"), trials=1, forbid=["aten::*softmax*"])
    assert verdict.verdict == "cheat" and "softmax, which is forbidden" in verdict.message, verdict.json()
    verdict = graded(grader, folder, BESIDE.replace("STRIDES(x)", "(x.shape[1], 1)"), trials=1, forbid=["torch.softmax"])
    assert verdict.verdict == "cheat" and "torch.softmax, which is forbidden" in verdict.message, verdict.json()
    verdict = graded(grader, folder, COMPILED, trials=1)
    assert verdict and verdict.launches[0]["launches"] == 3, verdict.json()
print("PASSED")
