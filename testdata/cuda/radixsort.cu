// Least-significant-digit radix sort of key-value pairs, four bits a pass, in three kernels:
// count digits by block, scan the counts (digit-major), scatter stably by warp match and ballot.
#define RADIX 16
#define THREADS 128

extern "C" __global__ void radixCount(const unsigned *keys, int n, int shift, unsigned *counts) {
  __shared__ unsigned local[RADIX];
  if (threadIdx.x < RADIX)
    local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n)
    atomicAdd(&local[keys[i] >> shift & (RADIX - 1)], 1u);
  __syncthreads();
  if (threadIdx.x < RADIX)
    counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// One block: exclusive scan of any number of counts, in place (Hillis and Steele in dynamic shared memory).
extern "C" __global__ void radixScan(unsigned *counts, int n) {
  extern __shared__ unsigned buf[];
  unsigned carry = 0;
  for (int base = 0; base < n; base += blockDim.x) {
    int i = base + threadIdx.x;
    unsigned own = i < n ? counts[i] : 0;
    buf[threadIdx.x] = own;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset <<= 1) {
      unsigned left = threadIdx.x >= offset ? buf[threadIdx.x - offset] : 0;
      __syncthreads();
      buf[threadIdx.x] += left;
      __syncthreads();
    }
    if (i < n)
      counts[i] = carry + buf[threadIdx.x] - own;
    carry += buf[blockDim.x - 1];
    __syncthreads();
  }
}

extern "C" __global__ void radixScatter(const unsigned *keys, const unsigned *values, int n, int shift,
                                        const unsigned *offsets, unsigned *keysOut, unsigned *valuesOut) {
  __shared__ unsigned warpCounts[THREADS / 32][RADIX];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int i = blockIdx.x * THREADS + threadIdx.x;
  if (lane < RADIX)
    warpCounts[warp][lane] = 0;
  __syncwarp();
  unsigned live = __ballot_sync(0xffffffffu, i < n);
  unsigned key = 0, digit = 0, rank = 0;
  if (i < n) {
    key = keys[i];
    digit = key >> shift & (RADIX - 1);
    unsigned peers = __match_any_sync(live, digit);
    rank = __popc(peers & ((1u << lane) - 1));
    if (rank == 0)
      warpCounts[warp][digit] = __popc(peers);
  }
  __syncthreads();
  if (i < n) {
    unsigned at = offsets[digit * gridDim.x + blockIdx.x] + rank;
    for (int w = 0; w < warp; w++)
      at += warpCounts[w][digit];
    keysOut[at] = key;
    valuesOut[at] = values[i];
  }
}
