// Floats become bfloat16 by their bits, nearest even, two a word.
__device__ unsigned narrow(float v) {
  unsigned u = __float_as_uint(v);
  return (u + 0x7fff + (u >> 16 & 1)) >> 16;
}

extern "C" __global__ void bf16cvt(const float2 *x, unsigned *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = narrow(x[i].x) | narrow(x[i].y) << 16;
}
