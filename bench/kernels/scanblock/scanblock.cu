// Inclusive sums of each block's 256 values, by Hillis and Steele.
extern "C" __global__ void scanblock(const unsigned *in, unsigned *out) {
  __shared__ unsigned s[2][256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t, from = 0;
  s[0][t] = in[i];
  __syncthreads();
  for (int o = 1; o < 256; o *= 2) {
    s[1 - from][t] = s[from][t] + (t >= o ? s[from][t - o] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[i] = s[from][t];
}
