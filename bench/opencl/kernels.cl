// The kernels of testdata/cuda in OpenCL C: the same work for each thread, the same roundings.
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(int n, float a, global const float *restrict x, global float *restrict y) {
  int i = get_global_id(0);
  if (i < n)
    y[i] = fma(a, x[i], y[i]);
}

#define TILE 16

kernel void matmul(global const float *restrict a, global const float *restrict b, global float *restrict c, int m, int n,
                   int k) {
  local float as[TILE][TILE], bs[TILE][TILE];
  int tx = get_local_id(0), ty = get_local_id(1), row = get_global_id(1), col = get_global_id(0);
  float acc = 0;
  for (int t = 0; t < k; t += TILE) {
    int ak = t + tx, bk = t + ty;
    as[ty][tx] = row < m && ak < k ? a[row * k + ak] : 0.0f;
    bs[ty][tx] = bk < k && col < n ? b[bk * n + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (int j = 0; j < TILE; j++)
      acc = fma(as[ty][j], bs[j][tx], acc);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n)
    c[row * n + col] = acc;
}

// OpenCL 1.2 has no shuffles: a tree in local memory, for blocks of 192.
kernel void reduce(global const int *restrict x, global int *sum, int n) {
  local int partial[192];
  int v = 0, l = get_local_id(0);
  for (int i = get_global_id(0); i < n; i += get_global_size(0))
    v += x[i];
  partial[l] = v;
  for (int step = 96; step >= 3; step >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < step)
      partial[l] += partial[l + step];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (l == 0)
    atomic_add(sum, partial[0] + partial[1] + partial[2]);
}

kernel void mandelbrot(global ushort *iterations, int width, int height, float x0, float y0, float step, int limit) {
  int px = get_global_id(0), py = get_global_id(1);
  if (px >= width || py >= height)
    return;
  float cx = fma((float)px, step, x0), cy = fma((float)py, step, y0), x = 0, y = 0;
  int it = 0;
  for (; it < limit; it++) {
    float xx = x * x, yy = y * y;
    if (xx + yy > 4.0f)
      break;
    float xy = x * y;
    y = fma(2.0f, xy, cy);
    x = xx - yy + cx;
  }
  iterations[py * width + px] = (ushort)it;
}
