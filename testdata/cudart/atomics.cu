// libcu++: atomics that host and device share, spans, complex numbers of the device.
// flags: -std=c++17 -arch=sm_80
#include "check.h"
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/limits>

__global__ void count(cuda::atomic<int, cuda::thread_scope_system> *n, cuda::atomic<int, cuda::thread_scope_system> *ready) {
  n->fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0) { ready->fetch_add(1, cuda::memory_order_release); ready->notify_all(); }
}
__global__ void numbers(float *out) {
  cuda::std::complex<float> z(3, 4);
  cuda::std::array<int, 3> a{{1, 2, 3}};
  out[0] = (z * z).real(), out[1] = cuda::std::abs(z), out[2] = a.back(), out[3] = cuda::std::numeric_limits<float>::max();
}

int main() {
  cuda::atomic<int, cuda::thread_scope_system> *n, *ready;
  float *out;
  CHECK(cudaMallocHost(&n, sizeof *n));
  CHECK(cudaMallocHost(&ready, sizeof *ready));
  CHECK(cudaMallocManaged(&out, 4 * sizeof(float)));
  new (n) cuda::atomic<int, cuda::thread_scope_system>(0);
  new (ready) cuda::atomic<int, cuda::thread_scope_system>(0);
  count<<<4, 64>>>(n, ready);
  while (ready->load(cuda::memory_order_acquire) != 4) {}
  EXPECT(n->load() == 256);
  numbers<<<1, 1>>>(out);
  CHECK(cudaDeviceSynchronize());
  EXPECT(out[0] == -7 && out[1] == 5 && out[2] == 3 && out[3] > 3e38f);
  return passed();
}
