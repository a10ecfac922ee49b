"""Bias and ReLU with a residual, in Triton; compiled without a GPU to ttrelu.ptx."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def ttrelu(x, bias, residual, out, columns, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    v = tl.load(x + at, mask=inside) + tl.load(bias + at % columns, mask=inside)
    tl.store(out + at, tl.maximum(v, 0.0) + tl.load(residual + at, mask=inside), mask=inside)


ttrelu.file_name = "ttrelu.py"
signature = {"x": "*fp32", "bias": "*fp32", "residual": "*fp32", "out": "*fp32", "columns": "i32", "n": "i32", "BLOCK": "constexpr"}
aligned = {(i,): [["tt.divisibility", 16]] for i in range(4)}
source = ASTSource(fn=ttrelu, signature=signature, constexprs={"BLOCK": 512}, attrs=aligned)
with open("ttrelu.ptx", "w") as ptx:
    ptx.write(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
