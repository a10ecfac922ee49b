// The largest of each 2 by 2.
kernel void once(global const float2 *restrict in, global float *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  float2 a = in[2 * y * w + x], b = in[(2 * y + 1) * w + x];
  out[y * w + x] = fmax(fmax(a.x, a.y), fmax(b.x, b.y));
}
