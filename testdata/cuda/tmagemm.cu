// C = A·Bᵀ in half precision, specialised by warpgroups: one brings tiles of 128×64 and 64×64 by tensor copies, four stages
// ahead, and gives registers to the two that multiply by wgmma. Each of these stores its tile by stmatrix, in the order of a
// 128-byte swizzle, and a tensor copy takes it to C. A, B and C are row-major; what lies outside is read as zero and not stored.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int ROWS = 64, CONSUMERS = 2, COLUMNS = 64, DEPTH = 64, STAGES = 4, THREADS = 128 * (CONSUMERS + 1);
constexpr uint32_t TILE_BYTES = 64 * 64 * sizeof(half), STAGE_BYTES = (CONSUMERS + 1) * TILE_BYTES;

struct __align__(64) TensorMap { char bytes[128]; };

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void waitFor(uint32_t barrier, uint32_t parity)
{
    uint32_t done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done) : "r"(barrier), "r"(parity) : "memory");
    } while (!done);
}

__device__ void load(uint32_t to, const TensorMap *map, int x, int y, uint32_t barrier)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(barrier) : "memory");
}

// A tile of 64 rows of 128 bytes under a 128-byte swizzle: eight rows are 1024 bytes.
__device__ uint64_t descriptor(uint32_t tile)
{
    return uint64_t(tile >> 4 & 0x3fff) | uint64_t(1) << 16 | uint64_t(1024 >> 4) << 32 | uint64_t(1) << 62;
}

// sum += A·Bᵀ for 64×64 and 16 of the depth.
__device__ void multiply(float (&d)[32], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 "
                 "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
                 "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]), "+f"(d[8]),
                   "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]), "+f"(d[16]),
                   "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]),
                   "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31])
                 : "l"(a), "l"(b));
}

__device__ void produce(const TensorMap *a, const TensorMap *b, uint32_t tiles, uint32_t full, uint32_t empty, int steps)
{
    asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
    if (threadIdx.x)
        return;
    for (int s = 0; s < steps; s++) {
        uint32_t stage = s % STAGES, at = tiles + stage * STAGE_BYTES;
        waitFor(empty + 8 * stage, (s / STAGES & 1) ^ 1);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(full + 8 * stage), "r"(STAGE_BYTES) : "memory");
        for (int i = 0; i < CONSUMERS; i++)
            load(at + i * TILE_BYTES, a, s * DEPTH, (blockIdx.y * CONSUMERS + i) * ROWS, full + 8 * stage);
        load(at + CONSUMERS * TILE_BYTES, b, s * DEPTH, blockIdx.x * COLUMNS, full + 8 * stage);
    }
}

__device__ void consume(const TensorMap *c, uint32_t tiles, uint32_t full, uint32_t empty, int which, int steps)
{
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sum[32] = {};
    for (int s = 0; s < steps; s++) {
        uint32_t stage = s % STAGES, at = tiles + stage * STAGE_BYTES;
        waitFor(full + 8 * stage, s / STAGES & 1);
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int k = 0; k < DEPTH; k += 16)
            multiply(sum, descriptor(at + which * TILE_BYTES + k * 2), descriptor(at + CONSUMERS * TILE_BYTES + k * 2));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        if (threadIdx.x % 128 == 0)
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(empty + 8 * stage) : "memory");
    }

    uint32_t out = tiles + STAGES * STAGE_BYTES + which * TILE_BYTES;
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 % 4 * 16 + lane % 16;
    for (int j = 0; j < 8; j += 2) {
        uint32_t v[4];
        for (int h = 0; h < 4; h++) {
            half2 p = __floats2half2_rn(sum[4 * j + 2 * h], sum[4 * j + 2 * h + 1]);
            v[h] = *reinterpret_cast<uint32_t *>(&p);
        }
        asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
                     ::"r"(out + row * 128 + ((j + lane / 16) ^ (row & 7)) * 16), "r"(v[0]), "r"(v[1]), "r"(v[2]), "r"(v[3]) : "memory");
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    asm volatile("bar.sync %0, 128;" ::"r"(which + 1) : "memory");
    if (threadIdx.x % 128 == 0) {
        asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];"
                     ::"l"(c), "r"(blockIdx.x * COLUMNS), "r"((blockIdx.y * CONSUMERS + which) * ROWS), "r"(out) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 1)
tmaGemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, const __grid_constant__ TensorMap c, int k)
{
    extern __shared__ __align__(1024) char memory[];
    __shared__ __align__(8) uint64_t barriers[2 * STAGES];
    uint32_t full = sharedAddress(barriers), empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(full + 8 * s) : "memory");
            asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(empty + 8 * s), "n"(CONSUMERS) : "memory");
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    int steps = (k + DEPTH - 1) / DEPTH, group = threadIdx.x / 128;
    if (group == 0)
        produce(&a, &b, sharedAddress(memory), full, empty, steps);
    else
        consume(&c, sharedAddress(memory), full, empty, group - 1, steps);
}
