// Escape times: every lane leaves the loop at its own time.
extern "C" __global__ void mandelbrot(unsigned short *iterations, int width, int height, float x0, float y0,
                                      float step, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  float cx = (float)px * step + x0, cy = (float)py * step + y0;
  float x = 0, y = 0;
  int it = 0;
  for (; it < limit; it++) {
    float xx = x * x, yy = y * y;
    asm volatile("" : "+f"(xx), "+f"(yy)); // keeps the squares out of contraction: both are used twice
    if (xx + yy > 4.0f)
      break;
    float xy = x * y;
    y = 2.0f * xy + cy;
    x = xx - yy + cx;
  }
  iterations[py * width + px] = (unsigned short)it;
}
