#!/usr/bin/env python3
"""Compiles the kernels of kernels.py for sm_80 to NAME.sm_80.ptx and NAME.sm_80.json; needs Triton, no GPU.

    PYTHONPATH=PIP_TARGET compile.py [OUT [ARCH [KERNEL...]]]

The packages and their versions stand in .ci/requirements.txt. OUT is this folder unless it is given; ARCH is
another architecture, such as 90; of those this folder keeps all but vecadd and
softmax: `compile.py . 100 matmul attention …`. sm_80 has no products of e4m3.
"""

import json
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
os.chdir(HERE)
sys.path.insert(0, str(HERE))
ARCH = int(sys.argv[2]) if len(sys.argv) > 2 else 80
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TRITON_ALWAYS_COMPILE"] = "1"
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
sys.dont_write_bytecode = True

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

import kernels


def forget_folder(module):
    """Names each function's source file relative to this folder: debug data records the name and its folder."""
    for fn in vars(module).values():
        if isinstance(fn, triton.runtime.JITFunction):
            fn.file_name = "kernels.py"


forget_folder(kernels)

# Name of the module: the kernel is what is in front of the underscore. Signature, constants, warps, and how many leading parameters are multiples of 16 (which vectorises loads).
KERNELS = {
    "vecadd": (dict(x="*fp32", y="*fp32", out="*fp32", n="i32"), dict(BLOCK=1024), 4, 4),
    "softmax": (dict(x="*fp32", out="*fp32", columns="i32", stride="i32"), dict(BLOCK=512), 4, 0),
    "layernorm": (
        dict(x="*fp32", weight="*fp32", bias="*fp32", out="*fp32", columns="i32", stride="i32", epsilon="fp32"),
        dict(BLOCK=512),
        8,
        4,
    ),
    "matmul": (
        dict(a="*fp16", b="*fp16", c="*fp16", m="i32", n="i32", k="i32"),
        dict(M=64, N=64, K=32),
        4,
        6,
    ),
    "attention": (
        dict(q="*fp16", k="*fp16", v="*fp16", out="*fp32", length="i32", scale="fp32"),
        dict(M=64, N=32, D=64),
        4,
        4,
    ),
    "attentionback": (
        dict(
            q="*fp16", k="*fp16", v="*fp16", grad="*fp16", level="*fp32", delta="*fp32",
            dq="*fp32", dk="*fp32", dv="*fp32", length="i32", scale="fp32",
        ),
        dict(M=64, N=64, D=64),
        4,
        9,
    ),
    "rmsnorm": (
        dict(x="*fp16", weight="*fp32", out="*fp32", columns="i32", stride="i32", epsilon="fp32"),
        dict(BLOCK=512),
        4,
        3,
    ),
    "persistent": (
        dict(
            a="tensordesc<fp16[64, 64]>", b="tensordesc<fp16[64, 64]>", c="tensordesc<fp16[64, 64]>",
            m="i32", n="i32", k="i32",
        ),
        dict(M=64, N=64, K=64, GROUP=2, PROGRAMS=3),
        4,
        0,
    ),
}

for element, name in ("bf16", "bf16"), ("tf32", "fp32"), ("e4m3", "fp8e4nv"), ("s8", "i8"):
    total = "*i32" if element == "s8" else "*fp32"
    KERNELS["product_" + element] = (
        dict(a="*" + name, b="*" + name, c=total, m="i32", n="i32", k="i32"),
        dict(M=64, N=64, K=32 if element in ("bf16", "tf32") else 64),
        4,
        6,
    )


def build(name, signature, constants, warps, aligned):
    """Returns the PTX text and what a launcher must know."""
    types = dict(signature, **{k: "constexpr" for k in constants})
    attrs = {(i,): [["tt.divisibility", 16]] for i in range(aligned)}
    source = ASTSource(fn=getattr(kernels, name.split("_")[0]), signature=types, constexprs=constants, attrs=attrs)
    done = triton.compile(source, target=GPUTarget("cuda", ARCH, 32), options=dict(num_warps=warps))
    meta = {
        "name": done.metadata.name,
        "shared": done.metadata.shared,
        "num_warps": done.metadata.num_warps,
        "num_ctas": done.metadata.num_ctas,
        "global_scratch_size": done.metadata.global_scratch_size,
        "signature": signature,
        "constants": constants,
    }
    return done.asm["ptx"], meta


def main():
    out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else HERE)
    for name in sys.argv[3:] or [k for k in KERNELS if ARCH >= 89 or "e4m3" not in k]:
        signature, constants, warps, aligned = KERNELS[name]
        text, meta = build(name, signature, constants, warps, aligned)
        header = f"// triton {triton.__version__}: compile.py, kernel {name}, sm_{ARCH}, num_warps={warps}\n"
        (out / f"{name}.sm_{ARCH}.ptx").write_text(header + text)
        (out / f"{name}.sm_{ARCH}.json").write_text(json.dumps(meta, indent=2) + "\n")


main()
