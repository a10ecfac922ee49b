// Layer normalisation of rows of 512, a work-group of 128 each: sums by trees in local memory. The last two arguments are Triton's.
float total(local float *s, float v) {
  int t = get_local_id(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  s[t] = v;
  for (int o = 64; o > 0; o /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t < o)
      s[t] += s[t + o];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return s[0];
}

kernel void once(global const float4 *restrict x, global const float4 *restrict weight, global const float4 *restrict bias,
                 global float4 *restrict out, ulong scratch, ulong profile) {
  local float s[128];
  int t = get_local_id(0), i = get_group_id(0) * 128 + t;
  float4 v = x[i];
  v -= total(s, v.x + v.y + v.z + v.w) / 512;
  float4 square = v * v;
  float scale = rsqrt(total(s, square.x + square.y + square.z + square.w) / 512 + 1e-5f);
  out[i] = fma(v * scale, weight[t], bias[t]);
}
