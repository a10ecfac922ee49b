// One explicit step of the heat equation, the border held.
kernel void once(global const float *restrict in, global float *restrict out, float k, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h)
    return;
  int i = y * w + x;
  float c = in[i];
  if (x > 0 && x < w - 1 && y > 0 && y < h - 1) {
    float sum = in[i - 1] + in[i + 1] + in[i - w] + in[i + w];
    c = fma(k, fma(-4.0f, c, sum), c);
  }
  out[i] = c;
}
