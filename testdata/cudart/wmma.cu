// Matrix products of warps: 16 by 16 tiles of fp16 with sums in fp32.
// flags: -arch=sm_75
#include "check.h"
#include <cmath>
#include <mma.h>
using namespace nvcuda;

__global__ void product(const __half *a, const __half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}

int main() {
  const int n = 48;
  __half *a, *b;
  float *c;
  CHECK(cudaMallocManaged(&a, n * n * sizeof *a));
  CHECK(cudaMallocManaged(&b, n * n * sizeof *b));
  CHECK(cudaMallocManaged(&c, n * n * sizeof *c));
  for (int i = 0; i < n * n; i++) a[i] = __float2half(i % 7 - 3), b[i] = __float2half(i % 5 * 0.25f);
  product<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
    float sum = 0;
    for (int k = 0; k < n; k++) sum += __half2float(a[i * n + k]) * __half2float(b[j * n + k]);
    EXPECT(c[i * n + j] == sum);
  }
  return passed();
}
