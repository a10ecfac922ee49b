"""Gluon, Triton's language of layouts, without torch: shared memory, asynchronous copies, products of warp groups; results by value."""
import numpy as np
import triton  # noqa: F401
from device import Array, begin
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.ampere import async_copy
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, warpgroup_mma, warpgroup_mma_wait


@gluon.jit
def offsets(rows: gl.constexpr, columns: gl.constexpr, stride: gl.constexpr, layout: gl.constexpr):
    i = gl.arange(0, rows, layout=gl.SliceLayout(1, layout))
    j = gl.arange(0, columns, layout=gl.SliceLayout(0, layout))
    return i[:, None] * stride + j[None, :]


@gluon.jit
def transposed(x, out, M: gl.constexpr, N: gl.constexpr):
    """Rows are read and written along their memory; shared memory is between."""
    along: gl.constexpr = gl.BlockedLayout([1, 4], [4, 8], [4, 1], [1, 0])
    tile = gl.allocate_shared_memory(gl.float32, [M, N], gl.SwizzledSharedLayout(4, 1, 8, [1, 0]))
    tile.store(gl.load(x + offsets(M, N, N, along)))
    gl.store(out + offsets(N, M, M, along), tile.permute([1, 0]).load(along))


@gluon.jit
def summed(x, out, n, BLOCK: gl.constexpr, STEPS: gl.constexpr):
    """The next block is copied while one is added up."""
    layout: gl.constexpr = gl.BlockedLayout([4], [32], [4], [0])
    i = gl.arange(0, BLOCK, layout=layout)
    tiles = gl.allocate_shared_memory(gl.float32, [2, BLOCK], gl.SwizzledSharedLayout(1, 1, 1, [0]))
    async_copy.async_load(tiles.index(0), x + i, mask=i < n)
    async_copy.commit_group()
    total = gl.zeros([BLOCK], gl.float32, layout=layout)
    for step in range(STEPS):
        at = (step + 1) * BLOCK + i
        async_copy.async_load(tiles.index((step + 1) % 2), x + at, mask=at < n)
        async_copy.commit_group()
        async_copy.wait_group(1)
        gl.barrier()
        total += gl.where(step * BLOCK + i < n, tiles.index(step % 2).load(layout), 0.0)
        gl.barrier()
    async_copy.wait_group(0)
    gl.store(out, gl.sum(total, axis=0))


@gluon.jit
def product(a, b, out, M: gl.constexpr, N: gl.constexpr, K: gl.constexpr):
    """One product of a warp group (wgmma), from shared memory."""
    along: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    shared: gl.constexpr = gl.NVMMASharedLayout(swizzle_byte_width=64, element_bitwidth=16, rank=2)
    sums: gl.constexpr = gl.NVMMADistributedLayout(version=[3, 0], warps_per_cta=[4, 1], instr_shape=[16, N, 16])
    left = gl.allocate_shared_memory(gl.float16, [M, K], shared)
    right = gl.allocate_shared_memory(gl.float16, [K, N], shared)
    left.store(gl.load(a + offsets(M, K, K, along)))
    right.store(gl.load(b + offsets(K, N, N, along)))
    fence_async_shared()
    total = warpgroup_mma(left, right, gl.zeros([M, N], gl.float32, layout=sums), is_async=True)
    total = warpgroup_mma_wait(0, deps=[total])
    gl.store(out + offsets(M, N, N, sums), total)


begin()
rng = np.random.default_rng(2)

x = rng.random((64, 32), dtype=np.float32)
out = Array(np.zeros((32, 64), np.float32))
transposed[(1,)](Array(x), out, 64, 32)
assert (out.numpy() == x.T).all()

# Whole numbers: every sum is exact, whatever the order.
x = rng.integers(-99, 100, 1900).astype(np.float32)
out = Array(np.zeros(1, np.float32))
summed[(1,)](Array(x), out, x.size, BLOCK=512, STEPS=4)
assert out.numpy()[0] == x.sum()

a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((64, 64), (64, 32)))
out = Array(np.zeros((64, 32), np.float32))
product[(1,)](Array(a), Array(b), out, 64, 32, 64)
assert (out.numpy() == a.astype(np.float32) @ b.astype(np.float32)).all()
print("PASSED")
