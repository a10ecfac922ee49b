// The largest of each 2 by 2.
extern "C" __global__ void maxpool(const float2 *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  float2 a = in[2 * y * w + x], b = in[(2 * y + 1) * w + x];
  out[y * w + x] = fmaxf(fmaxf(a.x, a.y), fmaxf(b.x, b.y));
}
