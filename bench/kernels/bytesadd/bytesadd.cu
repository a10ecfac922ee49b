// Brightness of bytes, four at a time, saturated.
extern "C" __global__ void bytesadd(uchar4 *p, int by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uchar4 v = p[i];
  v.x = min(max(v.x + by, 0), 255);
  v.y = min(max(v.y + by, 0), 255);
  v.z = min(max(v.z + by, 0), 255);
  p[i] = v;
}
