// A barrier over the whole grid from atomics alone; every round each block reads its neighbour's word.
__device__ void gridBarrier(unsigned *arrived, unsigned *generation) {
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned now = *(volatile unsigned *)generation;
    __threadfence();
    if (atomicAdd(arrived, 1u) == gridDim.x - 1) {
      *(volatile unsigned *)arrived = 0;
      __threadfence();
      atomicAdd(generation, 1u);
    } else {
      while (*(volatile unsigned *)generation == now)
        ;
    }
    __threadfence();
  }
  __syncthreads();
}

// data has two halves of one word a block; a round reads one half and writes the other.
extern "C" __global__ void gridsync(unsigned *data, unsigned *barrier, int rounds) {
  for (int r = 0; r < rounds; r++) {
    volatile unsigned *from = data + (r & 1) * gridDim.x, *to = data + (~r & 1) * gridDim.x;
    if (threadIdx.x == 0) {
      unsigned next = blockIdx.x + 1 == gridDim.x ? 0 : blockIdx.x + 1;
      to[blockIdx.x] = from[next] * 3 + blockIdx.x;
    }
    gridBarrier(&barrier[0], &barrier[1]);
  }
}
