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


@triton.jit
def rmsnorm(x, weight, out, columns, stride, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=0.0).to(tl.float32)
    root = tl.sqrt_rn(tl.reduce(v * v, 0, plus) / columns + epsilon)
    y = v / root * tl.load(weight + at, mask=inside, other=0.0)
    tl.store(out + row * stride + at, y, mask=inside)


@triton.jit
def product(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    """C = A B^T of any elements; C has 32 bits, and is of integers if A is."""
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    at = tl.arange(0, K)
    total = tl.zeros((M, N), dtype=c.dtype.element_ty)
    for step in tl.range(0, k, K, num_stages=3):
        x = tl.load(a + rows[:, None] * k + (step + at)[None, :], mask=rows[:, None] < m, other=0.0)
        y = tl.load(b + columns[None, :] * k + (step + at)[:, None], mask=columns[None, :] < n, other=0.0)
        total = tl.dot(x, y, total, out_dtype=c.dtype.element_ty)
    tl.store(c + rows[:, None] * n + columns[None, :], total, mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def persistent(a, b, c, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, GROUP: tl.constexpr, PROGRAMS: tl.constexpr):
    """C = A B^T by tensor descriptors: each program has tiles of C, those of GROUP rows of tiles after each other."""
    tall, wide = (m + M - 1) // M, (n + N - 1) // N
    for tile in tl.range(tl.program_id(0), tall * wide, PROGRAMS):
        group = tile // (GROUP * wide)
        height = tl.minimum(tall - group * GROUP, GROUP)
        row = (group * GROUP + tile % height) * M
        column = tile % (GROUP * wide) // height * N
        total = tl.zeros((M, N), dtype=tl.float32)
        for step in tl.range(0, k, K, num_stages=3):
            total = tl.dot(a.load([row, step]), b.load([column, step]).T, total)
        c.store([row, column], total.to(tl.float16))


@triton.jit
def attentionback(q, k, v, grad, level, delta, dq, dk, dv, length, scale, M: tl.constexpr, N: tl.constexpr, D: tl.constexpr):
    """Gradients of attention. level is the logarithm of the sum of a row's exponentials, delta the sum of out times grad."""
    at = tl.arange(0, D)
    keys = tl.program_id(0) * N + tl.arange(0, N)
    here = keys[:, None] < length
    y = tl.load(k + keys[:, None] * D + at[None, :], mask=here, other=0.0)
    z = tl.load(v + keys[:, None] * D + at[None, :], mask=here, other=0.0)
    sum_k = tl.zeros((N, D), dtype=tl.float32)
    sum_v = tl.zeros((N, D), dtype=tl.float32)
    for start in tl.range(0, length, M, num_stages=2):
        rows = start + tl.arange(0, M)
        there = rows < length
        x = tl.load(q + rows[:, None] * D + at[None, :], mask=there[:, None], other=0.0)
        g = tl.load(grad + rows[:, None] * D + at[None, :], mask=there[:, None], other=0.0)
        top = tl.load(level + rows, mask=there, other=0.0)
        less = tl.load(delta + rows, mask=there, other=0.0)
        p = tl.exp(tl.dot(y, x.T) * scale - top[None, :])
        p = tl.where(there[None, :], p, 0.0)
        sum_v = tl.dot(p.to(tl.float16), g, sum_v)
        s = p * (tl.dot(z, g.T) - less[None, :]) * scale
        sum_k = tl.dot(s.to(tl.float16), x, sum_k)
    tl.store(dk + keys[:, None] * D + at[None, :], sum_k, mask=here)
    tl.store(dv + keys[:, None] * D + at[None, :], sum_v, mask=here)

    rows = tl.program_id(0) * M + tl.arange(0, M)
    here = rows[:, None] < length
    x = tl.load(q + rows[:, None] * D + at[None, :], mask=here, other=0.0)
    g = tl.load(grad + rows[:, None] * D + at[None, :], mask=here, other=0.0)
    top = tl.load(level + rows, mask=rows < length, other=0.0)
    less = tl.load(delta + rows, mask=rows < length, other=0.0)
    sum_q = tl.zeros((M, D), dtype=tl.float32)
    for start in tl.range(0, length, N, num_stages=2):
        keys = start + tl.arange(0, N)
        there = keys < length
        y = tl.load(k + keys[:, None] * D + at[None, :], mask=there[:, None], other=0.0)
        z = tl.load(v + keys[:, None] * D + at[None, :], mask=there[:, None], other=0.0)
        p = tl.exp(tl.dot(x, y.T) * scale - top[:, None])
        p = tl.where(there[None, :], p, 0.0)
        s = p * (tl.dot(g, z.T) - less[:, None]) * scale
        sum_q = tl.dot(s.to(tl.float16), y, sum_q)
    tl.store(dq + rows[:, None] * D + at[None, :], sum_q, mask=here)
