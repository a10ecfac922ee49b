// Threads of the host with a stream each: every one adds its part, and checks it.
// flags: -Xcompiler -fopenmp
#include "check.h"
#include <omp.h>

__global__ void add(int *p, int by, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] += by; }

int main() {
  const int n = 1024, rounds = 20;
  int wrong = 0;
#pragma omp parallel num_threads(8) reduction(+ : wrong)
  {
    int id = omp_get_thread_num(), *d;
    std::vector<int> host(n, id);
    cudaStream_t s;
    CHECK(cudaSetDevice(0));
    CHECK(cudaStreamCreate(&s));
    CHECK(cudaMalloc(&d, n * sizeof(int)));
    CHECK(cudaMemcpyAsync(d, host.data(), n * sizeof(int), cudaMemcpyHostToDevice, s));
    for (int r = 0; r < rounds; r++) add<<<n / 128, 128, 0, s>>>(d, r, n);
    CHECK(cudaMemcpyAsync(host.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost, s));
    CHECK(cudaStreamSynchronize(s));
    for (int v : host) wrong += v != id + rounds * (rounds - 1) / 2;
    CHECK(cudaFree(d));
    CHECK(cudaStreamDestroy(s));
  }
  EXPECT(omp_get_max_threads() > 0 && wrong == 0);
  return passed();
}
