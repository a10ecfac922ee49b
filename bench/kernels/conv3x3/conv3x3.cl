// A convolution layer: 3 by 3, eight channels in, one channel out a group's z, no padding.
kernel void once(global const float *restrict in, global const float *restrict weight, global float *restrict out, int w, int h) {
  int x = get_global_id(0), y = get_global_id(1), o = get_group_id(2);
  if (x >= w - 2 || y >= h - 2)
    return;
  float sum = 0;
  for (int c = 0; c < 8; c++)
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        sum = fma(in[(c * h + y + i) * w + x + j], weight[(o * 8 + c) * 9 + i * 3 + j], sum);
  out[(o * (h - 2) + y) * (w - 2) + x] = fmax(sum, 0.0f);
}
