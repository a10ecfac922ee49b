// C = A·B in half precision: tiles of 64×64×32 come by cp.async, three stages ahead; ldmatrix and mma.sync; stmatrix and
// movmatrix turn the result. A is row-major, B has its rows along n. Shared memory is swizzled by hand.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int TILE = 64, DEPTH = 32, STAGES = 3, THREADS = 128;

__device__ uint32_t sharedAddress(const void *p) { return static_cast<uint32_t>(__cvta_generic_to_shared(p)); }

__device__ void copy16(uint32_t to, const void *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}

// where the 16 bytes u (of 4) of a row lie in a tile of 64 bytes a row
__device__ uint32_t place(int row, int u) { return row * 64 + ((u ^ (row >> 1 & 3)) * 16); }
// and of 128 bytes a row
__device__ uint32_t placeB(int row, int u) { return row * 128 + ((u ^ (row & 7)) * 16); }

__device__ void loadTile(uint32_t as, uint32_t bs, const half *a, const half *b, int row, int col, int at, int n, int k)
{
    for (int i = threadIdx.x; i < TILE * 4; i += THREADS)
        copy16(as + place(i / 4, i % 4), a + (row + i / 4) * k + at + i % 4 * 8);
    for (int i = threadIdx.x; i < DEPTH * 8; i += THREADS)
        copy16(bs + placeB(i / 8, i % 8), b + (at + i / 8) * n + col + i % 8 * 8);
}

extern "C" __global__ void __launch_bounds__(THREADS) pipeGemm(const half *a, const half *b, half *c, half *ct, int m, int n, int k)
{
    __shared__ __align__(128) half as[STAGES][TILE * DEPTH];
    __shared__ __align__(128) half bs[STAGES][DEPTH * TILE];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
    float sum[8][4] = {};
    int steps = k / DEPTH;
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < steps)
            loadTile(sharedAddress(as[s]), sharedAddress(bs[s]), a, b, row, col, s * DEPTH, n, k);
        asm volatile("cp.async.commit_group;");
    }
    for (int s = 0; s < steps; s++) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        __syncthreads();
        int next = s + STAGES - 1;
        if (next < steps)
            loadTile(sharedAddress(as[next % STAGES]), sharedAddress(bs[next % STAGES]), a, b, row, col, next * DEPTH, n, k);
        asm volatile("cp.async.commit_group;");
        uint32_t at = sharedAddress(as[s % STAGES]), bt = sharedAddress(bs[s % STAGES]);
        for (int kk = 0; kk < DEPTH; kk += 16) {
            uint32_t f[4];
            int r = warp * 16 + lane % 16;
            asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                         : "=r"(f[0]), "=r"(f[1]), "=r"(f[2]), "=r"(f[3]) : "r"(at + place(r, kk / 8 + lane / 16)));
            for (int j = 0; j < 8; j++) {
                uint32_t g[2];
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                             : "=r"(g[0]), "=r"(g[1]) : "r"(bt + placeB(kk + lane % 16, j)));
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                             : "+f"(sum[j][0]), "+f"(sum[j][1]), "+f"(sum[j][2]), "+f"(sum[j][3])
                             : "r"(f[0]), "r"(f[1]), "r"(f[2]), "r"(f[3]), "r"(g[0]), "r"(g[1]));
            }
        }
    }
    __syncthreads();
    uint32_t out = sharedAddress(&as[0][0]); // 64 rows of 128 bytes, over the first two stages
    for (int j = 0; j < 8; j++) {
        uint32_t v[2];
        for (int h = 0; h < 2; h++) {
            half2 p = __floats2half2_rn(sum[j][2 * h], sum[j][2 * h + 1]);
            v[h] = *reinterpret_cast<uint32_t *>(&p);
        }
        asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(out + placeB(warp * 16 + lane % 16, j)), "r"(v[0]), "r"(v[1]) : "memory");
        for (int h = 0; h < 2; h++) { // the transposed 8×8 straight to memory: a lane has two neighbours of a column of C
            uint32_t t;
            asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(t) : "r"(v[h]));
            *reinterpret_cast<uint32_t *>(ct + (col + j * 8 + lane / 4) * m + row + warp * 16 + h * 8 + lane % 4 * 2) = t;
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < TILE * 8; i += THREADS) {
        const uint4 *from = reinterpret_cast<const uint4 *>(reinterpret_cast<const char *>(&as[0][0]) + placeB(i / 8, i % 8));
        *reinterpret_cast<uint4 *>(c + (row + i / 8) * n + col + i % 8 * 8) = *from;
    }
}
