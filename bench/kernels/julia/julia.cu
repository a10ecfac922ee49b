// Steps until a point of the Julia set escapes, in double precision.
extern "C" __global__ void julia(int *steps, int w, int h, int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  double re = fma((double)x, 3.0 / w, -1.5), im = fma((double)y, 2.0 / h, -1.0);
  int k = 0;
  for (; k < limit; k++) {
    double r2 = re * re, i2 = im * im;
    if (r2 + i2 > 4)
      break;
    im = fma(2 * re, im, 0.156);
    re = (r2 - i2) - 0.8;
  }
  steps[y * w + x] = k;
}
