// The nearest of 64 codes of 128 bits, by differing bits.
extern "C" __global__ void hamming(const uint4 *x, const uint4 *codes, int *nearest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 v = x[i];
  int best = 1000, at = 0;
  for (int k = 0; k < 64; k++) {
    uint4 c = codes[k];
    int d = __popc(v.x ^ c.x) + __popc(v.y ^ c.y) + __popc(v.z ^ c.z) + __popc(v.w ^ c.w);
    if (d < best) {
      best = d;
      at = k;
    }
  }
  nearest[i] = at;
}
