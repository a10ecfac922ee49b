// Relocatable device code with PTX alone: functions, variables and constants of each file in the other, and a function pointer. The
// device runtime that nvcc links calls functions that nothing defines. A kernel that launches one is refused alone.
// flags: -rdc=true -gencode arch=compute_90,code=compute_90
// with: linkptx_part.cu
// stderr: kernels that launch kernels
#include "check.h"

extern __device__ int offset;
extern __constant__ int factors[4];
extern __global__ void fill(int *p);
typedef int (*operation)(int);
extern __device__ operation chosen;

__device__ int seven = 7;
__device__ int scaled(int x) { return x * factors[1]; }

__global__ void apply(int *p) { p[threadIdx.x] = chosen(p[threadIdx.x]) + offset; }

__global__ void nested(int *p) { fill<<<1, 32>>>(p); }

int main() {
  int *p, host[32];
  CHECK(cudaMalloc(&p, sizeof host));
  fill<<<1, 32>>>(p);
  int value = 5, numbers[4] = {1, 3, 5, 7};
  CHECK(cudaMemcpyToSymbol(offset, &value, sizeof value));
  CHECK(cudaMemcpyToSymbol(factors, numbers, sizeof numbers));
  apply<<<1, 32>>>(p);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 32; i++) EXPECT(host[i] == (7 + i) * 3 + 5);
  nested<<<1, 1>>>(p);
  EXPECT(cudaGetLastError() == cudaErrorNotSupported);
  return passed();
}
