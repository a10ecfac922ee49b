// A read behind the end of a buffer: code 700, which stays, and a report with this line.
// exit: 3
// stderr: bounds.cu:11
// stderr: past the end of the buffer in shift_param_1, 4000 bytes
// stdout: 700 cudaErrorIllegalAddress
#include "check.h"

__global__ void shift(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = in[i] * 2;
}

int main() {
  const int n = 1000;
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, (n + 1) * sizeof(float)));
  shift<<<4, 256>>>(b, a, n);
  cudaError_t e = cudaDeviceSynchronize();
  printf("%d %s\n", e, cudaGetErrorName(e));
  EXPECT(cudaGetLastError() == cudaErrorIllegalAddress);
  EXPECT(cudaMalloc(&a, 4) == cudaErrorIllegalAddress);
  EXPECT(cudaMemcpy(&e, b, 4, cudaMemcpyDeviceToHost) == cudaErrorIllegalAddress);
  EXPECT(cudaDeviceSynchronize() == cudaErrorIllegalAddress);
  return 3;
}
