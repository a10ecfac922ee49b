// Attention of one head of 16 dimensions, a thread for each query, the softmax kept online.
extern "C" __global__ void attnrow(const float *q, const float *k, const float *v, float *out, int keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float mine[16], acc[16], m = -1e30f, sum = 0;
  for (int d = 0; d < 16; d++) {
    mine[d] = q[d * n + i] * 0.25f;
    acc[d] = 0;
  }
  for (int j = 0; j < keys; j++) {
    float s = 0;
    for (int d = 0; d < 16; d++)
      s += mine[d] * k[j * 16 + d];
    float big = fmaxf(m, s), old = __expf(m - big), p = __expf(s - big);
    m = big;
    sum = fmaf(sum, old, p);
    for (int d = 0; d < 16; d++)
      acc[d] = fmaf(acc[d], old, p * v[j * 16 + d]);
  }
  for (int d = 0; d < 16; d++)
    out[d * n + i] = acc[d] / sum;
}
