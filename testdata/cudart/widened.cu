// Loads of four floats of which three are used: the last one of the buffer reaches 4 bytes too far, which is no fault, here as on a
// GPU; a fourth that is used would be.
#include "check.h"

__global__ void lengths(float *out, const float4 *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 v = in[i];
  out[i] = v.x * v.x + v.y * v.y + v.z * v.z;
}

int main() {
  const int n = 1001;
  std::vector<float> host(4 * n), got(n);
  for (int i = 0; i < 4 * n; i++) host[i] = float(i % 97);
  float *in, *out;
  CHECK(cudaMalloc(&in, (4 * n - 1) * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(in, host.data(), (4 * n - 1) * sizeof(float), cudaMemcpyHostToDevice));
  for (int turn = 0; turn < 20; turn++) { // compiled in between
    lengths<<<(n + 255) / 256, 256>>>(out, (const float4 *)in, n);
    CHECK(cudaMemcpy(got.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
      const float *v = &host[4 * i];
      EXPECT(got[i] == v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
  }
  return passed();
}
