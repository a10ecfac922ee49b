// Inclusive sum in a single pass with decoupled look-back: each block publishes its aggregate,
// then walks back over its predecessors until it meets an inclusive prefix.
// A state word holds a flag in its high half (0 nothing, 1 aggregate, 2 prefix) and the value in its low half.
#define ITEMS 4
#define THREADS 128

typedef unsigned long long u64;

__device__ __forceinline__ void publish(u64 *state, unsigned flag, unsigned value) {
  __threadfence();
  *(volatile u64 *)state = (u64)flag << 32 | value;
}

__device__ unsigned lookBack(u64 *states, int tile) {
  unsigned sum = 0;
  for (int p = tile - 1; p >= 0; p--) {
    u64 s;
    do
      s = *(volatile u64 *)&states[p];
    while (s >> 32 == 0);
    sum += (unsigned)s;
    if (s >> 32 == 2)
      break;
  }
  return sum;
}

__device__ unsigned warpScan(unsigned v, int lane) {
#pragma unroll
  for (int offset = 1; offset < 32; offset <<= 1) {
    unsigned left = __shfl_up_sync(0xffffffffu, v, offset);
    if (lane >= offset)
      v += left;
  }
  return v;
}

extern "C" __global__ void scan(const unsigned *in, unsigned *out, int n, unsigned *ticket, u64 *states) {
  __shared__ int tileShared;
  __shared__ unsigned warpSums[THREADS / 32];
  __shared__ unsigned before;
  if (threadIdx.x == 0)
    tileShared = atomicAdd(ticket, 1u);
  __syncthreads();
  int tile = tileShared;
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int base = (tile * THREADS + threadIdx.x) * ITEMS;

  unsigned v[ITEMS], sum = 0;
#pragma unroll
  for (int k = 0; k < ITEMS; k++) {
    sum += base + k < n ? in[base + k] : 0;
    v[k] = sum;
  }
  unsigned inclusive = warpScan(sum, lane);
  if (lane == 31)
    warpSums[warp] = inclusive;
  __syncthreads();

  unsigned offset = inclusive - sum, total = 0;
#pragma unroll
  for (int w = 0; w < THREADS / 32; w++) {
    if (w < warp)
      offset += warpSums[w];
    total += warpSums[w];
  }
  if (threadIdx.x == 0) {
    if (tile > 0)
      publish(&states[tile], 1, total);
    unsigned prefix = lookBack(states, tile);
    publish(&states[tile], 2, prefix + total);
    before = prefix;
  }
  __syncthreads();
#pragma unroll
  for (int k = 0; k < ITEMS; k++)
    if (base + k < n)
      out[base + k] = before + offset + v[k];
}
