// Lennard-Jones forces from 24 listed neighbours, those within a radius.
extern "C" __global__ void ljcut(const float4 *pos, const int *near, float4 *force, float cut2, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 p = pos[i], f = {0, 0, 0, 0};
  for (int k = 0; k < 24; k++) {
    float4 o = pos[near[k * n + i]];
    float x = p.x - o.x, y = p.y - o.y, z = p.z - o.z, r2 = fmaf(z, z, fmaf(y, y, x * x));
    if (r2 < cut2 && r2 > 0) {
      float i2 = 1 / r2, i6 = i2 * i2 * i2, s = i6 * fmaf(48.0f, i6, -24.0f) * i2;
      f.x = fmaf(s, x, f.x);
      f.y = fmaf(s, y, f.y);
      f.z = fmaf(s, z, f.z);
    }
  }
  force[i] = f;
}
