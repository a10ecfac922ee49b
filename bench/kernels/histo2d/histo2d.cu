// Counts of pairs of bytes in a table of 64 by 64, by atomics on global memory.
extern "C" __global__ void histo2d(const unsigned char *x, const unsigned char *y, unsigned *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&table[(x[i] >> 2) * 64 + (y[i] >> 2)], 1);
}
