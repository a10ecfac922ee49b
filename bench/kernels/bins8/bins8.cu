// Each thread counts eight kinds of value in a local array.
extern "C" __global__ void bins8(const unsigned char *x, unsigned short *bins, int each, int threads) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= threads)
    return;
  unsigned short count[8] = {};
  for (int k = 0; k < each; k++)
    count[x[k * threads + t] & 7]++;
  for (int b = 0; b < 8; b++)
    bins[b * threads + t] = count[b];
}
