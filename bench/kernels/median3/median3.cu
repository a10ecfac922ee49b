// Medians of 3 by 3 bytes, by minima and maxima.
__device__ void order(int &a, int &b) {
  int lo = min(a, b);
  b = max(a, b);
  a = lo;
}

extern "C" __global__ void median3(const unsigned char *in, unsigned char *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1)
    return;
  int p[9];
  for (int i = 0; i < 9; i++)
    p[i] = in[(y + i / 3 - 1) * w + x + i % 3 - 1];
  for (int r = 0; r < 9; r += 3) {
    order(p[r], p[r + 1]);
    order(p[r + 1], p[r + 2]);
    order(p[r], p[r + 1]);
  }
  int lo = max(p[0], max(p[3], p[6])), hi = min(p[2], min(p[5], p[8]));
  order(p[1], p[4]);
  int mid = max(p[1], min(p[4], p[7]));
  out[y * w + x] = max(min(lo, mid), min(max(lo, mid), hi));
}
