// Sorts each block's 512 keys by a bitonic network in shared memory.
extern "C" __global__ void bitonic(unsigned *keys) {
  __shared__ unsigned s[512];
  unsigned *k = keys + blockIdx.x * 512, t = threadIdx.x;
  s[t] = k[t];
  s[t + 256] = k[t + 256];
  for (unsigned size = 2; size <= 512; size *= 2)
    for (unsigned step = size / 2; step > 0; step /= 2) {
      __syncthreads();
      unsigned i = 2 * t - (t & (step - 1)), j = i + step;
      bool up = (i & size) == 0;
      if ((s[i] > s[j]) == up) {
        unsigned v = s[i];
        s[i] = s[j];
        s[j] = v;
      }
    }
  __syncthreads();
  k[t] = s[t];
  k[t + 256] = s[t + 256];
}
