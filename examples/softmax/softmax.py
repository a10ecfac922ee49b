"""Softmax of each row, in Triton; compiled without a GPU.

    python3 softmax.py      writes softmax.ptx and softmax.json
"""

import json

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.reduce(v, 0, larger))
    tl.store(out + row * stride + at, e / tl.reduce(e, 0, plus), mask=inside)


def main():
    signature = {"x": "*fp32", "out": "*fp32", "columns": "i32", "stride": "i32", "BLOCK": "constexpr"}
    source = ASTSource(fn=softmax, signature=signature, constexprs={"BLOCK": 128})
    kernel = triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4})
    with open("softmax.ptx", "w") as ptx:
        ptx.write(kernel.asm["ptx"])
    needed = ["name", "shared", "num_warps", "num_ctas", "global_scratch_size", "profile_scratch_size"]
    with open("softmax.json", "w") as meta:
        json.dump({name: getattr(kernel.metadata, name) for name in needed}, meta, indent=2)
        meta.write("\n")


main()
