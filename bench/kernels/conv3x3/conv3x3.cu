// A convolution layer: 3 by 3, eight channels in, one channel out a block's z, no padding.
extern "C" __global__ void conv3x3(const float *in, const float *weight, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, o = blockIdx.z;
  if (x >= w - 2 || y >= h - 2)
    return;
  float sum = 0;
  for (int c = 0; c < 8; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        sum += in[(c * h + y + i) * w + x + j] * weight[(o * 8 + c) * 9 + i * 3 + j];
  out[(o * (h - 2) + y) * (w - 2) + x] = fmaxf(sum, 0);
}
