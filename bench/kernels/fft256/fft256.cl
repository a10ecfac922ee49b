// Transforms of 256 complex numbers in local memory (Stockham, radix 2), one a work-group, factors from a table.
kernel void once(global float2 *data, global const float2 *restrict w) {
  local float2 s[2][256];
  int t = get_local_id(0), from = 0;
  global float2 *d = data + get_group_id(0) * 256;
  s[0][t] = d[t];
  s[0][t + 128] = d[t + 128];
  for (int m = 1; m < 256; m *= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int k = t & (m - 1), j = t - k;
    float2 a = s[from][t], b = s[from][t + 128], f = w[j], dif = a - b;
    s[1 - from][2 * j + k] = a + b;
    s[1 - from][2 * j + k + m] = (float2)(fma(dif.x, f.x, -(dif.y * f.y)), fma(dif.x, f.y, dif.y * f.x));
    from = 1 - from;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  d[t] = s[from][t];
  d[t + 128] = s[from][t + 128];
}
