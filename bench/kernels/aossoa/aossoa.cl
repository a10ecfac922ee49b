// Structures of three floats become three arrays, each vector scaled to length one.
kernel void once(global const float *restrict in, global float *restrict x, global float *restrict y, global float *restrict z, int n) {
  int i = get_global_id(0);
  if (i >= n)
    return;
  float vx = in[3 * i], vy = in[3 * i + 1], vz = in[3 * i + 2];
  float s = 1 / sqrt(fma(vz, vz, fma(vy, vy, vx * vx)));
  x[i] = vx * s;
  y[i] = vy * s;
  z[i] = vz * s;
}
