"""Layer normalisation of rows of 512, in Triton; compiled without a GPU to ttnorm.ptx."""

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def ttnorm(x, weight, bias, out, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    row = tl.program_id(0) * BLOCK
    v = tl.load(x + row + at)
    centred = v - tl.sum(v, 0) / BLOCK
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / BLOCK + 1e-5)
    tl.store(out + row + at, centred * scale * tl.load(weight + at) + tl.load(bias + at))


ttnorm.file_name = "ttnorm.py"
signature = {"x": "*fp32", "weight": "*fp32", "bias": "*fp32", "out": "*fp32", "BLOCK": "constexpr"}
aligned = {(i,): [["tt.divisibility", 16]] for i in range(4)}
source = ASTSource(fn=ttnorm, signature=signature, constexprs={"BLOCK": 512}, attrs=aligned)
with open("ttnorm.ptx", "w") as ptx:
    ptx.write(triton.compile(source, target=GPUTarget("cuda", 80, 32), options={"num_warps": 4}).asm["ptx"])
