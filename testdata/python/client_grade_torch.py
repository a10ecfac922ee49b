"""Candidates that use PyTorch: tensors as arguments, with strides; operators counted, and forbidden."""
import json
import os
import pathlib
import shutil
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
INLINE = """
import torch
from torch.utils.cpp_extension import load_inline

source = r'''
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

__global__ void softmax(const float *x, float *out, int columns) {
    const float *row = x + blockIdx.x * columns;
    float most = -INFINITY, sum = 0;
    for (int i = 0; i < columns; i++) most = fmaxf(most, row[i]);
    for (int i = 0; i < columns; i++) sum += expf(row[i] - most);
    for (int i = threadIdx.x; i < columns; i += blockDim.x) out[blockIdx.x * columns + i] = expf(row[i] - most) / sum;
}

void run(const torch::stable::Tensor &x, torch::stable::Tensor out) {
    softmax<<<x.size(0), 64>>>((const float *)x.data_ptr(), (float *)out.data_ptr(), x.size(1));
}

STABLE_TORCH_LIBRARY(candidate, m) { m.def("run(Tensor x, Tensor(a!) out) -> ()"); }
STABLE_TORCH_LIBRARY_IMPL(candidate, CUDA, m) { m.impl("run", TORCH_BOX(&run)); }
'''
load_inline("candidate", "", source, no_implicit_headers=True, is_python_module=False, extra_cuda_cflags=["-gencode=arch=compute_90,code=compute_90"])


def run(x, out):
    torch.ops.candidate.run(x, out)
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
    if "CUDA_HOME" in os.environ or shutil.which("nvcc"):
        verdict = graded(grader, folder, INLINE)
        assert verdict and verdict.launches[0]["launches"] == 7, verdict.json()
        broken = INLINE.replace("i += blockDim.x", "i += blockDim.y")
        verdict = graded(grader, folder, broken, trials=1)
        assert verdict.verdict == "race", verdict.json()
        verdict = graded(grader, folder, INLINE.replace("int columns)", "int column)"), trials=1)
        assert verdict.verdict == "no_build" and 'identifier "columns" is undefined' in verdict.message, verdict.json()
    else:
        print("load_inline is NOT TRIED: there is no nvcc")
print("PASSED")
