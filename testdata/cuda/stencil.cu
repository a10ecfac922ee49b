// One Jacobi step of the five-point stencil, halo in shared memory, borders kept.
#define W 16

extern "C" __global__ void stencil(const float *in, float *out, int width, int height, float center, float side) {
  __shared__ float tile[W + 2][W + 2];
  int x = blockIdx.x * W + threadIdx.x, y = blockIdx.y * W + threadIdx.y;
  for (int i = threadIdx.y * W + threadIdx.x; i < (W + 2) * (W + 2); i += W * W) {
    int gx = blockIdx.x * W + i % (W + 2) - 1, gy = blockIdx.y * W + i / (W + 2) - 1;
    bool inside = gx >= 0 && gx < width && gy >= 0 && gy < height;
    tile[i / (W + 2)][i % (W + 2)] = inside ? in[gy * width + gx] : 0.0f;
  }
  __syncthreads();
  if (x >= width || y >= height)
    return;
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  float v = tile[ty][tx];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    float sides = ((tile[ty - 1][tx] + tile[ty + 1][tx]) + tile[ty][tx - 1]) + tile[ty][tx + 1];
    v *= center;
    v = sides * side + v;
  }
  out[y * width + x] = v;
}
