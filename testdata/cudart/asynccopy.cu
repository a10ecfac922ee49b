// Copies into shared memory that a kernel waits for later, in two stages, and barriers of libcu++.
// flags: -std=c++17 -arch=sm_80 -diag-suppress 20054
#include "check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

__global__ void stages(const int *in, int *out, int tiles) {
  constexpr int n = 64;
  __shared__ int room[2][n];
  auto block = cg::this_thread_block();
  int sum = 0;
  cg::memcpy_async(block, room[0], in, sizeof(int) * n);
  for (int t = 0; t < tiles; t++) {
    if (t + 1 < tiles) { cg::memcpy_async(block, room[(t + 1) % 2], in + (t + 1) * n, sizeof(int) * n); cg::wait_prior<1>(block); }
    else cg::wait(block);
    block.sync();
    sum += room[t % 2][n - 1 - threadIdx.x];
    block.sync();
  }
  out[threadIdx.x] = sum;
}
__global__ void barriers(int *p) {
  __shared__ cuda::barrier<cuda::thread_scope_block> b;
  __shared__ int v[64];
  if (threadIdx.x == 0) init(&b, blockDim.x);
  __syncthreads();
  v[threadIdx.x] = p[threadIdx.x];
  b.wait(b.arrive());
  p[threadIdx.x] = v[(threadIdx.x + 1) % 64];
}

int main() {
  const int n = 64, tiles = 6;
  int *in, *out;
  CHECK(cudaMallocManaged(&in, n * tiles * sizeof(int)));
  CHECK(cudaMallocManaged(&out, n * sizeof(int)));
  for (int i = 0; i < n * tiles; i++) in[i] = i * i % 997;
  stages<<<1, n>>>(in, out, tiles);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int t = 0; t < tiles; t++) sum += in[t * n + n - 1 - i];
    EXPECT(out[i] == sum);
  }
  for (int i = 0; i < n; i++) out[i] = i;
  barriers<<<1, n>>>(out);
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) EXPECT(out[i] == (i + 1) % n);
  return passed();
}
