// A default stream for each thread: they do not wait for one another.
// flags: --default-stream per-thread -std=c++17 -Xcompiler -pthread
#include "check.h"
#include <thread>

__global__ void wait(volatile int *flag) { while (*flag == 0) {} }
__global__ void count(int *p) { atomicAdd(p, 1); }

int main() {
  int *flag, *n;
  CHECK(cudaMallocHost(&flag, sizeof(int)));
  CHECK(cudaMallocManaged(&n, sizeof(int)));
  *flag = *n = 0;
  wait<<<1, 1>>>(flag); // holds up this thread's stream alone
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++)
    threads.emplace_back([=] {
      for (int i = 0; i < 50; i++) count<<<2, 32>>>(n);
      CHECK(cudaStreamSynchronize(0));
      CHECK(cudaStreamSynchronize(cudaStreamPerThread));
    });
  for (std::thread &t : threads) t.join();
  EXPECT(*n == 4 * 50 * 64);
  EXPECT(cudaStreamQuery(cudaStreamPerThread) == cudaErrorNotReady);
  *(volatile int *)flag = 1;
  CHECK(cudaStreamSynchronize(0));
  return passed();
}
