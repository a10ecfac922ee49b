// C = A·Bᵀ with a sparse A: two of each four elements of a row are stored, and four bits say which (mma.sp). Tiles of 64×32×32
// come by cp.async, one stage ahead.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int M = 64, N = 32, K = 32, THREADS = 128, PAD = 8;

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void copy16(const void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(sharedAddress(to)), "l"(from) : "memory");
}

__device__ void loadFour(uint32_t (&to)[4], const half *from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3]) : "r"(sharedAddress(from)));
}

// a has k/2 elements a row, places a word of 16 bits for each 16 of the k that they stand for
extern "C" __global__ void __launch_bounds__(THREADS) sparseGemm(const half *a, const uint16_t *places, const half *b, float *c, int n, int k)
{
    __shared__ __align__(16) half as[2][M][K / 2 + PAD];
    __shared__ __align__(16) half bs[2][N][K + PAD];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row = blockIdx.y * M, col = blockIdx.x * N;
    float sum[4][4] = {};
    auto load = [&](int step) {
        copy16(&as[step % 2][t / 2][t % 2 * 8], a + (row + t / 2) * (k / 2) + step * (K / 2) + t % 2 * 8);
        copy16(&bs[step % 2][t / 4][t % 4 * 8], b + (col + t / 4) * k + step * K + t % 4 * 8);
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    load(0);
    for (int step = 0; step < k / K; step++) {
        if (step + 1 < k / K) {
            load(step + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        // of four lanes of a row the first two have the places: of a half of k, in rows r and r+8
        const uint16_t *at = places + (row + warp * 16 + lane / 4) * (k / 16) + step * 2 + lane % 2;
        uint32_t which = at[0] | uint32_t(at[8 * (k / 16)]) << 16, f[4];
        loadFour(f, &as[step % 2][warp * 16 + lane % 16][lane / 16 * 8]);
        for (int j = 0; j < 4; j++) {
            uint32_t g[4];
            loadFour(g, &bs[step % 2][j * 8 + lane % 8][lane / 8 * 8]);
            asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9, %10, %11}, "
                         "{%0, %1, %2, %3}, %12, 0x0;"
                         : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                         : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]), "r"(g[2]), "r"(g[3]), "r"(which));
        }
        __syncthreads();
    }
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++)
            c[(row + warp * 16 + lane / 4 + i / 2 * 8) * n + col + j * 8 + lane % 4 * 2 + i % 2] = sum[j][i];
}
