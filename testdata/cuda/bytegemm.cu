// C = A·Bᵀ of e4m3 in f32 by tensor copies and wgmma: tiles of 64×128 a warpgroup, 128 deep, two stages.
#include <cstdint>

struct alignas(64) TensorMap { char bytes[128]; };

constexpr int M = 64, N = 128, K = 128, STAGES = 2;

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void copyTile(uint32_t to, const TensorMap *map, int x, int y, uint32_t bar)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 ::"r"(to), "l"(map), "r"(x), "r"(y), "r"(bar) : "memory");
}

__device__ void waitFor(uint32_t bar, uint32_t parity)
{
    asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(bar), "r"(parity) : "memory");
}

// rows of 128 bytes, swizzled; groups of eight rows are 1024 bytes apart
__device__ uint64_t descriptor(uint32_t at) { return at >> 4 & 0x3fff | uint64_t(1) << 16 | uint64_t(64) << 32 | uint64_t(1) << 62; }

__device__ void multiply(float (&sum)[64], uint64_t a, uint64_t b)
{
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1;"
        :
            "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]), "+f"(sum[6]), "+f"(sum[7]),
            "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]), "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]),
            "+f"(sum[16]), "+f"(sum[17]), "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
            "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]), "+f"(sum[30]), "+f"(sum[31]),
            "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]), "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]),
            "+f"(sum[40]), "+f"(sum[41]), "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
            "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]), "+f"(sum[54]), "+f"(sum[55]),
            "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]), "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
        : "l"(a), "l"(b));
}

extern "C" __global__ void __launch_bounds__(128) byteGemm(const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, float *c, int n, int k)
{
    extern __shared__ __align__(1024) char tiles[];
    __shared__ __align__(8) uint64_t full[STAGES];
    int row = blockIdx.y * M, col = blockIdx.x * N, t = threadIdx.x, steps = k / K;
    auto load = [&](int step) {
        uint32_t bar = sharedAddress(&full[step % STAGES]), at = sharedAddress(tiles) + step % STAGES * (M + N) * K;
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"((M + N) * K) : "memory");
        copyTile(at, &a, step * K, row, bar);
        copyTile(at + M * K, &b, step * K, col, bar);
    };
    if (t == 0) {
        for (int s = 0; s < STAGES; s++)
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(sharedAddress(&full[s])) : "memory");
        asm volatile("fence.proxy.async;" ::: "memory");
    }
    __syncthreads();
    if (t == 0)
        load(0);
    float sum[64] = {};
    for (int step = 0; step < steps; step++) {
        if (t == 0 && step + 1 < steps)
            load(step + 1);
        waitFor(sharedAddress(&full[step % STAGES]), step / STAGES & 1);
        uint32_t at = sharedAddress(tiles) + step % STAGES * (M + N) * K;
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int kk = 0; kk < K; kk += 32)
            multiply(sum, descriptor(at + kk), descriptor(at + M * K + kk));
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int i = 0; i < 64; i++)
        c[(row + t / 32 * 16 + t % 32 / 4 + (i / 2 & 1) * 8) * n + col + i / 4 * 8 + t % 4 * 2 + i % 2] = sum[i];
}
