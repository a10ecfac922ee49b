// Transforms of 256 complex numbers in shared memory (Stockham, radix 2), one a block, factors from a table.
extern "C" __global__ void fft256(float2 *data, const float2 *w) {
  __shared__ float2 s[2][256];
  int t = threadIdx.x, from = 0;
  float2 *d = data + blockIdx.x * 256;
  s[0][t] = d[t];
  s[0][t + 128] = d[t + 128];
  for (int m = 1; m < 256; m *= 2) {
    __syncthreads();
    int k = t & (m - 1), j = t - k;
    float2 a = s[from][t], b = s[from][t + 128], f = w[j];
    float2 sum = {a.x + b.x, a.y + b.y}, dif = {a.x - b.x, a.y - b.y};
    s[1 - from][2 * j + k] = sum;
    s[1 - from][2 * j + k + m] = {fmaf(dif.x, f.x, -(dif.y * f.y)), fmaf(dif.x, f.y, dif.y * f.x)};
    from = 1 - from;
  }
  __syncthreads();
  d[t] = s[from][t];
  d[t + 128] = s[from][t + 128];
}
