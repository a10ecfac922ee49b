"""Our own Triton kernels; compile.py turns them into PTX.

Reductions name their own combining functions, so that line information stays in this file.
"""

import triton
import triton.language as tl


@triton.jit
def plus(a, b):
    return a + b


@triton.jit
def larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def vecadd(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax(x, out, columns, stride, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=-float("inf"))
    e = tl.exp(v - tl.reduce(v, 0, larger))
    tl.store(out + row * stride + at, e / tl.reduce(e, 0, plus), mask=inside)


@triton.jit
def layernorm(x, weight, bias, out, columns, stride, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=0.0)
    mean = tl.reduce(v, 0, plus) / columns
    d = tl.where(inside, v - mean, 0.0)
    variance = tl.reduce(d * d, 0, plus) / columns
    y = d / tl.sqrt_rn(variance + epsilon)
    y = y * tl.load(weight + at, mask=inside, other=0.0) + tl.load(bias + at, mask=inside, other=0.0)
    tl.store(out + row * stride + at, y, mask=inside)


@triton.jit
def matmul(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    at = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=tl.float32)
    for step in tl.range(0, k, K, num_stages=3):
        x = tl.load(a + rows[:, None] * k + (step + at)[None, :], mask=rows[:, None] < m, other=0.0)
        y = tl.load(b + (step + at)[:, None] * n + columns[None, :], mask=columns[None, :] < n, other=0.0)
        total = tl.dot(x, y, total)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16), mask=inside)


@triton.jit
def attention(q, k, v, out, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Rows of softmax(scale * q k^T) v, by tiles of N keys."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    at = tl.arange(0, D)
    x = tl.load(q + rows[:, None] * D + at[None, :], mask=rows[:, None] < length, other=0.0)
    top = tl.full((M,), -1e30, dtype=tl.float32)
    weight = tl.zeros((M,), dtype=tl.float32)
    total = tl.zeros((M, D), dtype=tl.float32)
    for start in tl.range(0, length, N, num_stages=2):
        keys = start + tl.arange(0, N)
        y = tl.load(k + keys[None, :] * D + at[:, None], mask=keys[None, :] < length, other=0.0)
        s = tl.where(keys[None, :] < length, tl.dot(x, y) * scale, -1e30)
        higher = tl.maximum(top, tl.reduce(s, 1, larger))
        p = tl.exp(s - higher[:, None])
        fade = tl.exp(top - higher)
        weight = weight * fade + tl.reduce(p, 1, plus)
        z = tl.load(v + keys[:, None] * D + at[None, :], mask=keys[:, None] < length, other=0.0)
        total = tl.dot(p.to(tl.float16), z, total * fade[:, None])
        top = higher
    tl.store(out + rows[:, None] * D + at[None, :], total / weight[:, None], mask=rows[:, None] < length)
