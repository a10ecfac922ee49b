// One explicit step of the heat equation, the border held.
extern "C" __global__ void heat2d(const float *in, float *out, float k, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  int i = y * w + x;
  float c = in[i];
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    float sum = in[i - 1] + in[i + 1] + in[i - w] + in[i + w];
    c += k * fmaf(-4.0f, c, sum);
  }
  out[i] = c;
}
