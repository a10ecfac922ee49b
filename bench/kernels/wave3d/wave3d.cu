// The wave equation on a cube: seven points, two time levels.
extern "C" __global__ void wave3d(const float *now, float *was, float c, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= n - 1 || y >= n - 1)
    return;
  for (int z = 1; z < n - 1; z++) {
    int i = (z * n + y) * n + x;
    float v = now[i];
    float sum = now[i - 1] + now[i + 1] + now[i - n] + now[i + n] + now[i - n * n] + now[i + n * n];
    was[i] = fmaf(c, fmaf(-6.0f, v, sum), fmaf(2.0f, v, -was[i]));
  }
}
