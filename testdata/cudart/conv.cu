// A convolution of 3 by 3 as a product of matrices: columns of pixels come by tensor copies (im2col), one for each tap, and
// warps multiply them with the weights. Images are NHWC with a border of one pixel of zeros.
// flags: -arch=sm_90
#include "check.h"
#include <cstdint>
#include <cuda.h>
#include <mma.h>
using namespace nvcuda;

constexpr int N = 3, H = 9, W = 11, IN = 32, OUT = 32, PIXELS = 64, TAPS = 9;

__device__ uint32_t sharedAddress(const void *p) { return uint32_t(__cvta_generic_to_shared(p)); }

// Output pixel i of the batch is at (i / (H W), i / W % H, i % W); a block makes 64 of them, a warp 16.
__global__ void __launch_bounds__(128) convolve(const __grid_constant__ CUtensorMap images, const __half *weights, float *out) {
  __shared__ alignas(128) __half pixels[2][PIXELS * IN];
  __shared__ alignas(128) float sums[PIXELS * OUT];
  __shared__ alignas(8) uint64_t full[2];
  int first = blockIdx.x * PIXELS, warp = threadIdx.x / 32;
  auto load = [&](int tap) {
    uint32_t bar = sharedAddress(&full[tap % 2]);
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "n"(PIXELS * IN * 2) : "memory");
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};"
                 ::"r"(sharedAddress(pixels[tap % 2])), "l"(&images), "r"(0), "r"(first % W - 1), "r"(first / W % H - 1), "r"(first / (W * H)), "r"(bar),
                   "h"(uint16_t(tap % 3)), "h"(uint16_t(tap / 3)) : "memory");
  };
  if (threadIdx.x == 0) {
    for (int i = 0; i < 2; i++) asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(sharedAddress(&full[i])) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    load(0);
  }
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[OUT / 16];
  for (auto &s : sum) wmma::fill_fragment(s, 0);
  for (int tap = 0; tap < TAPS; tap++) {
    if (threadIdx.x == 0 && tap + 1 < TAPS) load(tap + 1);
    uint32_t done;
    do {
      asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                   : "=r"(done) : "r"(sharedAddress(&full[tap % 2])), "r"(tap / 2 & 1) : "memory");
    } while (!done);
    for (int k = 0; k < IN; k += 16) {
      wmma::load_matrix_sync(a, &pixels[tap % 2][warp * 16 * IN + k], IN);
      for (int j = 0; j < OUT / 16; j++) {
        wmma::load_matrix_sync(b, weights + (tap * IN + k) * OUT + j * 16, OUT);
        wmma::mma_sync(sum[j], a, b, sum[j]);
      }
    }
    __syncthreads(); // the buffer is read before the copy after the next one
  }
  for (int j = 0; j < OUT / 16; j++) wmma::store_matrix_sync(&sums[warp * 16 * OUT + j * 16], sum[j], OUT, wmma::mem_row_major);
  __syncthreads();
  for (int i = threadIdx.x; i < PIXELS * OUT; i += blockDim.x)
    if (first + i / OUT < N * H * W) out[first * OUT + i] = sums[i];
}

int main() {
  __half *image, *weights;
  float *out;
  CHECK(cudaMallocManaged(&image, N * H * W * IN * sizeof *image));
  CHECK(cudaMallocManaged(&weights, TAPS * IN * OUT * sizeof *weights));
  CHECK(cudaMallocManaged(&out, N * H * W * OUT * sizeof *out));
  for (int i = 0; i < N * H * W * IN; i++) image[i] = __float2half(i % 9 - 4 + i / 7 % 3);
  for (int i = 0; i < TAPS * IN * OUT; i++) weights[i] = __float2half((i % 5 - 2) * 0.5f + i / 11 % 2);

  decltype(&cuTensorMapEncodeIm2col) encode;
  cudaDriverEntryPointQueryResult found;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", (void **)&encode, 12000, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointSuccess);
  void *none;
  CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeIm2col", &none, 11000, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointVersionNotSufficent && !none);
  CHECK(cudaGetDriverEntryPointByVersion("cuNothing", &none, 13000, cudaEnablePerThreadDefaultStream, &found));
  EXPECT(found == cudaDriverEntryPointSymbolNotFound && !none);
  EXPECT(cudaGetDriverEntryPointByVersion(nullptr, &none, 13000, cudaEnableDefault, &found) == cudaErrorInvalidValue);
  CUtensorMap map;
  const cuuint64_t dims[4] = {IN, W, H, N}, strides[3] = {IN * 2, IN * 2 * W, IN * 2 * W * H};
  const cuuint32_t steps[4] = {1, 1, 1, 1};
  const int lower[2] = {-1, -1}, upper[2] = {-1, -1};
  EXPECT(encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 4, image, dims, strides, lower, upper, IN, PIXELS, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
  convolve<<<(N * H * W + PIXELS - 1) / PIXELS, 128>>>(map, weights, out);
  CHECK(cudaDeviceSynchronize());
  for (int n = 0; n < N; n++) for (int h = 0; h < H; h++) for (int w = 0; w < W; w++) for (int o = 0; o < OUT; o++) {
    float sum = 0; // whole halves: exact in any order
    for (int tap = 0; tap < TAPS; tap++) {
      int y = h + tap / 3 - 1, x = w + tap % 3 - 1;
      if (y < 0 || y >= H || x < 0 || x >= W) continue;
      for (int c = 0; c < IN; c++) sum += __half2float(image[((n * H + y) * W + x) * IN + c]) * __half2float(weights[(tap * IN + c) * OUT + o]);
    }
    EXPECT(out[((n * H + h) * W + w) * OUT + o] == sum);
  }
  return passed();
}
