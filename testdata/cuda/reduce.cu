// Sum of an array: grid-stride loop, warp shuffles, one shared word a warp, one atomic a block.
template <typename T> __device__ __forceinline__ T warpSum(T v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, offset);
  return v;
}

template <typename T> __global__ void reduce(const T *x, T *sum, int n) {
  __shared__ T partial[32];
  T v = 0;
#pragma unroll 1
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    v += x[i];
  v = warpSum(v);
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0)
    partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (blockDim.x >> 5) ? partial[lane] : T(0);
    v = warpSum(v);
    if (lane == 0)
      atomicAdd(sum, v);
  }
}

template __global__ void reduce<int>(const int *, int *, int);
template __global__ void reduce<float>(const float *, float *, int);
