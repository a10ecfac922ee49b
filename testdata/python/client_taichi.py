"""Taichi on CUDA: sums, atomics, a picture in an ndarray, sparse fields, lists, a gradient, random numbers, printing, and a fluid of
particles on a grid (MLS-MPM) of which numpy computes the first steps, too. Results by value."""
import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, random_seed=1, offline_cache=False)
assert ti.lang.impl.current_cfg().arch == ti.cuda

# A reduction and a scatter by atomics.
n = 5000
x, y, bins = ti.field(ti.f32, n), ti.field(ti.f32, n), ti.field(ti.i32, 17)


@ti.kernel
def fill():
    for i in x:
        x[i] = i * 0.5
        y[i] = ti.sin(i * 0.01)
        ti.atomic_add(bins[i * i % 17], 1)


@ti.kernel
def dot() -> ti.f64:
    total = ti.cast(0, ti.f64)
    for i in x:
        total += x[i] * y[i]
    return total


@ti.kernel
def largest() -> ti.f32:
    most = -1e9
    for i in x:
        ti.atomic_max(most, x[i] * y[i])
    return most


fill()
i = np.arange(n)
want = (i * 0.5) * np.sin(i * 0.01)
assert abs(dot() - want.sum()) < 1e-5 * abs(want).sum(), (dot(), want.sum())
assert abs(largest() - want.max()) < 1e-5 * want.max()
assert (bins.to_numpy() == np.bincount(i * i % 17, minlength=17)).all()


# A Julia set, in an array of numpy's.
@ti.kernel
def julia(picture: ti.types.ndarray(dtype=ti.i32, ndim=2)):
    for i, j in picture:
        c = ti.Vector([-0.8, 0.156])
        z = ti.Vector([i / 64 - 1, j / 32 - 0.5]) * 2
        turns = 0
        while z.norm_sqr() < 4 and turns < 50:
            z = ti.Vector([z[0] * z[0] - z[1] * z[1], z[1] * z[0] * 2]) + c
            turns += 1
        picture[i, j] = turns


picture = np.zeros((128, 32), np.int32)
julia(picture)
z = ((np.arange(128) / 64 - 1)[:, None] + 1j * (np.arange(32) / 32 - 0.5)[None]) * 2
turns = np.zeros(z.shape, int)
for _ in range(50):
    inside = abs(z) < 2
    z[inside] = z[inside] ** 2 - 0.8 + 0.156j
    turns += inside
assert (picture == turns).mean() > 0.98, (picture != turns).sum()  # chaotic, and f32 here

# Sparse fields: blocks come to be where something is stored, in memory that the kernels' own allocator hands out.
sparse = ti.field(ti.i32)
blocks = ti.root.pointer(ti.ij, (32, 32))
blocks.bitmasked(ti.ij, (8, 8)).place(sparse)
numbers = ti.field(ti.i32)
table = ti.root.dynamic(ti.i, 4096, chunk_size=64)
table.place(numbers)


@ti.kernel
def circle():
    for k in range(2000):
        a = k * 0.0031415926535
        sparse[int(128 + 100 * ti.cos(a)), int(128 + 100 * ti.sin(a))] += 1


@ti.kernel
def active(count: ti.template()):
    for I in ti.grouped(sparse):
        count[None] += 1
        numbers.append(sparse[I])


count = ti.field(ti.i32, ())
circle()
active(count)
a = np.arange(2000, dtype=np.float64) * 0.0031415926535
cells = set(zip((128 + 100 * np.cos(a)).astype(int), (128 + 100 * np.sin(a)).astype(int)))
assert abs(count[None] - len(cells)) <= len(cells) // 50, (count[None], len(cells))  # cosines are approximations


@ti.kernel
def listed() -> ti.i32:
    total = 0
    for i in numbers:
        total += numbers[i]
    return total


assert listed() == 2000, listed()

# A gradient, by Taichi's own differentiation.
w, loss = ti.field(ti.f32, 64, needs_grad=True), ti.field(ti.f32, (), needs_grad=True)


@ti.kernel
def energy():
    for i in w:
        loss[None] += 0.5 * w[i] ** 2 + ti.exp(-w[i])


values = np.linspace(-1, 1, 64, dtype=np.float32)
w.from_numpy(values)
with ti.ad.Tape(loss):
    energy()
assert np.allclose(w.grad.to_numpy(), values - np.exp(-values), rtol=1e-5, atol=1e-6)
assert np.isclose(loss[None], (0.5 * values**2 + np.exp(-values)).sum(), rtol=1e-5)


# Random numbers, whose states Taichi's runtime makes at its start; 64 bits; a scan.
@ti.kernel
def quarter(rounds: ti.i32) -> ti.i32:
    inside = 0
    for i in range(rounds):
        a, b = ti.random(), ti.random()
        if a * a + b * b <= 1:
            inside += 1
    return inside


assert abs(4 * quarter(20000) / 20000 - np.pi) < 0.05


@ti.kernel
def mixed(out: ti.types.ndarray(dtype=ti.u64, ndim=1)):
    for i in out:
        h = ti.u64(i) + ti.u64(0x9E3779B97F4A7C15)
        h = (h ^ (h >> 30)) * ti.u64(0xBF58476D1CE4E5B9)
        out[i] = h ^ (h >> 27)


out = np.zeros(300, np.uint64)
mixed(out)
with np.errstate(over="ignore"):
    h = np.arange(300, dtype=np.uint64) + np.uint64(0x9E3779B97F4A7C15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
assert (out == h ^ (h >> np.uint64(27))).all()

sums = ti.field(ti.i32, 1000)
sums.from_numpy(i[:1000].astype(np.int32) % 7)
ti.algorithms.PrefixSumExecutor(1000).run(sums)
assert (sums.to_numpy() == np.cumsum(i[:1000] % 7)).all()

# MLS-MPM: particles to a grid and back, matrices of 2 × 2.
particles, grid, dt = 2048, 32, 2e-4
dx = 1 / grid
p_mass, p_vol, E = 1.0, (dx * 0.5) ** 2, 400.0
pos, vel = ti.Vector.field(2, ti.f32, particles), ti.Vector.field(2, ti.f32, particles)
affine, ratio = ti.Matrix.field(2, 2, ti.f32, particles), ti.field(ti.f32, particles)
grid_v, grid_m = ti.Vector.field(2, ti.f32, (grid, grid)), ti.field(ti.f32, (grid, grid))


@ti.kernel
def step():
    for i, j in grid_m:
        grid_v[i, j], grid_m[i, j] = [0, 0], 0
    for p in pos:
        base = int(pos[p] / dx - 0.5)
        fx = pos[p] / dx - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
        stress = -4 * dt * E * p_vol * (ratio[p] - 1) / dx**2
        A = ti.Matrix([[stress, 0], [0, stress]]) + p_mass * affine[p]
        for i, j in ti.static(ti.ndrange(3, 3)):
            offset = ti.Vector([i, j])
            weight = w[i].x * w[j].y
            grid_v[base + offset] += weight * (p_mass * vel[p] + A @ ((offset - fx) * dx))
            grid_m[base + offset] += weight * p_mass
    for i, j in grid_m:
        if grid_m[i, j] > 0:
            grid_v[i, j] /= grid_m[i, j]
        grid_v[i, j].y -= dt * 9.8
        if i < 3 and grid_v[i, j].x < 0 or i > grid - 3 and grid_v[i, j].x > 0:
            grid_v[i, j].x = 0
        if j < 3 and grid_v[i, j].y < 0 or j > grid - 3 and grid_v[i, j].y > 0:
            grid_v[i, j].y = 0
    for p in pos:
        base = int(pos[p] / dx - 0.5)
        fx = pos[p] / dx - base
        w = [0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2]
        new_v, new_C = ti.Vector.zero(ti.f32, 2), ti.Matrix.zero(ti.f32, 2, 2)
        for i, j in ti.static(ti.ndrange(3, 3)):
            offset = ti.Vector([i, j])
            weight, g = w[i].x * w[j].y, grid_v[base + offset]
            new_v += weight * g
            new_C += 4 * weight * g.outer_product((offset - fx) * dx) / dx**2
        vel[p], affine[p] = new_v, new_C
        pos[p] += dt * new_v
        ratio[p] *= 1 + dt * new_C.trace()


def stepped(pos, vel, C, J):
    """The same step by numpy, in double precision."""
    base = (pos / dx - 0.5).astype(int)
    fx = pos / dx - base
    w = np.stack([0.5 * (1.5 - fx) ** 2, 0.75 - (fx - 1) ** 2, 0.5 * (fx - 0.5) ** 2])
    A = C * p_mass + (-4 * dt * E * p_vol * (J - 1) / dx**2)[:, None, None] * np.eye(2)
    gv, gm = np.zeros((grid, grid, 2)), np.zeros((grid, grid))
    around = [(a, b, w[a, :, 0] * w[b, :, 1], np.array([a, b]) - fx) for a in range(3) for b in range(3)]
    for a, b, weight, d in around:
        at = base[:, 0] + a, base[:, 1] + b
        np.add.at(gm, at, weight * p_mass)
        np.add.at(gv, at, weight[:, None] * (p_mass * vel + np.einsum("pij,pj->pi", A, d * dx)))
    gv[gm > 0] /= gm[gm > 0][:, None]
    gv[..., 1] -= dt * 9.8
    index = np.arange(grid)
    for axis in 0, 1:
        v = np.moveaxis(gv[..., axis], axis, 0)
        v[index < 3] = np.maximum(v[index < 3], 0)
        v[index > grid - 3] = np.minimum(v[index > grid - 3], 0)
    vel, C = np.zeros_like(vel), np.zeros_like(C)
    for a, b, weight, d in around:
        g = gv[base[:, 0] + a, base[:, 1] + b]
        vel += weight[:, None] * g
        C += 4 * weight[:, None, None] * g[:, :, None] * (d * dx)[:, None] / dx**2
    return pos + dt * vel, vel, C, J * (1 + dt * np.trace(C, axis1=1, axis2=2))


rng = np.random.default_rng(3)
state = rng.random((particles, 2)) * 0.4 + 0.2, np.tile([0.5, -1.0], (particles, 1)), np.zeros((particles, 2, 2)), np.ones(particles)
pos.from_numpy(state[0].astype(np.float32))
vel.from_numpy(state[1].astype(np.float32))
ratio.fill(1)
for _ in range(20):
    step()
    state = stepped(*state)
assert np.abs(pos.to_numpy() - state[0]).max() < 1e-5, np.abs(pos.to_numpy() - state[0]).max()
assert np.abs(vel.to_numpy() - state[1]).max() < 1e-3, np.abs(vel.to_numpy() - state[1]).max()
assert np.allclose(ratio.to_numpy(), state[3], atol=1e-5)
ti.sync()
print("PASSED")
