// Conway's Game of Life on a torus of bytes.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  unsigned char neighbours = 0;
  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      if (dx || dy)
        neighbours += in[(y + dy + height) % height * width + (x + dx + width) % width];
  unsigned char alive = in[y * width + x];
  out[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
}
