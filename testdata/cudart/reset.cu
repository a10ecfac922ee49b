// A reset ends all that the device has; what the program has of kernels and variables works on, from the beginning.
#include "check.h"

__device__ int counter = 3;
__managed__ int shared_with_host = 5;
__global__ void count(int *out) { *out = ++counter + ++shared_with_host; }

static size_t available() {
  size_t left, all;
  CHECK(cudaMemGetInfo(&left, &all));
  return left;
}

int main() {
  int *p, *early, got;
  cudaStream_t s;
  cudaEvent_t e;
  CHECK(cudaMalloc(&early, sizeof(int)));
  count<<<1, 1>>>(early); // launches keep room for their parameters
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(early));
  size_t before = available();
  for (int round = 0; round < 3; round++) {
    CHECK(cudaDeviceReset());
    EXPECT(available() >= before);
    EXPECT(shared_with_host == 5);
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaEventCreate(&e));
    CHECK(cudaMalloc(&p, 1 << 20));
    CHECK(cudaMallocHost(&early, 1 << 20));
    for (int i = 0; i < 2; i++) {
      shared_with_host += 10;
      count<<<1, 1, 0, s>>>(p);
      CHECK(cudaEventRecord(e, s));
      CHECK(cudaEventSynchronize(e));
      CHECK(cudaMemcpy(&got, p, 4, cudaMemcpyDeviceToHost));
      EXPECT(got == (i ? 34 : 20));
      count<<<1, 1, 0, cudaStreamPerThread>>>(p); // the thread's own stream stays
      CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    }
  }
  CHECK(cudaDeviceReset());
  EXPECT(cudaFree(p) == cudaErrorInvalidValue);
  EXPECT(cudaStreamDestroy(s) != cudaSuccess);
  EXPECT(cudaEventDestroy(e) != cudaSuccess);
  cudaGetLastError();
  return passed();
}
