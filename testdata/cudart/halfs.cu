// Numbers of 16 bits: fp16 and bfloat16, alone and in pairs.
// flags: -arch=sm_80
#include "check.h"
#include <cmath>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__global__ void axpy(const __half2 *x, __half2 *y, __half2 a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = __hfma2(a, x[i], y[i]); }
__global__ void brains(const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  __nv_bfloat16 v = __float2bfloat16(in[i]);
  out[i] = __bfloat162float(__hmul(v, v));
}

int main() {
  const int n = 256;
  __half2 *x, *y;
  float *in, *out;
  CHECK(cudaMallocManaged(&x, n * sizeof *x));
  CHECK(cudaMallocManaged(&y, n * sizeof *y));
  CHECK(cudaMallocManaged(&in, n * sizeof *in));
  CHECK(cudaMallocManaged(&out, n * sizeof *out));
  for (int i = 0; i < n; i++) x[i] = __floats2half2_rn(i, -i), y[i] = __floats2half2_rn(1, 2), in[i] = i / 7.0f;
  axpy<<<2, 128>>>(x, y, __float2half2_rn(0.5f), n);
  brains<<<1, n>>>(in, out, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    EXPECT(__low2float(y[i]) == 0.5f * i + 1 && __high2float(y[i]) == -0.5f * i + 2);
    EXPECT(std::abs(out[i] - in[i] * in[i]) <= in[i] * in[i] / 64);
  }
  return passed();
}
