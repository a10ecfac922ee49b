// Escape times of the Mandelbrot set as colours; one thread a pixel.
extern "C" __global__ void mandelbrot(uchar3 *picture, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x;
  int py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height)
    return;
  float cx = -2.1f + 2.8f * (px + 0.5f) / width, cy = -1.2f + 2.4f * (py + 0.5f) / height;
  float x = 0, y = 0;
  int it = 0;
  while (it < limit && x * x + y * y < 16) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    it++;
  }
  float t = it == limit ? 0 : sqrtf((float)it / limit), s = 1 - t;
  picture[py * width + px] = make_uchar3(255 * 9 * s * t * t * t, 255 * 15 * s * s * t * t, 255 * 8.5f * s * s * s * t);
}
