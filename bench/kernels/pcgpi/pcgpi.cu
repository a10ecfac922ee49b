// Points in a quarter of a circle, counted by PCG32 streams, one a thread.
extern "C" __global__ void pcgpi(unsigned *hits, int rounds) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long state = t * 0x9e3779b97f4a7c15ull + 1, inc = 2ull * t + 1;
  unsigned in = 0;
  for (int k = 0; k < rounds; k++) {
    unsigned v[2];
    for (int j = 0; j < 2; j++) {
      unsigned long long old = state;
      state = old * 6364136223846793005ull + inc;
      unsigned x = (unsigned)(((old >> 18) ^ old) >> 27), r = (unsigned)(old >> 59);
      v[j] = (x >> r) | (x << (-r & 31));
    }
    unsigned long long a = v[0] >> 16, b = v[1] >> 16;
    in += a * a + b * b < (1ull << 32);
  }
  hits[t] = in;
}
