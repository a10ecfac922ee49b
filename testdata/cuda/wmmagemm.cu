// Products of matrices by nvcuda::wmma: a warp makes a tile, and steps through k.
#include <mma.h>
#include <cuda_fp16.h>
#include <cstdint>
using namespace nvcuda;

// C = alpha·A·B + C for A row-major, B column-major; fragments are changed element by element.
extern "C" __global__ void wmmaHalf(const half *a, const half *b, float *c, int m, int n, int k, float alpha)
{
    int row = (blockIdx.y * blockDim.y + threadIdx.y) * 16, col = blockIdx.x * 16;
    if (row >= m || col >= n)
        return;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + row * k + i, k);
        wmma::load_matrix_sync(fb, b + col * k + i, k);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::load_matrix_sync(old, c + row * n + col, n, wmma::mem_row_major);
    for (int i = 0; i < sum.num_elements; i++)
        sum.x[i] = alpha * sum.x[i] + old.x[i];
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

// The same in half precision through shared memory, by tiles of 8×32 and 32×8.
template <int M, int N> __device__ void halfTile(const half *a, const half *b, half *c, int n, int k)
{
    __shared__ half tile[M * 16];
    wmma::fragment<wmma::matrix_a, M, N, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, half> sum;
    wmma::fill_fragment(sum, __float2half(1.0f));
    int row = blockIdx.y * M, col = blockIdx.x * N;
    for (int i = 0; i < k; i += 16) {
        __syncwarp();
        for (int e = threadIdx.x; e < M * 16; e += 32)
            tile[e] = a[(row + e / 16) * k + i + e % 16];
        __syncwarp();
        wmma::load_matrix_sync(fa, tile, 16);
        wmma::load_matrix_sync(fb, b + i * n + col, n);
        wmma::mma_sync(sum, fa, fb, sum);
    }
    wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}

extern "C" __global__ void wmmaWide(const half *a, const half *b, half *c, int n, int k) { halfTile<8, 32>(a, b, c, n, k); }
extern "C" __global__ void wmmaTall(const half *a, const half *b, half *c, int n, int k) { halfTile<32, 8>(a, b, c, n, k); }

// Bytes: signed, C stored by columns, sums held at the limits.
extern "C" __global__ void wmmaBytes(const int8_t *a, const int8_t *b, int *c, int m, int n, int k)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
    int row = blockIdx.y * 16, col = blockIdx.x * 16;
    wmma::load_matrix_sync(sum, c + col * m + row, m, wmma::mem_col_major);
    for (int i = 0; i < k; i += 16) {
        wmma::load_matrix_sync(fa, a + i * m + row, m);
        wmma::load_matrix_sync(fb, b + i * n + col, n);
        wmma::mma_sync(sum, fa, fb, sum, true);
    }
    wmma::store_matrix_sync(c + col * m + row, sum, m, wmma::mem_col_major);
}
