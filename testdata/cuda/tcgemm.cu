// C = A·Bᵀ on the tensor cores of sm_100a, in four kinds (f16, e4m3, e4m3 with a scale factor for 32 elements, e2m1 with one for
// 16), each by one CTA and by a pair: one warp brings tiles by tensor copies, one issues tcgen05.mma, four store what tensor memory
// holds. A tile is 128 rows of A a CTA and 128 columns; of a pair each CTA has half of B. A, B and C are row-major; what lies
// outside is read as zero and not stored. Scale factors lie as tcgen05.cp wants them: 512 bytes are four of each of 128 rows.
#include <cstdint>

constexpr int ROWS = 128, COLUMNS = 128, DEPTH_BYTES = 128, STEP_BYTES = 32, STAGES = 3, THREADS = 192, ATOM = 512;

struct __align__(64) TensorMap { char bytes[128]; };

enum Kind { HALF, BYTE, MX8, NV4 };

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void waitFor(uint32_t barrier, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
    } while (!done);
}

// One kernel: what depends on the kind of elements and the number of CTAs.
template <Kind KIND, int GROUP>
struct Gemm {
    static constexpr bool SCALED = KIND == MX8 || KIND == NV4;
    static constexpr int ATOMS = KIND == NV4 ? 4 : SCALED ? 1 : 0; // of a stage and matrix
    static constexpr uint32_t A_BYTES = ROWS * DEPTH_BYTES, B_BYTES = COLUMNS / GROUP * DEPTH_BYTES,
                              STAGE_BYTES = A_BYTES + B_BYTES + 2 * ATOMS * ATOM, STRIDE = A_BYTES + B_BYTES + 4 * ATOM * 2;
    static constexpr uint32_t COLUMNS_TAKEN = SCALED ? 256 : COLUMNS; // of tensor memory: D, then factors of A and B
    uint32_t tiles, full, empty, done, tensor;
    uint32_t rank;

    static __device__ uint32_t ofLeader(uint32_t address)
    {
        uint32_t remote;
        asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(remote) : "r"(address));
        return remote;
    }

    static __device__ void load(uint32_t to, const TensorMap *map, int x, int y, uint32_t barrier)
    {
        if constexpr (GROUP == 1)
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                         ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
        else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.cta_group::2 [%0], [%1, {%2, %3}], [%4];"
                         ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
    }

    // A tile of rows of 128 bytes under a 128-byte swizzle: eight rows are 1024 bytes.
    static __device__ uint64_t matrix(uint32_t tile)
    {
        return uint64_t(tile >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
    }

    // Rows of 16 bytes, one after the other.
    static __device__ uint64_t factors(uint32_t atom)
    {
        return uint64_t(atom >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(128 >> 4) << 32 | uint64_t(1) << 46;
    }

    static __device__ void copyFactors(uint32_t to, uint32_t atom)
    {
        if constexpr (GROUP == 1)
            asm volatile("tcgen05.cp.cta_group::1.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(factors(atom)) : "memory");
        else
            asm volatile("tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(to), "l"(factors(atom)) : "memory");
    }

    // The instruction descriptor: f32 results, N, M; the scaled kinds say which byte of a word of factors is the first.
    static __device__ uint32_t descriptor(int step)
    {
        uint32_t n = COLUMNS >> 3 << 17, m = ROWS * GROUP;
        if constexpr (KIND == MX8)
            return n | m >> 7 << 27 | 1u << 23 | uint32_t(step) << 4 | uint32_t(step) << 29;
        else if constexpr (KIND == NV4)
            return n | m >> 7 << 27 | 1u << 7 | 1u << 10;
        else
            return n | m >> 4 << 24 | 1u << 4;
    }

#define PLAIN(group, kind)                                                                                                       \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %4, 0; tcgen05.mma.cta_group::" group ".kind::" kind " [%0], %1, %2, %3, p; }"  \
                 ::"r"(tensor), "l"(a), "l"(b), "r"(descriptor(step)), "r"(add) : "memory")
#define BLOCKS(group, kind)                                                                                                      \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %6, 0; "                                                                        \
                 "tcgen05.mma.cta_group::" group ".kind::" kind " [%0], %1, %2, %3, [%4], [%5], p; }"                            \
                 ::"r"(tensor), "l"(a), "l"(b), "r"(descriptor(step)), "r"(tensor + COLUMNS + 4 * at),                           \
                 "r"(tensor + COLUMNS + 4 * (ATOMS + at)), "r"(add) : "memory")

    __device__ void multiply(uint64_t a, uint64_t b, int step, uint32_t add) const
    {
        const int at = KIND == NV4 ? step : 0; // atom of the factors
        if constexpr (KIND == HALF && GROUP == 1)
            PLAIN("1", "f16");
        else if constexpr (KIND == HALF)
            PLAIN("2", "f16");
        else if constexpr (KIND == BYTE && GROUP == 1)
            PLAIN("1", "f8f6f4");
        else if constexpr (KIND == BYTE)
            PLAIN("2", "f8f6f4");
        else if constexpr (KIND == MX8 && GROUP == 1)
            BLOCKS("1", "mxf8f6f4.block_scale.scale_vec::1X");
        else if constexpr (KIND == MX8)
            BLOCKS("2", "mxf8f6f4.block_scale.scale_vec::1X");
        else if constexpr (GROUP == 1)
            BLOCKS("1", "mxf4nvf4.block_scale.scale_vec::4X");
        else
            BLOCKS("2", "mxf4nvf4.block_scale.scale_vec::4X");
    }
#undef PLAIN
#undef BLOCKS

    // What has been issued arrives at the mbarrier of each CTA when it is over.
    static __device__ void commit(uint32_t barrier)
    {
        if constexpr (GROUP == 1)
            asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier) : "memory");
        else
            asm volatile("tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%0], %1;"
                         ::"r"(barrier), "h"(uint16_t(3)) : "memory");
    }

    static __device__ void everyone()
    {
        if constexpr (GROUP == 1)
            __syncthreads();
        else
            asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    }

    __device__ void allocate(uint32_t slot) const
    {
        if constexpr (GROUP == 1) {
            asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(slot), "n"(COLUMNS_TAKEN) : "memory");
            asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
        } else {
            asm volatile("tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(slot), "n"(COLUMNS_TAKEN) : "memory");
            asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;");
        }
    }

    __device__ void release() const
    {
        if constexpr (GROUP == 1)
            asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tensor), "n"(COLUMNS_TAKEN) : "memory");
        else
            asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(tensor), "n"(COLUMNS_TAKEN) : "memory");
    }

    // One thread of each CTA brings tiles; their bytes are counted on the mbarrier of the first CTA.
    __device__ void produce(const TensorMap *a, const TensorMap *b, const TensorMap *fa, const TensorMap *fb, int elements, int steps) const
    {
        for (int s = 0; s < steps; s++) {
            uint32_t stage = s % STAGES, at = tiles + stage * STRIDE, barrier = full + 8 * stage;
            waitFor(empty + 8 * stage, (s / STAGES & 1) ^ 1);
            if (rank == 0)
                asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(GROUP * STAGE_BYTES) : "memory");
            if constexpr (GROUP == 2)
                barrier = ofLeader(barrier);
            load(at, a, s * elements, blockIdx.x * ROWS, barrier);
            load(at + A_BYTES, b, s * elements, blockIdx.y * COLUMNS + rank * (COLUMNS / GROUP), barrier);
            if constexpr (SCALED) {
                load(at + A_BYTES + B_BYTES, fa, 0, (blockIdx.x * steps + s) * ATOMS * 4, barrier);
                load(at + A_BYTES + B_BYTES + ATOMS * ATOM, fb, 0, (blockIdx.y * steps + s) * ATOMS * 4, barrier);
            }
        }
    }

    // One thread of the first CTA multiplies.
    __device__ void consume(int steps) const
    {
        for (int s = 0; s < steps; s++) {
            uint32_t stage = s % STAGES, at = tiles + stage * STRIDE;
            waitFor(full + 8 * stage, s / STAGES & 1);
            asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
            for (int i = 0; i < 2 * ATOMS; i++)
                copyFactors(tensor + COLUMNS + 4 * i, at + A_BYTES + B_BYTES + i * ATOM);
#pragma unroll
            for (int k = 0; k < DEPTH_BYTES / STEP_BYTES; k++)
                multiply(matrix(at + k * STEP_BYTES), matrix(at + A_BYTES + k * STEP_BYTES), k, s + k > 0);
            commit(empty + 8 * stage);
        }
        commit(done);
    }

    // A thread of four warps stores a row of the tile.
    __device__ void store(float *c, int m, int n) const
    {
        waitFor(done, 0);
        asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
        int row = blockIdx.x * ROWS + threadIdx.x;
#pragma unroll 1
        for (int j = 0; j < COLUMNS; j += 8) {
            float v[8];
            asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0, %1, %2, %3, %4, %5, %6, %7}, [%8];"
                         : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3]), "=f"(v[4]), "=f"(v[5]), "=f"(v[6]), "=f"(v[7])
                         : "r"(tensor + (threadIdx.x / 32 << 21) + j));
            asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
            for (int i = 0; i < 8; i++) {
                int column = blockIdx.y * COLUMNS + j + i;
                if (row < m && column < n)
                    c[row * n + column] = v[i];
            }
        }
        asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    }
};

template <Kind KIND, int GROUP>
__device__ void run(const TensorMap *a, const TensorMap *b, const TensorMap *fa, const TensorMap *fb, float *c, int m, int n, int k)
{
    using G = Gemm<KIND, GROUP>;
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(8) uint64_t barriers[2 * STAGES + 1];
    __shared__ uint32_t slot;
    G g;
    g.tiles = sharedAddress(memory);
    g.full = sharedAddress(barriers);
    g.empty = g.full + 8 * STAGES;
    g.done = g.empty + 8 * STAGES;
    g.rank = blockIdx.x % GROUP;
    int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2 * STAGES + 1; i++)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(g.full + 8 * i) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    if (warp == 5)
        g.allocate(sharedAddress(&slot));
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    G::everyone();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    g.tensor = slot;

    constexpr int elements = KIND == HALF ? DEPTH_BYTES / 2 : DEPTH_BYTES; // of a tensor map; two elements of four bits are one
    int bytes = KIND == HALF ? 2 * k : KIND == NV4 ? k / 2 : k, steps = (bytes + DEPTH_BYTES - 1) / DEPTH_BYTES;
    if (threadIdx.x == 128)
        g.produce(a, b, fa, fb, elements, steps);
    else if (threadIdx.x == 160 && g.rank == 0)
        g.consume(steps);
    else if (warp < 4)
        g.store(c, m, n);
    __syncwarp();
    G::everyone();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    if (warp == 5)
        g.release();
}

#define PLAIN(name, kind, group)                                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, 1) __cluster_dims__(group, 1, 1)                                       \
    name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, int m, int n, int k)                \
    {                                                                                                                            \
        run<kind, group>(&a, &b, nullptr, nullptr, c, m, n, k);                                                                  \
    }
#define BLOCKS(name, kind, group)                                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS, 1) __cluster_dims__(group, 1, 1)                                       \
    name(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap factorsA,   \
         const __grid_constant__ TensorMap factorsB, float *c, int m, int n, int k)                                              \
    {                                                                                                                            \
        run<kind, group>(&a, &b, &factorsA, &factorsB, c, m, n, k);                                                              \
    }

PLAIN(halfOne, HALF, 1)
PLAIN(halfPair, HALF, 2)
PLAIN(byteOne, BYTE, 1)
PLAIN(bytePair, BYTE, 2)
BLOCKS(mx8One, MX8, 1)
BLOCKS(mx8Pair, MX8, 2)
BLOCKS(nv4One, NV4, 1)
BLOCKS(nv4Pair, NV4, 2)
