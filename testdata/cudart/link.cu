// Device functions and variables across files.
// flags: -rdc=true
// with: link_part.cu
#include "check.h"

extern __device__ int offset;
__device__ int twice(int x);

__global__ void apply(int *p) { p[threadIdx.x] = twice(p[threadIdx.x]) + offset; }

int main() {
  int *p, host[32];
  for (int i = 0; i < 32; i++) host[i] = i;
  CHECK(cudaMalloc(&p, sizeof host));
  CHECK(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
  int value = 7;
  CHECK(cudaMemcpyToSymbol(offset, &value, sizeof value));
  apply<<<1, 32>>>(p);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == 2 * i + 7);
  return passed();
}
