#!/usr/bin/env python3
"""Compiles Triton kernels of many kinds to OUT/NAME.sm_ARCH.ptx; needs Triton, no GPU.

    PYTHONPATH=PIP_TARGET kernels.py OUT ARCH

They are here for the instructions that Triton makes of them on each architecture: what they compute is
of no account, and their PTX is not kept. A row names the first architecture that its kernel is compiled for.
"""

import os
import pathlib
import sys
import tempfile

ARCH = int(sys.argv[2])
os.environ["TRITON_CACHE_DIR"] = tempfile.mkdtemp()
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
sys.dont_write_bytecode = True

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, OUT: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    left = a + rows[:, None] * k + depth[None, :]
    right = b + depth[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), tl.int32 if OUT == tl.int32 else tl.float32)
    for i in range(0, k, K):
        x = tl.load(left, mask=depth[None, :] < k - i)
        y = tl.load(right, mask=depth[:, None] < k - i)
        total = tl.dot(x, y, total)
        left += K
        right += K * n
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(OUT), mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def tensors(a, b, c, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for i in tl.range(0, k, K, num_stages=3, warp_specialize=False):
        total = tl.dot(a.load([row, i]), b.load([i, column]), total)
    c.store([row, column], total.to(tl.float16))


@triton.jit
def described(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [m, k], [k, 1], [M, K])
    right = tl.make_tensor_descriptor(b, [n, k], [k, 1], [N, K])
    out = tl.make_tensor_descriptor(c, [m, n], [n, 1], [M, N])
    row, column = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), tl.float32)
    for i in range(0, k, K):
        total = tl.dot(left.load([row, i]), right.load([column, i]).T, total)
    out.store([row, column], total.to(tl.bfloat16))


@triton.jit
def scaled(a, sa, b, sb, c, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, AF: tl.constexpr, BF: tl.constexpr, AP: tl.constexpr, BP: tl.constexpr):
    rows, columns = tl.arange(0, M), tl.arange(0, N)
    left = tl.load(a + rows[:, None] * (K // AP) + tl.arange(0, K // AP)[None, :])
    right = tl.load(b + tl.arange(0, K // BP)[:, None] * N + columns[None, :])
    blocks = tl.arange(0, K // 32)
    ls = tl.load(sa + rows[:, None] * (K // 32) + blocks[None, :])
    rs = tl.load(sb + columns[:, None] * (K // 32) + blocks[None, :])
    total = tl.dot_scaled(left, ls, AF, right, rs, BF)
    tl.store(c + rows[:, None] * N + columns[None, :], total)


@triton.jit
def attention(q, k, v, out, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    base = tl.program_id(1) * length * D
    lanes = tl.arange(0, D)
    queries = tl.load(q + base + rows[:, None] * D + lanes[None, :])
    best = tl.full((M,), float("-inf"), tl.float32)
    norm = tl.zeros((M,), tl.float32)
    total = tl.zeros((M, D), tl.float32)
    for start in range(0, length, N):
        columns = start + tl.arange(0, N)
        keys = tl.load(k + base + columns[None, :] * D + lanes[:, None])
        s = tl.dot(queries, keys) * scale
        if CAUSAL:
            s = tl.where(rows[:, None] >= columns[None, :], s, float("-inf"))
        top = tl.maximum(best, tl.max(s, 1))
        p = tl.exp2(s - top[:, None])
        shrink = tl.exp2(best - top)
        norm = norm * shrink + tl.sum(p, 1)
        values = tl.load(v + base + columns[:, None] * D + lanes[None, :])
        total = tl.dot(p.to(values.dtype), values, total * shrink[:, None])
        best = top
    tl.store(out + base + rows[:, None] * D + lanes[None, :], (total / norm[:, None]).to(queries.dtype))


@triton.jit
def atomics(x, sums, counts, locks, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0.0)
    bucket = (i % 7).to(tl.int32)
    tl.atomic_add(sums + bucket, v, mask=i < n, sem="relaxed", scope="gpu")
    tl.atomic_max(counts + bucket, bucket, mask=i < n)
    tl.atomic_xor(counts + 8 + bucket, bucket, mask=i < n, sem="acq_rel")
    tl.atomic_min(sums + 8 + bucket, v, mask=i < n)
    while tl.atomic_cas(locks, 0, 1, sem="acquire", scope="sys") == 1:
        pass
    tl.store(sums + 16, tl.load(sums + 16, cache_modifier=".cv") + tl.sum(v))
    tl.debug_barrier()
    tl.atomic_xchg(locks, 0, sem="release")


@triton.jit
def halves(x, sums, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(sums + i % 5, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def combine(a, b):
    return a * 3 + b


@triton.jit
def scans(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, other=0)
    tl.store(out + i, tl.cumsum(v, 0))
    tl.store(out + BLOCK + i, tl.associative_scan(v, 0, combine))
    tl.store(out + 2 * BLOCK + i, tl.cumprod(v, 0, reverse=True))
    tl.store(out + 3 * BLOCK, tl.reduce(v, 0, combine))
    tl.store(out + 3 * BLOCK + 1, tl.argmax(v, 0))
    tl.store(out + 3 * BLOCK + 2, tl.xor_sum(v, 0))


@triton.jit
def sorts(x, out, counts, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(out + i, tl.sort(v, descending=True))
    tl.store(counts + tl.arange(0, 64), tl.histogram(v & 63, 64))
    tl.store(out + BLOCK + i, tl.flip(v, 0))
    tl.store(out + 2 * BLOCK + i, tl.gather(v, (i * 5) % BLOCK, 0))


@triton.jit
def functions(x, out, seed, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n, eviction_policy="evict_first")
    y = tl.sin(v) + tl.cos(v) * tl.exp(v) - tl.log(tl.abs(v)) + tl.sqrt_rn(v) + tl.rsqrt(v) + tl.erf(v)
    y = tl.fma(y, v, tl.div_rn(v, y)) + tl.floor(v) - tl.ceil(y) + tl.sigmoid(v) + tl.clamp(v, -1.0, 1.0)
    y += tl.rand(seed, i) + tl.randn(seed, i) + tl.umulhi(i, i).to(tl.float32)
    tl.store(out + i, y, mask=i < n, cache_modifier=".cs")
    tl.device_assert(seed >= 0, "a seed is not negative")
    tl.device_print("first", seed)


@triton.jit
def narrow(x, e4, e5, b, h, i8, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    v = tl.load(x + i, mask=i < n)
    tl.store(e4 + i, v.to(tl.float8e4nv), mask=i < n)
    tl.store(e5 + i, v.to(tl.float8e5, fp_downcast_rounding="rtne"), mask=i < n)
    tl.store(b + i, (v.to(tl.bfloat16) * 3).to(tl.bfloat16), mask=i < n)
    tl.store(h + i, tl.load(e5 + i).to(tl.float16) + tl.load(e4 + i).to(tl.float16), mask=i < n)
    tl.store(i8 + i, v.to(tl.int8, bitcast=False), mask=i < n)


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    tl.store(out + row * stride + i, tl.softmax(v.to(tl.float32)).to(tl.float16), mask=i < columns)


@triton.jit
def layernorm(x, w, b, out, columns, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * columns + i, mask=i < columns, other=0.0).to(tl.float32)
    mean = tl.sum(v, 0) / columns
    d = tl.where(i < columns, v - mean, 0.0)
    y = d / tl.sqrt(tl.sum(d * d, 0) / columns + eps) * tl.load(w + i, mask=i < columns) + tl.load(b + i, mask=i < columns)
    tl.store(out + row * columns + i, y, mask=i < columns)


def matmuls():
    for name, kind, out, depth, first in [
        ("fp16", "*fp16", tl.float16, 32, 80), ("bf16", "*bf16", tl.float32, 64, 80), ("fp32", "*fp32", tl.float32, 32, 80),
        ("i8", "*i8", tl.int32, 64, 80), ("e4m3", "*fp8e4nv", tl.float32, 64, 90), ("e5m2", "*fp8e5", tl.float16, 64, 90),
    ]:
        target = "*i32" if out == tl.int32 else "*fp32" if out == tl.float32 else "*fp16"
        yield "matmul_" + name, matmul, dict(a=kind, b=kind, c=target, m="i32", n="i32", k="i32"), dict(M=128, N=128, K=depth, OUT=out), 4, first
    yield "matmul_wide", matmul, dict(a="*fp16", b="*fp16", c="*fp16", m="i32", n="i32", k="i32"), dict(M=64, N=256, K=64, OUT=tl.float16), 8, 80


FLOATS = dict(x="*fp32", out="*fp32")

# Name, function, signature, constants, warps, first architecture.
KERNELS = [
    *matmuls(),
    ("tensors", tensors, dict(a="tensordesc<fp16[128,64]>", b="tensordesc<fp16[64,128]>", c="tensordesc<fp16[128,128]>", k="i32"), dict(M=128, N=128, K=64), 4, 90),
    ("tensors8", tensors, dict(a="tensordesc<fp16[128,64]>", b="tensordesc<fp16[64,256]>", c="tensordesc<fp16[128,256]>", k="i32"), dict(M=128, N=256, K=64), 8, 90),
    ("described", described, dict(a="*bf16", b="*bf16", c="*bf16", m="i32", n="i32", k="i32"), dict(M=128, N=64, K=64), 4, 90),
    ("scaled_mxfp8", scaled, dict(a="*fp8e4nv", sa="*u8", b="*fp8e5", sb="*u8", c="*fp32"), dict(M=128, N=128, K=128, AF="e4m3", BF="e5m2", AP=1, BP=1), 4, 90),
    ("scaled_mxfp4", scaled, dict(a="*u8", sa="*u8", b="*u8", sb="*u8", c="*fp32"), dict(M=128, N=128, K=128, AF="e2m1", BF="e2m1", AP=2, BP=2), 4, 90),
    ("attention", attention, dict(q="*fp16", k="*fp16", v="*fp16", out="*fp16", length="i32", scale="fp32"), dict(M=64, N=64, D=64, CAUSAL=False), 4, 80),
    ("attention_causal", attention, dict(q="*bf16", k="*bf16", v="*bf16", out="*bf16", length="i32", scale="fp32"), dict(M=128, N=64, D=128, CAUSAL=True), 8, 80),
    ("atomics", atomics, dict(x="*fp32", sums="*fp32", counts="*i32", locks="*i32", n="i32"), dict(BLOCK=512), 4, 80),
    ("halves_f16", halves, dict(x="*fp16", sums="*fp16", n="i32"), dict(BLOCK=512), 4, 80),
    ("halves_bf16", halves, dict(x="*bf16", sums="*bf16", n="i32"), dict(BLOCK=512), 4, 90),
    ("scans", scans, dict(x="*i32", out="*i32", n="i32"), dict(BLOCK=1024), 4, 80),
    ("sorts", sorts, dict(x="*i32", out="*i32", counts="*i32"), dict(BLOCK=1024), 4, 80),
    ("functions", functions, dict(FLOATS, seed="i32", n="i32"), dict(BLOCK=256), 4, 80),
    ("narrow", narrow, dict(x="*fp32", e4="*fp8e4nv", e5="*fp8e5", b="*bf16", h="*fp16", i8="*i8", n="i32"), dict(BLOCK=512), 4, 90),
    ("softmax", softmax, dict(x="*fp16", out="*fp16", columns="i32", stride="i32"), dict(BLOCK=2048), 8, 80),
    ("layernorm", layernorm, dict(x="*bf16", w="*fp32", b="*fp32", out="*fp32", columns="i32", eps="fp32"), dict(BLOCK=1024), 4, 80),
]


def main():
    out = pathlib.Path(sys.argv[1])
    for name, fn, signature, constants, warps, first in KERNELS:
        if ARCH < first:
            continue
        types = dict(signature, **{k: "constexpr" for k in constants})
        attrs = {(i,): [["tt.divisibility", 16]] for i, t in enumerate(signature.values()) if t != "fp32" and not t.startswith("tensordesc")}
        source = ASTSource(fn=fn, signature=types, constexprs=constants, attrs=attrs)
        done = triton.compile(source, target=GPUTarget("cuda", ARCH, 32), options=dict(num_warps=warps))
        (out / f"{name}.sm_{ARCH}.ptx").write_text(done.asm["ptx"])


main()
