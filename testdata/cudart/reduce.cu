// Reductions and histograms: shuffles, votes, atomics in shared and global memory.
#include "check.h"

__device__ unsigned done;
__global__ void reduce(const int *in, long long *out, int n) {
  __shared__ long long warps[32];
  long long v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    if (threadIdx.x == 0) { atomicAdd((unsigned long long *)out, (unsigned long long)v); __threadfence(); atomicInc(&done, gridDim.x - 1); }
  }
}
__global__ void histogram(const int *in, int *bins, int n) {
  __shared__ int mine[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) mine[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&mine[in[i] & 63], 1);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += blockDim.x) atomicAdd(&bins[i], mine[i]);
}
__global__ void odd(const int *in, unsigned *masks, int *counts) {
  unsigned m = __ballot_sync(~0u, in[blockIdx.x * 32 + threadIdx.x] & 1);
  int any = __syncthreads_count(in[blockIdx.x * 32 + threadIdx.x] & 1);
  if (threadIdx.x == 0) masks[blockIdx.x] = m, counts[blockIdx.x] = any;
}

int main() {
  const int n = 10000;
  int *in, *bins, *counts, want[64] = {};
  unsigned *masks;
  long long *out, sum = 0;
  CHECK(cudaMallocManaged(&in, n * sizeof(int)));
  CHECK(cudaMallocManaged(&bins, 64 * sizeof(int)));
  CHECK(cudaMallocManaged(&masks, 8 * sizeof(int)));
  CHECK(cudaMallocManaged(&counts, 8 * sizeof(int)));
  CHECK(cudaMallocManaged(&out, sizeof *out));
  CHECK(cudaMemset(bins, 0, 64 * sizeof(int)));
  CHECK(cudaMemset(out, 0, sizeof *out));
  for (int i = 0; i < n; i++) { in[i] = i * 1103515245 + 12345; sum += in[i]; want[in[i] & 63]++; }
  reduce<<<7, 256>>>(in, out, n);
  histogram<<<5, 128>>>(in, bins, n);
  odd<<<8, 32>>>(in, masks, counts);
  CHECK(cudaDeviceSynchronize());
  EXPECT(*out == sum);
  for (int i = 0; i < 64; i++) EXPECT(bins[i] == want[i]);
  for (int b = 0; b < 8; b++) {
    int k = 0;
    for (int i = 0; i < 32; i++) { EXPECT((masks[b] >> i & 1) == (unsigned)(in[b * 32 + i] & 1)); k += in[b * 32 + i] & 1; }
    EXPECT(counts[b] == k);
  }
  return passed();
}
