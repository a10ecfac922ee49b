// Memory of the program that kernels use: registered, pinned and mapped.
#include "check.h"
#include <cstdint>

__global__ void twice(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] *= 2; }

int main() {
  const int n = 3000;
  std::vector<int> mine(n);
  for (int i = 0; i < n; i++) mine[i] = i;
  CHECK(cudaHostRegister(mine.data(), n * sizeof(int), cudaHostRegisterMapped));
  EXPECT(cudaHostRegister(mine.data() + 10, 4, 0) == cudaErrorHostMemoryAlreadyRegistered);
  EXPECT(cudaGetLastError() == cudaErrorHostMemoryAlreadyRegistered);
  int *device;
  CHECK(cudaHostGetDevicePointer(&device, mine.data(), 0));
  twice<<<(n + 255) / 256, 256>>>(device, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(mine[i] == 2 * i);
  cudaPointerAttributes at;
  CHECK(cudaPointerGetAttributes(&at, mine.data() + 5));
  EXPECT(at.type == cudaMemoryTypeHost && at.hostPointer == mine.data() + 5);
  int *copy;
  CHECK(cudaMalloc(&copy, n * sizeof(int)));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMemcpyAsync(copy, mine.data(), n * sizeof(int), cudaMemcpyHostToDevice, s));
  twice<<<(n + 255) / 256, 256, 0, s>>>(copy, n);
  CHECK(cudaMemcpyAsync(mine.data(), copy, n * sizeof(int), cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamSynchronize(s));
  for (int i = 0; i < n; i++) EXPECT(mine[i] == 4 * i);
  EXPECT(cudaFreeHost(mine.data()) == cudaErrorInvalidValue);
  CHECK(cudaHostUnregister(mine.data()));
  EXPECT(cudaHostUnregister(mine.data()) == cudaErrorHostMemoryNotRegistered);
  cudaGetLastError();

  int *mapped, *same;
  unsigned flags;
  CHECK(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped | cudaHostAllocPortable | cudaHostAllocWriteCombined));
  CHECK(cudaHostGetFlags(&flags, mapped));
  EXPECT(flags == (cudaHostAllocMapped | cudaHostAllocPortable | cudaHostAllocWriteCombined));
  CHECK(cudaHostGetDevicePointer(&same, mapped, 0));
  for (int i = 0; i < n; i++) mapped[i] = -i;
  twice<<<(n + 255) / 256, 256>>>(same, n);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(mapped[i] == -2 * i);
  CHECK(cudaFreeHost(mapped));
  CHECK(cudaFree(copy));
  return passed();
}
