// Quantises blocks of 32 to bytes with a scale each, a warp for each block.
extern "C" __global__ void quant8(const float *x, signed char *q, float *scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0, m = fabsf(v);
#pragma unroll
  for (int o = 16; o > 0; o /= 2)
    m = fmaxf(m, __shfl_xor_sync(~0u, m, o));
  float s = m / 127;
  if (i < n)
    q[i] = s > 0 ? (signed char)rintf(v / s) : 0;
  if (i < n && threadIdx.x % 32 == 0)
    scale[i / 32] = s;
}
