// A spin lock taken by every lane of a warp in turn: needs independent thread scheduling,
// since the winner must run on while its siblings spin.
__device__ __forceinline__ void lock(int *mutex) {
  while (atomicCAS(mutex, 0, 1) != 0)
    ;
  __threadfence();
}
__device__ __forceinline__ void unlock(int *mutex) {
  __threadfence();
  atomicExch(mutex, 0);
}

// The critical section is a plain read, a shuffle-free computation and a plain write.
extern "C" __global__ void warplock(int *mutex, volatile unsigned *counter, unsigned *turnsTaken, int turns) {
  unsigned taken = 0;
  for (int t = 0; t < turns; t++) {
    lock(mutex);
    *counter = *counter + 1;
    unlock(mutex);
    taken++;
  }
  turnsTaken[blockIdx.x * blockDim.x + threadIdx.x] = taken;
}
