// Bounds of pages: what passes the end of a buffer, but not its page, is let pass and named once; copies keep to the end.
// env: PTXVM_BOUNDS=page
// stderr: boundspage.cu:11
// stderr: warning P7001: access out of bounds: global load of 4 bytes
// stderr: 0 bytes past the end of the buffer in shift_param_1, 4000 bytes
// stderr: passed: the launch went on
#include "check.h"

__global__ void shift(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = in[i] * 2;
}

int main() {
  const int n = 1000;
  float *a, *b;
  CHECK(cudaMalloc(&a, n * sizeof(float)));
  CHECK(cudaMalloc(&b, (n + 1) * sizeof(float)));
  std::vector<float> host(n + 1, 3), got(n);
  CHECK(cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  EXPECT(cudaMemcpy(a, host.data(), (n + 1) * sizeof(float), cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
  EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
  for (int turn = 0; turn < 20; turn++) shift<<<4, 256>>>(b, a, n);
  CHECK(cudaMemcpy(got.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
  for (float v : got) EXPECT(v == 6);
  return passed();
}
